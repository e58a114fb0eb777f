"""Writing inside one transaction: events with everything that is kept beside them."""

from __future__ import annotations

import json

from continuum.core.clock import column_time, parse_time
from continuum.core.errors import (
    AlreadyDecided,
    Conflict,
    Corrupted,
    NotFound,
    RunExists,
    RunNotFound,
    StaleHead,
)
from continuum.core.ids import new_ids
from continuum.domain.checkpoints import checkpoint_body, version_state_text
from continuum.domain.events import (
    ACTION_EVENTS,
    NO_HEAD,
    Event,
    EventRow,
    Head,
    event_from_row,
    seal,
)
from continuum.store.indexing import index_row, rebuild_index
from continuum.store.lateparts import LateWrites
from continuum.store.modelport import DecisionRow
from continuum.store.slots import VOID, listed_members, row_of_payload
from continuum.store.verifications import AuditTableWrites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.checkpoints import Checkpoint, StateVersion
    from continuum.domain.events import Draft
    from continuum.domain.runs import Run, RunStatus
    from continuum.store.database import Database
    from continuum.store.modelport import Item, Summary

_PLAIN = frozenset((str, int, float, bool, type(None)))

ELSEWHERE = "elsewhere"
"""How an item left when no decision of this product explains it."""


class SqlWriter(AuditTableWrites, LateWrites):
    """What may be done inside one write transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- runs

    def insert_run(self, run: Run) -> None:
        """Insert the row; raise `RunExists`."""
        if self._database.one("runs.exists", run_id=run.run_id) is not None:
            raise RunExists(run.run_id)
        if run.parent_run_id is not None and not self._run_exists(run.parent_run_id):
            raise RunNotFound(run.parent_run_id)
        metadata = json.dumps(run.metadata, sort_keys=True, allow_nan=False)
        self._database.run("runs.insert", {**run._asdict(), "metadata": metadata})

    def set_run_status(self, run_id: str, status: RunStatus, at: datetime) -> None:
        """Change `status` and `updated_at` only."""
        row = {"run_id": run_id, "status": str(status), "updated_at": column_time(at)}
        if not self._database.run("runs.set_status", row):
            raise RunNotFound(run_id)

    # -- events

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Seal and insert `drafts` behind the head; update index, ledger and head mark."""
        head = self._live_head(run_id)
        if expected is not None and head.sequence != expected:
            raise StaleHead(run_id, expected)
        rows = sealed_rows(drafts, run_id=run_id, head=head)
        if any(draft.type in ACTION_EVENTS for draft in drafts):
            self._insert_with_ledger(run_id, rows, drafts)
        else:
            self._database.insert_events(rows)
        return events_of(rows, drafts)

    def hold_key(self, key: str) -> None:
        """Keep every other transaction that asks for the same ledger key waiting."""
        if self._database.backend != "sqlite":  # there, one writer excludes all others
            self._database.one("slots.hold_key", key=key)

    def archive(self, run_id: str, through: int) -> int:
        """Move live rows up to `through` to the archive unchanged; return how many."""
        place = {"run_id": run_id, "through": through}
        moved = self._database.run("events.copy_to_archive", place)
        if moved and self._database.backend == "sqlite":
            # The other client numbers archived rows of the index from -1 downwards.
            self._database.run("index.lower_archived", {"moved": moved})
            self._database.run("index.move_to_archive", {**place, "moved": moved})
        self._database.run("events.delete_archived", place)
        return moved

    def rebuild_index(self) -> int:
        """Rewrite `action_index` from the log; return how many rows it has."""
        return rebuild_index(self._database)

    # -- states

    def insert_version(self, version: StateVersion) -> None:
        """Insert a state version."""
        row = {**version._asdict(), "state": version_state_text(version.state)}
        self._database.run("states.insert_version", row)

    def insert_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Insert a sealed checkpoint; raise `Conflict` when its id is taken."""
        if self._database.one("states.checkpoint_body", checkpoint_id=checkpoint.checkpoint_id):
            raise Conflict(f"checkpoint {checkpoint.checkpoint_id!r} exists already")
        row = {
            **checkpoint._asdict(),
            "created_at": column_time(parse_time(checkpoint.created_at)),
            "body": checkpoint_body(checkpoint),
        }
        self._database.run("states.insert_checkpoint", row)

    # -- read model

    def save_verified(self, run_id: str, head: Head, at: datetime) -> None:
        """Record that the chain was walked and healthy up to `head`; clears `touched`."""
        self._database.run("summaries.drop_snapshot", {"run_id": run_id})
        row = {"run_id": run_id, **head._asdict(), "at": column_time(at)}
        self._database.run("heads.save_verified", row)

    def save_summary(self, summary: Summary, *, revision: int | None = None) -> None:
        """Store the row and clear the run's stale mark, if nothing came between."""
        self._database.run("summaries.save", {**summary._asdict(), "safe": int(summary.safe)})
        place = {"run_id": summary.run_id, "sequence": summary.sequence, "revision": revision}
        self._database.run("heads.note_summary", place)
        self._database.run("search.want", place)

    def mark_stale(self, run_id: str) -> None:
        """Have the run judged again, for a reason outside its own log."""
        self._database.run("heads.mark_stale", {"run_id": run_id})

    def save_items(self, run_id: str, items: Sequence[Item], *, at: datetime) -> None:
        """Make `items` the open ones of the run; others leave as closed at `at`."""
        staying = {item.item_id for item in items}
        for item_id, opened in self._database.all("items.open_ids", run_id=run_id):
            if item_id not in staying:
                self._close_item(run_id, item_id, opened, at)
        for item in items:
            self._database.run("items.save", item._asdict())

    def claim_item(self, item_id: str, person: str | None, at: datetime) -> None:
        """Claim for `person`, or release with None; raise `NotFound` for one not open."""
        row = {
            "item_id": item_id,
            "person": person,
            "claimed_at": column_time(at) if person else None,
        }
        if not self._database.run("items.claim", row):
            raise NotFound(f"inbox item {item_id!r} is not open; reload the list")

    def save_decision(self, row: DecisionRow) -> None:
        """Keep what a person decided; raise `AlreadyDecided` for a request id seen before."""
        if self._database.one("decisions.one", request_id=row.request_id) is not None:
            raise AlreadyDecided(f"request {row.request_id!r} was carried out before")
        self._database.run("decisions.insert", row._asdict())

    # -- parts

    def _run_exists(self, run_id: str) -> bool:
        return self._database.one("runs.exists", run_id=run_id) is not None

    def _live_head(self, run_id: str) -> Head:
        row = self._database.one("events.head", run_id=run_id)
        if row is not None:
            return Head._make(row)
        if not self._run_exists(run_id):
            raise RunNotFound(run_id)
        ensure_no_archive(self._database, run_id)
        return NO_HEAD

    def _insert_with_ledger(
        self, run_id: str, rows: Sequence[EventRow], drafts: Sequence[Draft]
    ) -> None:
        self.catch_up_ledger(run_id)
        for row, draft in zip(rows, drafts, strict=True):
            order = self._database.insert_event(row)
            if draft.type in ACTION_EVENTS:
                self._index_action(row, draft.payload, order)
        self._set_ledger_place(run_id, rows[-1].sequence)

    def _index_action(self, row: EventRow, payload: Mapping[str, Any], order: int) -> None:
        indexed = index_row(payload, order)
        if indexed is not None:
            self._database.run("index.upsert", indexed._asdict())
        self._save_ledger_row(row, payload)

    def catch_up_ledger(self, run_id: str) -> None:
        """Bring the rows of the run's actions up to its log, whoever wrote there.

        Raises:
            UnreadableRecord: a ledger event cannot be read.
        """
        place = self._database.one("slots.place", run_id=run_id)
        if place is None:
            raise Corrupted(
                f"run {run_id!r} has no head mark; drop the table cx_heads and open the store again"
            )
        ledger_sequence, action_sequence = place
        if ledger_sequence >= action_sequence:
            return
        if ledger_sequence == VOID:
            self._database.run("slots.clear", {"run_id": run_id})
        after = max(ledger_sequence, 0)
        for columns in self._database.all("events.actions", run_id=run_id, after=after):
            row = EventRow._make(columns)
            self._save_ledger_row(row, event_from_row(row).payload)
        self._set_ledger_place(run_id, action_sequence)

    def _save_ledger_row(self, event: EventRow, payload: Mapping[str, Any]) -> None:
        row = row_of_payload(event.run_id, event.sequence, payload)
        if row is not None:
            listed = listed_members(row, event.timestamp, payload)
            self._database.run("slots.upsert", {**row._asdict(), **listed})

    def _set_ledger_place(self, run_id: str, sequence: int) -> None:
        self._database.run("slots.set_place", {"run_id": run_id, "sequence": sequence})

    def _close_item(self, run_id: str, item_id: str, opened: int, at: datetime) -> None:
        row = self._database.one("decisions.newest", run_id=run_id, after=opened)
        decision = DecisionRow._make(row) if row else None
        self._database.run(
            "items.close",
            {
                "item_id": item_id,
                "closed_at": column_time(at),
                "closed_by": decision.person if decision else None,
                "closed_via": decision.via if decision else ELSEWHERE,
                "closed_sequence": decision.sequence if decision else None,
            },
        )


