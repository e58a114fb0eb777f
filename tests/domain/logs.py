"""Logs built in memory, sealed like real ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from continuum.domain.events import (
    NO_HEAD,
    Draft,
    Event,
    EventRow,
    EventType,
    Head,
    Origin,
    event_from_row,
    seal,
)
from continuum.domain.projection import project

if TYPE_CHECKING:
    from continuum.domain.state import SemanticState

RUN = "run-1"
NOON = datetime(2026, 3, 1, 12, 0, 0, 250000, tzinfo=UTC)

Entry = tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]

START: Entry = ("RUN_STARTED", {"goal": "Process invoices"}, "human")


def make_rows(*entries: Entry, run_id: str = RUN, head: Head = NO_HEAD) -> list[EventRow]:
    """Return sealed rows of (type, payload[, source]), one second apart.

    Payload columns have the blanks that the reference client writes.
    """
    rows = []
    for number, (kind, payload, *source) in enumerate(entries, head.sequence + 1):
        draft = Draft(
            EventType(kind),
            payload,
            Origin(source[0] if source else "deterministic"),
            NOON + timedelta(seconds=number),
            event_id=f"event_{number:032x}",
        )
        row = seal(draft, run_id=run_id, head=head)
        head = Head(row.sequence, row.hash)
        rows.append(row._replace(payload=json.dumps(payload, sort_keys=True)))
    return rows


def make_events(*entries: Entry, run_id: str = RUN) -> list[Event]:
    """Return the events of `make_rows`."""
    return [event_from_row(row) for row in make_rows(*entries, run_id=run_id)]


def fold_entries(*entries: Entry) -> SemanticState:
    """Return the state of a started run with `entries`."""
    return project(RUN, make_events(START, *entries))
