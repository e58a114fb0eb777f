"""Ledger events: which changes of an action are legal, and what they write.

Rules (ledger.md 5.2, 17.1):

1. complete: from started; a completed action may gain what it lacked.
2. fail: from started; an unknown one may gain another error text.
3. settle: from every unresolved status; from completed and failed only as an
   explicit correction; never from compensated.
4. compensate: from completed.
5. escalate: from started and unknown.

Planners are pure: a slot in, the event to append out. What is illegal raises
and names the status and the next step. A request that says again what is
recorded already is told apart by the `repeats_…` predicates, so that callers
can answer it without writing.
"""

from __future__ import annotations

from continuum.core.canonical import stable_hash
from continuum.core.clock import body_time
from continuum.core.errors import AlreadyDecided, InvalidInput, OutcomeUnknown, Refused
from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED, ActionStatus
from continuum.domain.events import Draft, EventType, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from continuum.core.errors import ContinuumError
    from continuum.domain.actions import Action, Slot

NO_EFFECT_NOTE = "settled as not done: no effect was found outside"
"""`last_error` of an action settled as not occurred without a note."""

SETTLED = frozenset({ActionStatus.COMPLETED, ActionStatus.FAILED, ActionStatus.COMPENSATED})
"""Statuses whose outcome is known."""

REOPENABLE = frozenset({ActionStatus.FAILED, ActionStatus.COMPENSATED})
"""Statuses from which a claim opens a new attempt."""

_RESERVED = frozenset({"key", "action_id", "action_type", "status", "external_id", "action"})


class Mark(NamedTuple):
    """What a ledger event says beside the action.

    Attributes:
        at: when, aware UTC.
        source: deterministic, as the reference client writes, unless a person decided.
        members: extra payload members, such as `by`, `reason`, `via` or `caller`.
    """

    at: datetime
    source: Origin = Origin.DETERMINISTIC
    members: Mapping[str, Any] = {}


class Settlement(NamedTuple):
    """What somebody found out about an action.

    Attributes:
        external_id, result: the receipt; what is not given keeps what is recorded.
        note: goes to the record's `last_error`, the only place there is.
        correction: True to overrule an outcome that is recorded already.
    """

    occurred: bool
    external_id: str | None = None
    result: dict[str, Any] | None = None
    note: str = ""
    correction: bool = False


def plan_completion(
    slot: Slot,
    mark: Mark,
    *,
    external_id: str | None = None,
    result: dict[str, Any] | None = None,
) -> Draft:
    """Return the event that records the effect as done.

    Raises:
        AlreadyDecided: completed with another receipt, failed, or compensated.
        Refused: the outcome is unknown or under review, so it has to be settled.
    """
    action = slot.action
    ensure_receipt(external_id, result)
    if action.status is ActionStatus.COMPLETED:
        _ensure_no_contradiction(slot, external_id, result)
    elif action.status is not ActionStatus.STARTED:
        raise _not_allowed(slot, "completed")
    after = _completed(action, mark, external_id=external_id, result=result)
    return action_event(EventType.ACTION_RECORDED, slot.key, after, mark)


def repeats_completion(
    slot: Slot, *, external_id: str | None = None, result: dict[str, Any] | None = None
) -> bool:
    """Return whether the slot says all of this already."""
    action = slot.action
    return (
        action.status is ActionStatus.COMPLETED
        and (not external_id or external_id == action.external_id)
        and (result is None or result == action.result)
    )


def plan_failure(slot: Slot, mark: Mark, *, error: str, certain: bool = False) -> Draft:
    """Return the event that records a failed attempt.

    A certain failure had no effect outside and may be tried again; any other
    leaves the outcome unknown.

    Raises:
        AlreadyDecided: the outcome is recorded.
        Refused: certain, but the outcome is unknown or under review.
    """
    status = slot.action.status
    still_unknown = status is ActionStatus.UNKNOWN and not certain
    if status is not ActionStatus.STARTED and not still_unknown:
        raise _not_allowed(slot, "failed")
    after = slot.action._replace(
        status=ActionStatus.FAILED if certain else ActionStatus.UNKNOWN,
        completed_at=body_time(mark.at) if certain else None,
        side_effect_uncertain=not certain,
        last_error=error,
    )
    return action_event(EventType.ACTION_RECORDED, slot.key, after, mark)


