"""What an audit reads and writes beside the log: touched rows, verifications, imports."""

from __future__ import annotations

from continuum.core.errors import Corrupted, StaleHead
from continuum.domain.events import (
    ACTION_EVENTS,
    KNOWN_TYPES,
    UNREADABLE,
    Draft,
    EventRow,
    Head,
    event_from_row,
    exact_digest,
)
from continuum.domain.runs import RunRow
from continuum.store.auditport import ChainRow, HumanRow, TouchedRow, VerificationRow
from continuum.store.base import MAX_PAGE
from continuum.store.modelport import HeadMark
from continuum.store.slots import VOID, LedgerPlace, LedgerReads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from continuum.store.auditport import HumanQuery
    from continuum.store.database import Database, Row
    from continuum.store.modelport import RunCursor


ENDED = ("verified", "broken", "failed")
"""Outcomes that a schedule takes for a verification."""


class AuditTableReads(LedgerReads):
    """Touched rows, kept verifications, and the acts of people."""

    _database: Database
    has_audit: bool
    has_read_model: bool

    def lost_hashes(self, run_id: str, *, limit: int) -> list[TouchedRow]:
        """Return touched events whose first hash is not in its place any more, ascending."""
        return self._touched("verifications.lost_hashes", run_id, limit)

    def touched(self, run_id: str, *, limit: int) -> list[TouchedRow]:
        """Return touched events, healed or not, ascending."""
        return self._touched("verifications.touched", run_id, limit)

    def first_lost(self, run_ids: Sequence[str]) -> dict[str, TouchedRow]:
        """Return the first of `lost_hashes` of each run that has one; one statement."""
        if not (self.has_audit and run_ids):
            return {}
        wanted = self._database.values(run_ids)
        rows = self._database.all("verifications.first_lost", run_ids=wanted)
        return {row[0]: TouchedRow._make(row[1:]) for row in rows}

    def touched_rows(self, run_ids: Sequence[str], *, limit: int) -> list[tuple[str, EventRow]]:
        """Return touched events as they are now, and when they were touched; one statement.

        The first of every run stand before the second ones, and so on.
        """
        if not (self.has_audit and run_ids):
            return []
        wanted = self._database.values(run_ids)
        rows = self._database.all("verifications.touched_rows", run_ids=wanted, limit=limit)
        return [(row[1], EventRow._make(row[2:])) for row in rows]

    def run_ids(self, *, after: str = "", limit: int = 1000) -> list[str]:
        """Return ids of runs from behind `after`, ascending by code point."""
        rows = self._database.all("verifications.run_ids", after=after, limit=limit)
        return [row[0] for row in rows]

    def runs_without_row(self, *, limit: int = MAX_PAGE) -> list[str]:
        """Return ids of runs that once had events and have no row. Reads the whole log."""
        name = "runs_without_row" if self.has_audit else "runs_without_row_or_audit"
        return [row[0] for row in self._database.all(f"verifications.{name}", limit=limit)]

    def newest_verification(self, run_id: str | None) -> VerificationRow | None:
        """Return the last one that walked `run_id`, or the whole store for None."""
        if not self.has_audit:
            return None
        if run_id is None:
            row = self._database.one("verifications.newest_of_store")
        else:
            row = self._database.one("verifications.newest", run_id=run_id)
        return VerificationRow._make(row) if row else None

    def verifications(
        self, run_id: str | None = None, *, before: int | None = None, limit: int = 50
    ) -> list[VerificationRow]:
        """Return kept rows newest first, of one run or of all."""
        if not self.has_audit:
            return []
        rows = self._database.all(
            "verifications.page",
            run_id=run_id,
            before=before,
            limit=min(limit, MAX_PAGE),
        )
        return [VerificationRow._make(row) for row in rows]

    def open_verification(
        self, run_id: str | None, *, kinds: Sequence[str] = ("run", "store")
    ) -> VerificationRow | None:
        """Return the one of a run, or of the whole store, that has not ended."""
        if not self.has_audit:
            return None
        wanted = self._database.values(kinds)
        row = self._database.one("verifications.open", run_id=run_id, kinds=wanted)
        return VerificationRow._make(row) if row else None

    def longest_unchecked(self, *, until: str, now: str, limit: int) -> list[str]:
        """Return runs not verified since the column time `until`, longest first."""
        if not self.has_audit:
            return []
        rows = self._database.all(
            "verifications.longest_unchecked", until=until, now=now, limit=limit
        )
        return [row[0] for row in rows]

    def unmarked_runs(self, *, after: str, limit: int) -> tuple[list[str], str]:
        """Return runs that triggers know nothing of, among the next `limit`, and where to go on."""
        if not self.has_audit:
            return [], ""
        rows = self._database.all("verifications.unmarked", after=after, limit=limit)
        place = rows[-1][0] if len(rows) == limit else ""
        return [row[0] for row in rows if row[1] is None], place

    def chain_rows(self, *, before: RunCursor | None = None, limit: int) -> list[ChainRow]:
        """Return a page of all runs, newest first; empty without the tables."""
        if not self.has_audit:
            return []
        rows = self._database.all(
            "verifications.chains",
            created_at=before.created_at if before else None,
            before_run_id=before.run_id if before else None,
            run_ids=None,
            limit=limit,
        )
        return [_chain_row(row) for row in rows]

    def chain_rows_of(self, run_ids: Sequence[str]) -> list[ChainRow]:
        """Return the same of some runs, in no order."""
        if not (self.has_audit and run_ids):
            return []
        rows = self._database.all(
            "verifications.chains",
            created_at=None,
            before_run_id=None,
            run_ids=self._database.values(run_ids),
            limit=len(run_ids),
        )
        return [_chain_row(row) for row in rows]

    def troubled_runs(self, *, after: str = "", limit: int) -> list[str]:
        """Return runs whose chain may be broken, ascending by id."""
        if not self.has_audit:
            return []
        rows = self._database.all("verifications.troubled", after=after or None, limit=limit)
        return [row[0] for row in rows]

    def ledger_drift(self, run_id: str) -> int:
        """Return how many rows of a run's ledger differ from a fold of its whole log."""
        if not self.has_read_model:
            return 0
        place = self._ledger_place(run_id)
        if place.lags:
            shown = self._folded_rows(run_id, place)
        else:
            shown = self._ledger_rows("slots.of_run", run_id=run_id, statuses=None)
        expected = {row.key: row for row in self._folded_rows(run_id, LedgerPlace(VOID, 0))}
        found = {row.key: row for row in shown}
        differing = sum(1 for key in expected.keys() & found if expected[key] != found[key])
        return differing + len(expected.keys() ^ found.keys())

    def summary_is_current(self, run_id: str) -> bool:
        """Return whether the list row of a run claims to be as new as its log."""
        if not self.has_read_model:
            return False
        row = self._database.one("verifications.is_stale", run_id=run_id)
        return row is not None and row[0] is None

    def human_rows(self, query: HumanQuery) -> list[HumanRow]:
        """Return events of people and settlements, newest first, archive included."""
        moment, place_run, place = query.before or (None, None, None)
        rows = self._database.all(
            "verifications.human",
            moment=moment,
            place_run=place_run,
            place=place,
            run_id=query.run_id,
            types=self._database.values(query.types),
            since=query.since,
            until=query.until,
            limit=min(query.limit, MAX_PAGE),
        )
        return [HumanRow(EventRow._make(row[:10]), bool(row[10])) for row in rows]

    def _touched(self, name: str, run_id: str, limit: int) -> list[TouchedRow]:
        if not self.has_audit:
            return []
        rows = self._database.all(name, run_id=run_id, limit=limit)
        return [TouchedRow._make(row) for row in rows]


