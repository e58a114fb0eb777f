"""Claims: who may perform an effect now (ledger.md 5.1, 17).

Pure planning: a checked call and what the ledger holds go in; the answer and
the event to append come out. A refusal may come with an event, so it is a
value here; the service commits the event and then raises it.
"""

from __future__ import annotations

import posixpath

from continuum.core.canonical import stable_hash
from continuum.core.clock import body_time
from continuum.core.errors import (
    BudgetExhausted,
    ClaimHeld,
    GrantSpent,
    InvalidInput,
    KeyReused,
    OutcomeUnknown,
)
from continuum.core.records import NamedTuple
from continuum.domain.actions import Action, ActionStatus, action_from_record
from continuum.domain.events import EventType
from continuum.domain.leases import kept_lease, lease_members, lease_of
from continuum.ledger.budgets import Budgets
from continuum.ledger.grants import denial_event, normalise_grant
from continuum.ledger.identity import (
    ensure_action_type,
    key_spellings,
    ledger_key,
    normalise_arguments,
)
from continuum.ledger.pinning import normalise_pinning
from continuum.ledger.transitions import (
    REOPENABLE,
    Mark,
    action_event,
    describe,
    plan_doubt,
    plan_reopening,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from continuum.core.errors import ContinuumError
    from continuum.domain.actions import Slot
    from continuum.domain.events import Draft
    from continuum.domain.leases import Holder, Lease
    from continuum.ledger.grants import Grant, GrantBook, GrantUse
    from continuum.ledger.identity import ExpandHome

_SHOWN_DIFFERENCES = 3
_SHOWN_VALUE = 60


class Claim(NamedTuple):
    """The wish to perform an effect once.

    Attributes:
        arguments: recorded as they are; the identity when there is no key.
        key: the explicit identity of the operation; the arguments then only
            have to be the same every time.
        scoped_to_run: False for an identity that holds across the whole store.
        volatile: top-level argument names that are no part of the identity.
        dep_scope: the dependency the effect belongs to.
        pinning, grant: as of `ledger.pinning` and `ledger.grants`.
        caller: the program that claims, kept in the event (`domain.callers`).
        holder: who holds the claim while it is live; None holds nobody off.
    """

    action_type: str
    arguments: Mapping[str, Any] | None = None
    key: str | None = None
    scoped_to_run: bool = True
    volatile: tuple[str, ...] = ()
    dep_scope: str | None = None
    pinning: Mapping[str, Any] | None = None
    grant: Mapping[str, Any] | None = None
    budgets: Budgets = Budgets()
    caller: Mapping[str, Any] | str | None = None
    holder: Holder | None = None


class Call(NamedTuple):
    """A claim whose every part was checked.

    Attributes:
        keys: the ledger keys it may be recorded under; the first is ours.
        arguments: normalised, without volatile names.
    """

    run_id: str
    claim: Claim
    keys: tuple[str, ...]
    arguments: dict[str, Any]
    pinning: dict[str, str]
    grant: Grant | None
    expand_home: ExpandHome


class ClaimPlan(NamedTuple):
    """What a claim comes to.

    Attributes:
        action: the record afterwards, or the stored one.
        draft: the event to append, if any.
        refusal: raised after the event is committed; None when answered.
        attempt: number of the attempt that begins, from 1; 0 when none does.
    """

    key: str
    action: Action
    draft: Draft | None = None
    refusal: ContinuumError | None = None
    attempt: int = 0


def checked_call(
    run_id: str, claim: Claim, *, expand_home: ExpandHome = posixpath.expanduser
) -> Call:
    """Return the claim with its keys derived and its parts normalised.

    Raises:
        InvalidInput: a type, key, argument, pin or grant that cannot be recorded.
    """
    ensure_action_type(claim.action_type)
    if claim.dep_scope is not None and not isinstance(claim.dep_scope, str):
        raise InvalidInput("dep_scope has to be text")
    if claim.caller is not None and not isinstance(claim.caller, (str, dict)):
        raise InvalidInput("caller has to be text or an object")
    arguments = normalise_arguments(
        claim.arguments, volatile=claim.volatile, expand_home=expand_home
    )
    return Call(
        run_id,
        claim,
        _keys(run_id, claim, arguments),
        arguments,
        normalise_pinning(claim.pinning),
        normalise_grant(claim.grant),
        expand_home,
    )


def first_to_heed(slots: Iterable[Slot | None]) -> Slot | None:
    """Return the slot that decides, if the spellings of a key name several.

    One that forbids a new attempt comes before one that allows it.
    """
    found = [slot for slot in slots if slot is not None]
    binding = [slot for slot in found if slot.action.status not in REOPENABLE]
    return next(iter(binding or found), None)


def plan_new(call: Call, mark: Mark, *, action_id: str) -> ClaimPlan:
    """Return the plan for an operation that nobody has recorded."""
    now = body_time(mark.at)
    action = Action(
        action_id=action_id,
        run_id=call.run_id,
        action_type=call.claim.action_type,
        dep_scope=call.claim.dep_scope,
        arguments=dict(call.claim.arguments or {}),
        arguments_hash=stable_hash(call.arguments),
        status=ActionStatus.STARTED,
        created_at=now,
        started_at=now,
    )
    key = call.keys[0]
    draft = action_event(EventType.ACTION_RECORDED, key, action, opening_mark(call, mark))
    return ClaimPlan(key, action, draft, attempt=1)


def plan_again(
    call: Call, slot: Slot, mark: Mark, *, attempts: int = 0, payload: Mapping[str, Any] = {}
) -> ClaimPlan:
    """Return the plan for an operation that is recorded in this run.

    Args:
        attempts: those already made; they count only where a new one would begin.
        payload: of the slot's newest event; its lease counts while the attempt is open.

    Raises:
        BudgetExhausted: no attempt is left; nothing is to be written.
    """
    status = slot.action.status
    if status is ActionStatus.COMPLETED:
        return ClaimPlan(slot.key, slot.action)
    if status in REOPENABLE:
        _ensure_budget(call, slot, attempts)
        draft = plan_reopening(slot, opening_mark(call, mark))
        opened = action_from_record(draft.payload["action"])
        return ClaimPlan(slot.key, opened, draft, attempt=attempts + 1)
    if status is ActionStatus.UNKNOWN:
        return ClaimPlan(slot.key, slot.action, refusal=_unknown(slot))
    lease = lease_of(payload)
    if status is ActionStatus.STARTED and lease and lease.holds_off(call.claim.holder, mark.at):
        return ClaimPlan(slot.key, slot.action, refusal=_held(slot, lease))
    doubting = mark._replace(members={**kept_lease(payload), **mark.members})
    return ClaimPlan(slot.key, slot.action, plan_doubt(slot, doubting), _unknown(slot))


def plan_elsewhere(call: Call, key: str, action: Action) -> ClaimPlan | None:
    """Return what another run's record decides for a store-wide claim, None if nothing.

    The record is answered or stands in the way; nothing is written here.
    """
    if action.status is ActionStatus.COMPLETED:
        return ClaimPlan(key, action)
    if action.status in REOPENABLE:
        return None
    refusal = OutcomeUnknown(
        f"run {action.run_id!r} claimed the same {action.action_type!r} and its outcome is "
        f"{action.status}; settle action {action.action_id} there first"
    )
    return ClaimPlan(key, action, refusal=refusal)


def plan_denial(
    call: Call, slot: Slot | None, use: GrantUse, mark: Mark, *, grant: Grant
) -> ClaimPlan:
    """Return the plan that refuses a claim because of its grant, and records that."""
    key = call.keys[0] if slot is None else slot.key
    action = Action("", call.run_id, call.claim.action_type) if slot is None else slot.action
    draft = denial_event(grant, use, key=key, action_type=call.claim.action_type, mark=mark)
    refusal = GrantSpent(
        f"the grant {grant.id!r} belongs to action {use.action_type!r} ({use.key[:12]}), which is "
        f"{use.status}; ask for a new grant"
    )
    return ClaimPlan(key, action, draft, refusal)


def grant_conflict(book: GrantBook, grant: Grant, key: str, slot: Slot | None) -> GrantUse | None:
    """Return the action that keeps `grant` from being used under `key`, or None."""
    spent = book.spent(grant.id)
    resumes = (
        slot is not None
        and slot.action.status is ActionStatus.STARTED
        and book.carried_by(key) == grant.id
    )
    if spent is not None and not resumes:
        return spent
    return book.held_elsewhere(grant.id, key)


def ensure_same_arguments(call: Call, action: Action) -> None:
    """Refuse an explicit key that stands for a call with other arguments.

    Arguments that are absent on either side make no conflict: a key alone is
    a way to ask for what is recorded under it.

    Raises:
        KeyReused: names what differs.
    """
    if call.claim.key is None:
        return
    recorded = normalise_arguments(
        action.arguments, volatile=call.claim.volatile, expand_home=call.expand_home
    )
    if not recorded or not call.arguments or _is_recorded(call, action, recorded):
        return
    raise KeyReused(
        f"key {call.claim.key!r} of {action.action_type!r} stands for another call, which is "
        f"{action.status}: {_differences(recorded, call.arguments)}; use another key for another "
        "effect, or leave the arguments out to ask for the recorded one"
    )


def opening_mark(call: Call, mark: Mark) -> Mark:
    """Return `mark` with what an event that begins an attempt says in addition."""
    members: dict[str, Any] = {}
    if call.pinning:
        members["pinning"] = call.pinning
    if call.grant:
        members["grant"] = call.grant._asdict()
    members.update(lease_members(call.claim.holder, mark.at))
    return mark._replace(members={**members, **mark.members})


def _keys(run_id: str, claim: Claim, arguments: dict[str, Any]) -> tuple[str, ...]:
    scope = run_id if claim.scoped_to_run else None
    if claim.key is None:
        # Normalising again changes nothing, so the home folder needs no second look.
        return (ledger_key(claim.action_type, arguments, scope=scope, expand_home=str),)
    return tuple(
        ledger_key(claim.action_type, None, scope=scope, explicit_key=spelling)
        for spelling in key_spellings(claim.key)
    )


def _ensure_budget(call: Call, slot: Slot, attempts: int) -> None:
    if slot.action.status is ActionStatus.COMPENSATED:
        return  # it was done once, so what came before was no vain attempt
    action_type = slot.action.action_type
    limit = call.claim.budgets.limit(action_type)
    if attempts >= limit:
        raise BudgetExhausted(
            f"{describe(slot)} was attempted {attempts} times and {limit} are allowed; a person "
            f"may raise action_types.{action_type}.max_attempts in .continuum/budgets.json"
        )


def _unknown(slot: Slot) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"{describe(slot)} was claimed before and its outcome is not known; find out whether the "
        "effect happened, then settle it as occurred or not. Do not repeat it until then",
        key=slot.key,
        action_id=slot.action.action_id,
    )


def _held(slot: Slot, lease: Lease) -> ClaimHeld:
    return ClaimHeld(
        f"{describe(slot)} is being performed by {lease.client!r}, who has until "
        f"{body_time(lease.until)} to record the outcome; wait, then ask again",
        key=slot.key,
        action_id=slot.action.action_id,
        started_at=slot.action.started_at,
    )


def _is_recorded(call: Call, action: Action, recorded: dict[str, Any]) -> bool:
    ours = stable_hash(call.arguments)
    return ours == action.arguments_hash or ours == stable_hash(recorded)


def _differences(recorded: dict[str, Any], given: dict[str, Any]) -> str:
    names = [
        name
        for name in sorted({**recorded, **given})
        if name not in recorded or name not in given or recorded[name] != given[name]
    ]
    shown = [
        f"{name} was {_shown(recorded, name)}, now {_shown(given, name)}"
        for name in names[:_SHOWN_DIFFERENCES]
    ]
    more = len(names) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


def _shown(arguments: dict[str, Any], name: str) -> str:
    if name not in arguments:
        return "absent"
    text = repr(arguments[name])
    return text if len(text) <= _SHOWN_VALUE else f"{text[:_SHOWN_VALUE]}…"