def repeats_failure(slot: Slot, *, error: str, certain: bool = False) -> bool:
    """Return whether the slot says all of this already."""
    status = ActionStatus.FAILED if certain else ActionStatus.UNKNOWN
    return slot.action.status is status and slot.action.last_error == error


def plan_settlement(slot: Slot, settlement: Settlement, mark: Mark) -> Draft:
    """Return the event that records an action's true outcome.

    Raises:
        AlreadyDecided: the outcome is recorded and this is no correction, or
            the action is compensated.
        InvalidInput: a receipt of the wrong type, or one for what did not happen.
    """
    action = slot.action
    ensure_receipt(settlement.external_id, settlement.result)
    correctable = settlement.correction and action.status is not ActionStatus.COMPENSATED
    if action.status in SETTLED and not correctable:
        raise _already(slot)
    if settlement.occurred:
        after = _completed(
            action, mark, external_id=settlement.external_id, result=settlement.result
        )._replace(last_error=settlement.note or action.last_error)
    else:
        _ensure_no_receipt(settlement)
        after = action._replace(
            status=ActionStatus.FAILED,
            external_id=None,
            result=None,
            result_hash=None,
            side_effect_uncertain=False,
            last_error=settlement.note or NO_EFFECT_NOTE,
        )
    return action_event(EventType.ACTION_RECONCILED, slot.key, after, mark)


def repeats_settlement(slot: Slot, settlement: Settlement) -> bool:
    """Return whether the slot has this outcome already, nothing added."""
    if settlement.occurred:
        return repeats_completion(
            slot, external_id=settlement.external_id, result=settlement.result
        )
    return slot.action.status is ActionStatus.FAILED


def plan_compensation(slot: Slot, mark: Mark, *, note: str = "", by: str = "") -> Draft:
    """Return the event that records a done effect as undone.

    Args:
        by: who or what undid it; goes to the record's `compensated_by`.

    Raises:
        AlreadyDecided: failed or compensated, so there is nothing to undo.
        Refused: the outcome is not known yet.
    """
    action = slot.action
    if action.status is not ActionStatus.COMPLETED:
        raise _not_allowed(slot, "compensated")
    after = action._replace(
        status=ActionStatus.COMPENSATED,
        compensated_by=(*action.compensated_by, by) if by else action.compensated_by,
        last_error=note or action.last_error,
        side_effect_uncertain=False,
    )
    return action_event(EventType.ACTION_COMPENSATED, slot.key, after, mark)


def plan_escalation(slot: Slot, mark: Mark, *, reason: str) -> Draft:
    """Return the event that hands an open action to a person.

    Raises:
        AlreadyDecided: the outcome is recorded.
        Refused: it is under review already.
    """
    if slot.action.status not in (ActionStatus.STARTED, ActionStatus.UNKNOWN):
        raise _not_allowed(slot, "escalated")
    after = slot.action._replace(status=ActionStatus.REQUIRES_REVIEW, last_error=reason)
    return action_event(EventType.ACTION_RECORDED, slot.key, after, mark)


def plan_doubt(slot: Slot, mark: Mark) -> Draft:
    """Return the event that marks an open attempt as unknown, because it is claimed again."""
    after = slot.action._replace(status=ActionStatus.UNKNOWN, side_effect_uncertain=True)
    return action_event(EventType.ACTION_RECORDED, slot.key, after, mark)


def plan_reopening(slot: Slot, mark: Mark) -> Draft:
    """Return the event that opens a new attempt on a failed or compensated action."""
    after = slot.action._replace(status=ActionStatus.STARTED, started_at=body_time(mark.at))
    if slot.action.status is ActionStatus.COMPENSATED:
        after = after._replace(external_id=None, result=None, result_hash=None)
    return action_event(EventType.ACTION_RECORDED, slot.key, after, mark)


