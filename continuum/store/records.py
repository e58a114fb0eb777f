"""Reading runs and their logs: the part of the store that both back ends share."""

from __future__ import annotations

import json
from functools import partial

from continuum.core.errors import RunNotFound, UnreadableRecord
from continuum.domain.events import NO_HEAD, EventRow, Head, event_from_row
from continuum.domain.runs import Run, RunRow, RunStatus
from continuum.store.base import MAX_PAGE, PagedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from continuum.domain.events import Event, EventType, Origin
    from continuum.store.database import Database, Row
    from continuum.store.modelport import RunCursor


# A statement names its ten columns, so a row becomes an `EventRow` without being looked at.
_ROW = partial(tuple.__new__, EventRow)


class RecordReads:
    """Runs and events."""

    _database: Database

    # -- runs

    def run(self, run_id: str) -> Run:
        """Return the row; raise `RunNotFound`, or `UnreadableRecord` for an unknown status."""
        found = self.find_run(run_id)
        if found is None:
            raise RunNotFound(run_id)
        return found

    def run_row(self, run_id: str) -> RunRow:
        """Return the columns as they are; raise `RunNotFound`."""
        row = self._database.one("runs.by_id", run_id=run_id)
        if row is None:
            raise RunNotFound(run_id)
        return RunRow._make(row)

    def find_run(self, run_id: str) -> Run | None:
        """Return the row, or None."""
        row = self._database.one("runs.by_id", run_id=run_id)
        return run_from_row(row) if row else None

    def runs(self, *, limit: int, before: RunCursor | None = None) -> list[Run]:
        """Return rows newest first: by `created_at`, then run id, descending."""
        rows = self._database.all(
            "runs.page",
            limit=limit,
            created_at=before.created_at if before else None,
            before_run_id=before.run_id if before else None,
        )
        return [run_from_row(row) for row in rows]

    def active_run(self) -> Run | None:
        """Return the open run with the greatest `updated_at`, ties by greatest id."""
        row = self._database.one("runs.active")
        return run_from_row(row) if row else None

    def children(self, run_id: str) -> list[Run]:
        """Return direct children, newest first."""
        return [run_from_row(row) for row in self._database.all("runs.children", run_id=run_id)]

    # -- events

    def head(self, run_id: str) -> Head:
        """Return the newest live event's place; `NO_HEAD` without events."""
        row = self._database.one("events.head", run_id=run_id)
        return Head._make(row) if row else NO_HEAD

    def events(
        self,
        run_id: str,
        *,
        after: int = 0,
        upto: int | None = None,
        types: Iterable[EventType] | None = None,
        archived: bool = True,
    ) -> Iterator[Event]:
        """Yield `after` < sequence ≤ `upto`, ascending, streamed; archive and live together."""
        rows = self._database.stream(
            "events.rows" if archived else "events.live_rows",
            run_id=run_id,
            after=after,
            upto=upto,
            types=self._database.values(types),
        )
        for row in rows:
            yield event_from_row(EventRow._make(row))

    def event_rows(
        self, run_id: str, *, archived: bool, after: int = 0, upto: int | None = None
    ) -> Iterator[EventRow]:
        """Yield raw rows of one of the two tables, ascending, streamed, nothing interpreted."""
        name = "events.archived" if archived else "events.live"
        return map(_ROW, self._database.stream(name, run_id=run_id, after=after, upto=upto))

    def event_page(
        self,
        run_id: str,
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int = 50,
        types: Iterable[EventType] | None = None,
        origins: Iterable[Origin] | None = None,
        sparse: bool = True,
    ) -> list[PagedEvent]:
        """Return the newest rows below `before`, newest first, archive included."""
        rows = self._database.all(
            "events.page",
            run_id=run_id,
            before=before,
            after=after,
            limit=min(limit, MAX_PAGE),
            types=self._database.values(types),
            sparse=True if types is not None and sparse else None,
            origins=self._database.values(origins),
        )
        return [_paged_event(row) for row in rows]

    def event_row(self, run_id: str, sequence: int) -> PagedEvent | None:
        """Return the row at a place, readable or not, or None."""
        row = self._database.one("events.one", run_id=run_id, sequence=sequence)
        return _paged_event(row) if row else None


def run_from_row(row: Row) -> Run:
    """Return the run a row holds.

    Raises:
        UnreadableRecord: an unknown status, or metadata that is no object.
    """
    run_id, goal, status, created_at, updated_at, metadata, parent_run_id = row
    try:
        known = RunStatus(status)
    except ValueError as exc:
        raise UnreadableRecord(f"run {run_id!r} has the unknown status {status!r}") from exc
    members = _metadata(run_id, metadata)
    return Run(run_id, goal, known, created_at, updated_at, members, parent_run_id)


def _metadata(run_id: str, text: str) -> dict[str, Any]:
    try:
        members = json.loads(text) if text != "{}" else {}
    except (TypeError, ValueError) as exc:
        raise UnreadableRecord(f"run {run_id!r} has metadata that is no JSON: {exc}") from exc
    if not isinstance(members, dict):
        raise UnreadableRecord(f"run {run_id!r} has metadata that is no JSON object")
    return members


def _paged_event(columns: Row) -> PagedEvent:
    row = EventRow._make(columns[:10])
    try:
        event = event_from_row(row)
    except UnreadableRecord:
        event = None
    return PagedEvent(row, event, bool(columns[10]))