class AuditTableWrites:
    """Kept verifications, repairs, and events that were sealed elsewhere."""

    _database: Database

    def insert_sealed(self, run_id: str, rows: Sequence[EventRow]) -> None:
        """Insert finished events behind the head, verbatim; index and ledger follow."""
        head = self._live_head(run_id)
        if rows and rows[0].sequence != head.sequence + 1:
            raise StaleHead(run_id, rows[0].sequence - 1)
        for row in rows:
            ensure_follows(row, run_id, head)
            head = Head(row.sequence, row.hash)
        if any(KNOWN_TYPES[row.type] in ACTION_EVENTS for row in rows):
            self._insert_with_ledger(run_id, rows, [_draft(row) for row in rows])
        elif rows:
            self._database.insert_events(rows)

    def misplaced_keys(self) -> list[str]:
        """Return ledger keys of several runs whose newest record is not the index's."""
        newest: dict[str, tuple[str, str]] = {}
        indexed: dict[str, str] = {}
        for key, run_id, timestamp, holder in self._database.all("verifications.shared_keys"):
            newest[key] = max(newest.get(key, ("", "")), (timestamp, run_id))
            indexed[key] = holder
        return [key for key, (_, run_id) in newest.items() if indexed[key] != run_id]

    def set_parent(self, run_id: str, parent_run_id: str) -> None:
        """Link an imported run to its parent."""
        link = {"run_id": run_id, "parent_run_id": parent_run_id}
        self._database.run("verifications.set_parent", link)

    def save_verification(self, row: VerificationRow) -> None:
        """Keep what a verification found; of one that ended, its run remembers when."""
        self._database.run("verifications.save", row._asdict())
        if row.kind == "run" and row.outcome in ENDED:
            place = {"run_id": row.run_id, "finished_at": row.finished_at}
            self._database.run("verifications.note_checked", place)

    def drop_open_verification(self, verification_id: str, *, stopping: bool) -> bool:
        """Drop one that has not ended; False where there is none."""
        place = {"verification_id": verification_id, "stopping": stopping or None}
        return bool(self._database.run("verifications.drop_open", place))

    def drop_verified(self, run_id: str, detail: str) -> None:
        """Drop healthy results of a run that carry `detail`; a newer one follows."""
        self._database.run("verifications.drop_verified", {"run_id": run_id, "detail": detail})

    def void_verified(self, run_id: str) -> None:
        """Drop the verified mark of a run whose chain was found broken."""
        self._database.run("verifications.void_verified", {"run_id": run_id})

    def void_ledger(self, run_id: str) -> None:
        """Have the ledger's rows of a run made anew from its log."""
        self._database.run("verifications.void_ledger", {"run_id": run_id})
        self.catch_up_ledger(run_id)

    def void_summary(self, run_id: str) -> None:
        """Drop the list row of a run, to be judged anew from its first event."""
        self._database.run("verifications.void_summary", {"run_id": run_id})
        self._database.run("heads.mark_stale", {"run_id": run_id})

    if TYPE_CHECKING:

        def _live_head(self, run_id: str) -> Head: ...
        def catch_up_ledger(self, run_id: str) -> None: ...
        def _insert_with_ledger(
            self, run_id: str, rows: Sequence[EventRow], drafts: Sequence[Draft]
        ) -> None: ...


