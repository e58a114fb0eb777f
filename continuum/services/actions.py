"""Actions: record what became of an effect that was claimed.

Every verb is one write transaction that looks, decides and appends under one
lock. An identifier is a ledger key, an action id, or the explicit key the
agent used. A request that says what is recorded already is answered and
writes nothing.
"""

from __future__ import annotations

from continuum.core.errors import DecisionChanged
from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus, action_from_record
from continuum.domain.events import Origin
from continuum.domain.leases import Holder, lease_of
from continuum.ledger.budgets import BudgetRow, Budgets
from continuum.ledger.claims import Claim
from continuum.ledger.transitions import (
    Mark,
    Settlement,
    plan_compensation,
    plan_completion,
    plan_escalation,
    plan_failure,
    plan_settlement,
    repeats_completion,
    repeats_failure,
    repeats_settlement,
)
from continuum.services.claims import ClaimAnswer, claim_action, newest_payload
from continuum.services.foureyes import ensure_one_may
from continuum.services.slots import attempts_of, budget_rows, find_slot, list_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Action, Slot
    from continuum.domain.events import Draft, Event
    from continuum.store.base import Store

__all__ = [
    "ActionAnswer",
    "BudgetRow",
    "Budgets",
    "Claim",
    "ClaimAnswer",
    "Holder",
    "Settlement",
    "attempts_of",
    "budget_rows",
    "claim_action",
    "compensate_action",
    "complete_action",
    "escalate_action",
    "fail_action",
    "find_slot",
    "list_actions",
    "settle_action",
]

LATE_COMPLETION = "completed by its holder after another claim had left it in doubt"


class ActionAnswer(NamedTuple):
    """How an action stands after a request; `event` is None if it stood so before."""

    key: str
    action: Action
    event: Event | None


def complete_action(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    external_id: str | None = None,
    result: dict[str, Any] | None = None,
    holder: Holder | None = None,
    members: Mapping[str, Any] | None = None,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
) -> ActionAnswer:
    """Record an effect as done, with its receipt.

    Args:
        holder: who completes. The holder of an attempt that another claim left
            in doubt while it was being performed may still say, by its key,
            that it is done; that is recorded as a settlement.
        members: extra payload members of the event.

    Raises:
        ActionNotFound: the run has no such action.
        AlreadyDecided: recorded as completed with another receipt, failed or compensated.
        OutcomeUnknown: somebody else claimed it meanwhile; settle it instead.
    """
    mark = Mark(at, source, members or {})

    def plan(slot: Slot) -> Draft:
        if holder and identifier == slot.key and _was_interrupted(store, slot, holder):
            found = Settlement(True, external_id, result, LATE_COMPLETION)
            return plan_settlement(slot, found, mark)
        return plan_completion(slot, mark, external_id=external_id, result=result)

    return _change(
        store,
        run_id,
        identifier,
        repeats=lambda slot: repeats_completion(slot, external_id=external_id, result=result),
        plan=plan,
    )


def fail_action(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    error: str,
    certain: bool = False,
    members: Mapping[str, Any] | None = None,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
) -> ActionAnswer:
    """Record a failed attempt.

    Args:
        certain: True only if the effect surely did not happen; it may then be
            claimed again. Otherwise the outcome is unknown.

    Raises:
        ActionNotFound: the run has no such action.
        AlreadyDecided: the outcome is recorded.
        OutcomeUnknown: certain, but the action is not open any more; settle it.
    """
    mark = Mark(at, source, members or {})
    return _change(
        store,
        run_id,
        identifier,
        repeats=lambda slot: repeats_failure(slot, error=error, certain=certain),
        plan=lambda slot: plan_failure(slot, mark, error=error, certain=certain),
    )


def settle_action(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    occurred: bool,
    external_id: str | None = None,
    result: dict[str, Any] | None = None,
    note: str = "",
    correction: bool = False,
    members: Mapping[str, Any] | None = None,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
    seen_sequence: int | None = None,
) -> ActionAnswer:
    """Record an action's true outcome, whoever found it out.

    Args:
        correction: True to overrule an outcome that is recorded already.
        seen_sequence: the `last_sequence` of the slot the finding is about;
            a slot that has moved on since is left alone.

    Raises:
        ActionNotFound: the run has no such action.
        AlreadyDecided: another outcome is recorded.
        DecisionChanged: the slot moved on since `seen_sequence`.
        SecondPersonNeeded: the word of one is not enough for this type; a probe's is.
    """
    found = Settlement(occurred, external_id, result, note, correction)
    mark = Mark(at, source, members or {})

    def plan(slot: Slot) -> Draft:
        _ensure_unmoved(slot, seen_sequence)
        ensure_one_may(store, slot.action, source)
        return plan_settlement(slot, found, mark)

    return _change(
        store,
        run_id,
        identifier,
        repeats=lambda slot: repeats_settlement(slot, found),
        plan=plan,
    )


def compensate_action(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    note: str = "",
    by: str = "",
    members: Mapping[str, Any] | None = None,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
) -> ActionAnswer:
    """Record a done effect as undone outside; a claim may then repeat it.

    Raises:
        ActionNotFound: the run has no such action.
        AlreadyDecided: recorded as failed, so there is nothing to undo.
        Refused: the outcome is not known yet.
        SecondPersonNeeded: the word of one is not enough for this type.
    """
    mark = Mark(at, source, members or {})

    def plan(slot: Slot) -> Draft:
        ensure_one_may(store, slot.action, source)
        return plan_compensation(slot, mark, note=note, by=by)

    return _change(
        store,
        run_id,
        identifier,
        repeats=lambda slot: slot.action.status is ActionStatus.COMPENSATED,
        plan=plan,
    )


def escalate_action(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    reason: str,
    members: Mapping[str, Any] | None = None,
    source: Origin = Origin.DETERMINISTIC,
    at: datetime,
) -> ActionAnswer:
    """Hand an open action to a person.

    Raises:
        ActionNotFound: the run has no such action.
        AlreadyDecided: the outcome is recorded.
    """
    mark = Mark(at, source, members or {})
    return _change(
        store,
        run_id,
        identifier,
        repeats=lambda slot: slot.action.status is ActionStatus.REQUIRES_REVIEW,
        plan=lambda slot: plan_escalation(slot, mark, reason=reason),
    )


def _change(
    store: Store,
    run_id: str,
    identifier: str,
    *,
    repeats: Callable[[Slot], bool],
    plan: Callable[[Slot], Draft],
) -> ActionAnswer:
    """Append what `plan` says of the slot, unless the slot says it already."""
    with store.writing(run_id) as writer:
        slot = find_slot(store, run_id, identifier)
        if repeats(slot):
            return ActionAnswer(slot.key, slot.action, None)
        event = writer.append(run_id, [plan(slot)])[0]
    return ActionAnswer(slot.key, _action_of(event), event)


def _was_interrupted(store: Store, slot: Slot, holder: Holder) -> bool:
    """Return whether another claim left `holder`'s attempt in doubt; its own word cannot."""
    if slot.action.status is not ActionStatus.UNKNOWN:
        return False
    lease = lease_of(newest_payload(store, slot))
    return lease is not None and lease.is_of(holder)


def _ensure_unmoved(slot: Slot, seen_sequence: int | None) -> None:
    if seen_sequence is not None and slot.last_sequence != seen_sequence:
        raise DecisionChanged(
            f"action {slot.action.action_id} was {slot.action.status} at event "
            f"{slot.last_sequence}, after event {seen_sequence} was looked at; look again"
        )


def _action_of(event: Event) -> Action:
    return action_from_record(event.payload["action"])