def sealed_rows(drafts: Sequence[Draft], *, run_id: str, head: Head) -> list[EventRow]:
    """Return `drafts` as rows that follow `head`, each linked to the one before."""
    rows = []
    for draft, fresh_id in zip(drafts, new_ids("event", len(drafts)), strict=True):
        row = seal(draft, run_id=run_id, head=head, fresh_id=fresh_id)
        head = Head(row.sequence, row.hash)
        rows.append(row)
    return rows


def events_of(rows: Sequence[EventRow], drafts: Sequence[Draft]) -> list[Event]:
    """Return the events that reading `rows` back would give."""
    return [
        Event(
            row.run_id,
            row.sequence,
            row.event_id,
            draft.type,
            row.timestamp,
            _read_back(draft.payload, row.payload),
            row.causer_event_id,
            draft.source,
            row.prev_hash,
            row.hash,
        )
        for row, draft in zip(rows, drafts, strict=True)
    ]


def _read_back(payload: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return what reading `text` gives; a payload of plain members is that already."""
    if _PLAIN.issuperset(map(type, payload.values())):
        return dict(payload)
    members: dict[str, Any] = json.loads(text)
    return members


def ensure_no_archive(database: Database, run_id: str) -> None:
    """Refuse to start a second chain where only the archive of the first is left."""
    if database.one("events.archived_head", run_id=run_id) is not None:
        raise Corrupted(
            f"run {run_id!r} has archived events but no live one; the end of its log is missing, "
            "so nothing can be appended. `continuum verify` shows the extent"
        )
