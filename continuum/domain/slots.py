"""The ledger of one run: its actions, folded from the log by key."""

from __future__ import annotations

from continuum.core.errors import UnreadableRecord
from continuum.domain.actions import Slot, action_from_record
from continuum.domain.conversions import shown
from continuum.domain.events import ACTION_EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.domain.events import Event


def fold_slots(events: Iterable[Event]) -> dict[str, Slot]:
    """Return the newest action under every key, in order of first appearance.

    Events of other types, and those without a key, are skipped.

    Raises:
        UnreadableRecord: an action record is malformed; the text names the event.
    """
    slots: dict[str, Slot] = {}
    for event in events:
        key = event.payload.get("key")
        if event.type in ACTION_EVENTS and isinstance(key, str) and key:
            slots[key] = _slot(key, event, slots.get(key))
    return slots


def _slot(key: str, event: Event, known: Slot | None) -> Slot:
    record = event.payload.get("action")
    if not isinstance(record, dict):
        raise UnreadableRecord(
            f"event {event.sequence} of run {event.run_id!r} carries no action record "
            f"but {shown(record)}"
        )
    try:
        action = action_from_record(record)
    except UnreadableRecord as exc:
        raise UnreadableRecord(f"event {event.sequence} of run {event.run_id!r}: {exc}") from exc
    first = known.first_sequence if known else event.sequence
    return Slot(key, action, first, event.sequence)
