"""Preconditions of an edit: what a stretch of the log set in motion.

Whoever replaces or drops the events behind an anchor up to a candidate has to
account for approvals given there, for results that later events rely on, and
for effects whose outcome is unknown (recovery.md 14).
"""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.actions import PROBED, ActionStatus
from continuum.domain.events import ACTION_EVENTS, EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from continuum.domain.events import Event


class Preconditions(NamedTuple):
    """What has to be accounted for; rows in order of first appearance.

    Attributes:
        unsettled_authorizations: rows `approval_id, subject, sequence`.
        depended_results: rows `key, action_id, action_type, sequence`.
        uncertain_slots: rows `key, action_id, action_type, status, sequence`.
    """

    unsettled_authorizations: tuple[dict[str, Any], ...]
    depended_results: tuple[dict[str, Any], ...]
    uncertain_slots: tuple[dict[str, Any], ...]


def find_preconditions(events: Iterable[Event], *, anchor: int, candidate: int) -> Preconditions:
    """Return what the events behind `anchor` up to `candidate` left to account for.

    Args:
        events: the whole log, archive included, by ascending sequence.

    Raises:
        InvalidInput: the anchor lies behind the candidate.
    """
    if anchor > candidate:
        raise InvalidInput(f"anchor {anchor} lies behind candidate {candidate}")
    seen = [event for event in events if event.sequence <= candidate]
    slots = _slot_events(seen)
    return Preconditions(
        tuple(_authorizations(seen, anchor)),
        tuple(_depended(seen, slots, anchor)),
        tuple(_uncertain(slots, anchor)),
    )


def _authorizations(seen: list[Event], anchor: int) -> Iterator[dict[str, Any]]:
    subjects: dict[str, str] = {}
    granted: dict[str, dict[str, Any]] = {}
    for event in seen:
        approval_id = str(event.payload.get("approval_id"))
        if event.type is EventType.APPROVAL_REQUESTED:
            subjects[approval_id] = str(event.payload.get("subject") or "")
        elif event.type is EventType.APPROVAL_GRANTED:
            subject = event.payload.get("subject") or subjects.get(approval_id, "")
            row = {"approval_id": approval_id, "subject": subject, "sequence": event.sequence}
            granted[approval_id] = row
        elif event.type is EventType.APPROVAL_REVOKED:
            granted.pop(approval_id, None)
    return (row for row in granted.values() if row["sequence"] > anchor)


def _slot_events(seen: list[Event]) -> dict[str, list[Event]]:
    slots: dict[str, list[Event]] = {}
    for event in seen:
        key = event.payload.get("key")
        if event.type in ACTION_EVENTS and isinstance(key, str) and key:
            slots.setdefault(key, []).append(event)
    return slots


def _depended(
    seen: list[Event], slots: dict[str, list[Event]], anchor: int
) -> Iterator[dict[str, Any]]:
    for key, events in slots.items():
        completions = [one for one in events if one.payload.get("status") == ActionStatus.COMPLETED]
        if not completions or completions[-1].sequence <= anchor:
            continue
        completion = completions[-1]
        names = {key, completion.payload.get("action_id")}
        own = {event.sequence for event in events}
        foreign = (one for one in seen if one.sequence not in own)
        later = (one for one in foreign if one.sequence > completion.sequence)
        if any(not names.isdisjoint(_texts(one.payload)) for one in later):
            yield _row(key, completion)


def _uncertain(slots: dict[str, list[Event]], anchor: int) -> Iterator[dict[str, Any]]:
    for key, events in slots.items():
        status = events[-1].payload.get("status")
        if events[0].sequence > anchor and status in PROBED:
            yield {**_row(key, events[0]), "status": status}


def _row(key: str, event: Event) -> dict[str, Any]:
    return {
        "key": key,
        "action_id": event.payload.get("action_id"),
        "action_type": event.payload.get("action_type"),
        "sequence": event.sequence,
    }


def _texts(value: Any) -> Iterator[str]:
    """Yield every text value inside `value`; member names are no values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