def _chain_row(row: Row) -> ChainRow:
    run, mark, result, live = row[:7], row[7:15], row[15:34], row[34:36]
    return ChainRow(
        RunRow._make(run),
        HeadMark(run[0], *mark) if mark[0] is not None else None,
        VerificationRow._make(result) if result[0] is not None else None,
        Head(live[0] or 0, live[1]),
        row[36] or 0,
        bool(row[37]),
    )


def _draft(row: EventRow) -> Draft:
    event = event_from_row(row)
    return Draft(event.type, event.payload, event.source, event.at, event_id=event.event_id)


def ensure_follows(row: EventRow, run_id: str, head: Head) -> None:
    """Refuse a finished event that is not the next link of a chain.

    Raises:
        Corrupted: it is of another run, out of place, not linked, unreadable,
            or its hash is not that of its content.
    """
    where = f"event {row.sequence} of run {row.run_id!r}"
    if row.run_id != run_id:
        raise Corrupted(f"{where} stands among the events of run {run_id!r}")
    if row.sequence != head.sequence + 1:
        raise Corrupted(f"{where} follows event {head.sequence}")
    if row.prev_hash != head.hash:
        raise Corrupted(f"{where} is not linked to the event before it")
    try:
        digest = exact_digest(row)
    except UNREADABLE as exc:
        raise Corrupted(f"{where} is unreadable: {exc}") from exc
    if digest != row.hash:
        raise Corrupted(f"{where} does not hash to the value it carries")
