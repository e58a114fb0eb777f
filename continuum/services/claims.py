"""Claiming: asking for the right to perform an effect, once.

Lookup, rules and append happen under one write lock, so exactly one claimant
is told to go ahead. A refusal that writes (a claim on an open attempt marks
it unknown, a grant that is used up is noted) is committed first and raised
afterwards.
"""

from __future__ import annotations

import os.path

from continuum.core.errors import Refused
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus
from continuum.domain.events import ACTION_EVENTS, EventType, Origin
from continuum.domain.leases import lease_of
from continuum.domain.runs import RunStatus
from continuum.domain.tokens import identity_tokens, leaf_tokens, run_tokens
from continuum.ledger.claims import (
    checked_call,
    ensure_same_arguments,
    first_to_heed,
    grant_conflict,
    plan_again,
    plan_denial,
    plan_elsewhere,
    plan_new,
)
from continuum.ledger.grants import GrantBook
from continuum.ledger.pinning import drift_lines, latest_pinning
from continuum.ledger.tokens import match
from continuum.ledger.transitions import REOPENABLE, Mark
from continuum.services.slots import count_attempts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Action, Slot
    from continuum.domain.events import Event
    from continuum.domain.leases import Lease
    from continuum.ledger.claims import Call, Claim, ClaimPlan
    from continuum.store.base import ReadStore, Store

_PAGE = 200
_CLOSED = (RunStatus.COMPLETED, RunStatus.ABORTED)


class ClaimAnswer(NamedTuple):
    """What a claimant is told, if not refused.

    Attributes:
        proceed: True: perform the effect, then complete or fail it. False: it
            is done; `action` holds the recorded external id and result.
        key: the ledger key to settle it under; may be one recorded before.
        event: what was written; None when nothing had to be.
        attempt: number of the attempt that begins, from 1; 0 when none does.
        attempts_left: how many more may follow it.
        drift: what changed since the newest pinned claim of the run.
    """

    proceed: bool
    key: str
    action: Action
    event: Event | None
    attempt: int = 0
    attempts_left: int = 0
    drift: tuple[str, ...] = ()


def claim_action(
    store: Store,
    run_id: str,
    claim: Claim,
    *,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
) -> ClaimAnswer:
    """Ask to perform an effect; exactly one claimant is told to go ahead.

    Raises:
        InvalidInput: a part of the claim cannot be recorded.
        RunNotFound: no such run.
        Refused: the run is closed.
        KeyReused: the explicit key stands for a call with other arguments.
        ClaimHeld: another claimant's lease on it is live.
        OutcomeUnknown: an earlier attempt is open; it is marked unknown.
        GrantSpent: the grant is used up or held by another action; noted.
        BudgetExhausted: no attempt is left.
    """
    call = checked_call(run_id, claim, expand_home=os.path.expanduser)
    mark = Mark(at, source, {"caller": claim.caller} if claim.caller else {})
    with store.writing(run_id) as writer:
        _ensure_open(store, run_id)
        if not claim.scoped_to_run:
            writer.hold_key(call.keys[0])
        plan = _plan_claim(store, call, mark)
        drift = _drift(store, call) if plan.attempt else ()
        event = writer.append(run_id, [plan.draft])[0] if plan.draft else None
    if plan.refusal is not None:
        raise plan.refusal
    left = max(0, claim.budgets.limit(claim.action_type) - plan.attempt) if plan.attempt else 0
    return ClaimAnswer(plan.attempt > 0, plan.key, plan.action, event, plan.attempt, left, drift)


def _plan_claim(store: ReadStore, call: Call, mark: Mark) -> ClaimPlan:
    run_id = call.run_id
    slot = first_to_heed(store.slot(run_id, key) for key in call.keys)
    elsewhere = _elsewhere(store, call, slot)
    if elsewhere is not None:
        return elsewhere
    if slot is None and call.claim.key is None:
        slot = _recognised(store, call)
    if slot is not None:
        ensure_same_arguments(call, slot.action)
    denial = _denial(store, call, slot, mark)
    if denial is not None:
        return denial
    if slot is None:
        return plan_new(call, mark, action_id=new_id("action"))
    reopens = slot.action.status in REOPENABLE
    attempts = count_attempts(store, run_id, slot) if reopens else 0
    payload = newest_payload(store, slot) if slot.action.is_unresolved else {}
    return plan_again(call, slot, mark, attempts=attempts, payload=payload)


def newest_payload(store: ReadStore, slot: Slot) -> Mapping[str, Any]:
    """Return the payload of the event that last touched a slot."""
    page = store.event_row(slot.action.run_id, slot.last_sequence)
    return page.event.payload if page and page.event else {}


def live_lease(store: ReadStore, slot: Slot, at: datetime) -> Lease | None:
    """Return the lease under which somebody is performing an action at the time `at`."""
    if slot.action.status is not ActionStatus.STARTED:
        return None
    lease = lease_of(newest_payload(store, slot))
    return lease if lease is not None and at < lease.until else None


def _ensure_open(store: ReadStore, run_id: str) -> None:
    status = store.run(run_id).status
    if status in _CLOSED:
        raise Refused(
            f"run {run_id!r} is {status}, so no effect may begin in it; start a new run, or fork "
            "this one. What it left open may still be settled"
        )


def _elsewhere(store: ReadStore, call: Call, slot: Slot | None) -> ClaimPlan | None:
    """Return what another run decides for a store-wide claim that could begin here."""
    may_begin = slot is None or slot.action.status in REOPENABLE
    if call.claim.scoped_to_run or not may_begin:
        return None
    for key in call.keys:
        action = store.foreign_action(key, call.run_id)
        plan = None if action is None else plan_elsewhere(call, key, action)
        if plan is not None:
            ensure_same_arguments(call, plan.action)
            return plan
    return None


def _recognised(store: ReadStore, call: Call) -> Slot | None:
    leaves = leaf_tokens(identity_tokens(call.claim.arguments, volatile=call.claim.volatile))
    tokens = leaves - run_tokens(call.run_id)
    if not tokens:
        return None
    return match(
        call.run_id,
        call.claim.action_type,
        call.claim.arguments,
        store.slots_sharing(call.run_id, call.claim.action_type, tokens),
        volatile=call.claim.volatile,
        expand_home=call.expand_home,
    )


def _denial(store: ReadStore, call: Call, slot: Slot | None, mark: Mark) -> ClaimPlan | None:
    """Return the refusal of a grant; a completed action is answered without asking for it."""
    if call.grant is None or (slot and slot.action.status is ActionStatus.COMPLETED):
        return None
    book = GrantBook(store.events(call.run_id, types=ACTION_EVENTS))
    key = call.keys[0] if slot is None else slot.key
    use = grant_conflict(book, call.grant, key, slot)
    return None if use is None else plan_denial(call, slot, use, mark, grant=call.grant)


def _drift(store: ReadStore, call: Call) -> tuple[str, ...]:
    if not call.pinning:
        return ()
    recorded = latest_pinning(_recorded_newest_first(store, call.run_id))
    return tuple(drift_lines(recorded, call.pinning)) if recorded else ()


def _recorded_newest_first(store: ReadStore, run_id: str) -> Iterator[Event]:
    before: int | None = None
    while True:
        page = store.event_page(
            run_id, before=before, limit=_PAGE, types=(EventType.ACTION_RECORDED,)
        )
        yield from (one.event for one in page if one.event is not None)
        if len(page) < _PAGE:
            return
        before = page[-1].row.sequence
