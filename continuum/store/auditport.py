"""The part of the store port that an audit needs; see `store.base` for its rules."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from continuum.domain.events import EventRow, Head
    from continuum.domain.runs import RunRow
    from continuum.store.modelport import HeadMark, RunCursor


class TouchedRow(NamedTuple):
    """An event that was changed, deleted or replaced: the first hash it had, and when."""

    sequence: int
    hash: str
    at: str


class VerificationRow(NamedTuple):
    """What a verification found.

    Attributes:
        run_id: None for the whole store.
        kind: `run`, `store`, `index` for a repair of what is computed from the log, or
            `attestation`.
        outcome: `verified`, `broken`, `cancelled`, `failed`, `repaired`, `signed`;
            `running` or `stopping` while it goes on, see `services.verifyjobs`.
        head_sequence, head_hash: how far the chain was walked.
        row_digest: digest of the run's row as it was.
        events, runs, broken_runs: how much was looked at.
        bad_run_id, bad_sequence, bad_kind: the first that is wrong.
        number: the order they were kept in, given by the store.
    """

    verification_id: str
    run_id: str | None
    kind: str
    outcome: str
    head_sequence: int
    head_hash: str | None
    row_digest: str | None
    events: int
    runs: int
    broken_runs: int
    bad_run_id: str | None
    bad_sequence: int | None
    bad_kind: str | None
    detail: str
    by_name: str
    via: str
    started_at: str
    finished_at: str
    number: int = 0


class ChainRow(NamedTuple):
    """What a few look-ups tell about the chain of a run; see `services.chainlists`.

    Attributes:
        mark: what triggers keep; None for a run they know nothing about.
        result: the newest verification that walked it.
        live: the newest live event.
        archived: the newest archived one; 0 for none.
        was_touched: an event of it was changed, deleted or replaced once.
    """

    run: RunRow
    mark: HeadMark | None
    result: VerificationRow | None
    live: Head
    archived: int
    was_touched: bool


class HumanQuery(NamedTuple):
    """Filters of the events that people cause; `None` does not filter.

    Attributes:
        before: (timestamp, run id, sequence) of the last row seen.
        since, until: column times; `until` is not included.
    """

    before: tuple[str, str, int] | None = None
    run_id: str | None = None
    types: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 200


class HumanRow(NamedTuple):
    """A raw event that a person may have caused."""

    row: EventRow
    archived: bool


class AuditReads(Protocol):
    """What was kept about changes of the log, and about verifications."""

    has_audit: bool
    """False for a store without these tables; everything but run ids is empty then."""

    def lost_hashes(self, run_id: str, *, limit: int) -> list[TouchedRow]:
        """Return touched events whose first hash is not in its place any more, ascending."""

    def touched(self, run_id: str, *, limit: int) -> list[TouchedRow]:
        """Return touched events, healed or not, ascending."""

    def first_lost(self, run_ids: Sequence[str]) -> dict[str, TouchedRow]:
        """Return the first of `lost_hashes` of each run that has one; one statement."""

    def touched_rows(self, run_ids: Sequence[str], *, limit: int) -> list[tuple[str, EventRow]]:
        """Return touched events as they are now, and when they were touched; one statement.

        The first of every run stand before the second ones, and so on.
        """

    def run_ids(self, *, after: str = "", limit: int) -> list[str]:
        """Return ids of runs from behind `after`, ascending by code point."""

    def runs_without_row(self, *, limit: int) -> list[str]:
        """Return ids of runs that once had events and have no row. Reads the whole log."""

    def newest_verification(self, run_id: str | None) -> VerificationRow | None:
        """Return the last one that walked `run_id`, or the whole store for None."""

    def verifications(
        self, run_id: str | None = None, *, before: int | None = None, limit: int = 50
    ) -> list[VerificationRow]:
        """Return kept rows newest first, of one run or of all.

        Args:
            before: number of the last row seen.
        """

    def open_verification(
        self, run_id: str | None, *, kinds: Sequence[str] = ("run", "store")
    ) -> VerificationRow | None:
        """Return the one of a run, or of the whole store, that has not ended."""

    def longest_unchecked(self, *, until: str, now: str, limit: int) -> list[str]:
        """Return runs not verified since the column time `until`, longest first.

        Args:
            now: who was verified after it was verified by a wrong clock, and is due as well.
        """

    def unmarked_runs(self, *, after: str, limit: int) -> tuple[list[str], str]:
        """Return runs that triggers know nothing of, among the next `limit`, and where to go on.

        Args:
            after: empty for the first ones; returned empty when the last was reached.
        """

    def chain_rows(self, *, before: RunCursor | None = None, limit: int) -> list[ChainRow]:
        """Return a page of all runs, newest first; empty without the tables."""

    def chain_rows_of(self, run_ids: Sequence[str]) -> list[ChainRow]:
        """Return the same of some runs, in no order."""

    def troubled_runs(self, *, after: str = "", limit: int) -> list[str]:
        """Return runs whose chain may be broken, ascending by id."""

    def ledger_drift(self, run_id: str) -> int:
        """Return how many rows of a run's ledger differ from a fold of its whole log."""

    def summary_is_current(self, run_id: str) -> bool:
        """Return whether the list row of a run claims to be as new as its log."""

    def missing_guards(self) -> list[str]:
        """Return our triggers that are gone, switched off or altered, by name."""

    def guards_mark(self) -> int:
        """Return a number that changes when triggers may have; cheap to ask for."""

    def human_rows(self, query: HumanQuery) -> list[HumanRow]:
        """Return events of people and settlements, newest first, archive included."""


class AuditWrites(Protocol):
    """What an audit, a repair and an import write, inside a transaction."""

    def insert_sealed(self, run_id: str, rows: Sequence[EventRow]) -> None:
        """Insert finished events behind the head, verbatim; index and ledger follow.

        Raises:
            RunNotFound: the row is missing.
            StaleHead: the first row does not follow the head.
            Corrupted: a link or a hash does not fit, or a row is of another run.
        """

    def misplaced_keys(self) -> list[str]:
        """Return ledger keys of several runs whose newest record is not the index's."""

    def set_parent(self, run_id: str, parent_run_id: str) -> None:
        """Link an imported run to its parent."""

    def save_verification(self, row: VerificationRow) -> None:
        """Keep what a verification found; of one that ended, its run remembers when."""

    def drop_open_verification(self, verification_id: str, *, stopping: bool) -> bool:
        """Drop one that has not ended; False where there is none.

        Args:
            stopping: also one that was asked to stop.
        """

    def drop_verified(self, run_id: str, detail: str) -> None:
        """Drop healthy results of a run that carry `detail`; a newer one follows."""

    def void_verified(self, run_id: str) -> None:
        """Drop the verified mark of a run whose chain was found broken."""

    def void_ledger(self, run_id: str) -> None:
        """Have the ledger's rows of a run made anew from its log."""

    def restore_guards(self) -> None:
        """Make our triggers anew; no mark they kept is believed afterwards."""

    def void_summary(self, run_id: str) -> None:
        """Drop the list row of a run, to be judged anew from its first event."""