def action_event(type: EventType, key: str, action: Action, mark: Mark) -> Draft:
    """Return the ledger event of an action under its key (ledger.md 1.2).

    Raises:
        InvalidInput: an extra member has the name of a ledger member.
    """
    taken = _RESERVED & set(mark.members)
    if taken:
        raise InvalidInput(f"the payload member {min(taken)!r} is the ledger's own")
    payload = {
        "key": key,
        "action_id": action.action_id,
        "action_type": action.action_type,
        "status": str(action.status),
        "external_id": action.external_id,
        "action": action.record(),
        **mark.members,
    }
    return Draft(type, payload, mark.source, mark.at)


def describe(slot: Slot) -> str:
    """Return an action's name for messages: type and the start of its key."""
    return f"action {slot.action.action_type!r} ({slot.key[:12]})"


def ensure_receipt(external_id: object, result: object) -> None:
    """Refuse a receipt that a record cannot hold.

    Raises:
        InvalidInput: `external_id` is no text, or `result` no object.
    """
    if external_id is not None and not isinstance(external_id, str):
        raise InvalidInput("external_id has to be text")
    if result is not None and not isinstance(result, dict):
        raise InvalidInput("result has to be an object; wrap other values in one")


def _completed(
    action: Action, mark: Mark, *, external_id: str | None, result: dict[str, Any] | None
) -> Action:
    final = action.result if result is None else result
    return action._replace(
        status=ActionStatus.COMPLETED,
        completed_at=body_time(mark.at),
        side_effect_uncertain=False,
        external_id=external_id or action.external_id,
        result=final,
        result_hash=None if final is None else stable_hash(final),
    )


def _ensure_no_contradiction(
    slot: Slot, external_id: str | None, result: dict[str, Any] | None
) -> None:
    action = slot.action
    other_id = bool(external_id and action.external_id and external_id != action.external_id)
    other_result = bool(
        result is not None and action.result is not None and result != action.result
    )
    if other_id or other_result:
        what = f"external id {external_id!r}" if other_id else "another result"
        raise AlreadyDecided(
            f"{_already_text(slot)}, not with {what}; if that is wrong, settle it as a correction"
        )


def _ensure_no_receipt(settlement: Settlement) -> None:
    if settlement.external_id or settlement.result is not None:
        raise InvalidInput(
            "an effect that did not happen has no external id and no result; leave them out, "
            "or settle it as occurred"
        )


def _not_allowed(slot: Slot, verb: str) -> ContinuumError:
    """Return why an action in this status cannot be `verb`, and what can be done."""
    action = slot.action
    if action.status in SETTLED:
        return _already(slot)
    if action.status in UNRESOLVED and action.status is not ActionStatus.STARTED:
        return OutcomeUnknown(
            f"{describe(slot)} is {action.status}, so it cannot be {verb}; find out whether the "
            "effect happened and settle it as occurred or not",
            key=slot.key,
            action_id=action.action_id,
        )
    return Refused(
        f"{describe(slot)} is {action.status}, so it cannot be {verb}; "
        "complete it or settle its outcome first"
    )


def _already(slot: Slot) -> AlreadyDecided:
    return AlreadyDecided(f"{_already_text(slot)}; {_NEXT_STEP[slot.action.status]}")


def _already_text(slot: Slot) -> str:
    action = slot.action
    receipt = f" with external id {action.external_id!r}" if action.external_id else ""
    return f"{describe(slot)} is recorded as {action.status}{receipt}"


_NEXT_STEP = {
    ActionStatus.COMPLETED: "if that is wrong, settle it as a correction, or compensate it",
    ActionStatus.FAILED: "claim it again to retry, or settle it as a correction",
    ActionStatus.COMPENSATED: "claim it again to repeat the effect",
}
