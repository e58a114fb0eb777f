"""The store port: what the services need from a database, and no more.

Two implementations exist, SQLite and PostgreSQL, each written natively; they
share pure code of `domain` only. Everything that is SQL stays below here.

Rules every implementation keeps:

1. One write, one transaction: `writing()` takes the write lock first, then
   reads, then writes; it commits on leaving and rolls back on an exception.
2. An append updates the projections that belong to it (action index, ledger,
   head mark) in the same transaction.
3. Opening for reading creates and changes nothing, on disk or in the store.
4. Live and archived events are one log; `archived=False` is for display only.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Self

    from continuum.domain.actions import Action, ActionStatus, Slot
    from continuum.domain.checkpoints import Checkpoint, StateVersion
    from continuum.domain.events import Draft, Event, EventRow, EventType, Head, Origin
    from continuum.domain.runs import Run, RunRow, RunStatus
    from continuum.store.actionport import ActionReads, ActionWrites
    from continuum.store.attestport import AttestationReads, AttestationWrites
    from continuum.store.auditport import AuditReads, AuditWrites
    from continuum.store.callerport import CallerReads, CallerWrites
    from continuum.store.familyport import FamilyReads
    from continuum.store.logport import LogReads
    from continuum.store.modelport import ModelReads, ModelWrites, RunCursor
    from continuum.store.noteport import NoteReads, NoteWrites
    from continuum.store.policyport import PolicyReads, PolicyWrites
    from continuum.store.searchport import SearchReads, SearchWrites

    class PartReads(
        ActionReads,
        AttestationReads,
        AuditReads,
        CallerReads,
        FamilyReads,
        LogReads,
        ModelReads,
        NoteReads,
        PolicyReads,
        SearchReads,
        Protocol,
    ):
        """What stands in files of its own."""

    class PartWrites(
        ActionWrites,
        AttestationWrites,
        AuditWrites,
        CallerWrites,
        ModelWrites,
        NoteWrites,
        PolicyWrites,
        SearchWrites,
        Protocol,
    ):
        """What stands in files of its own."""

else:  # a port is for type checkers; its parts are not loaded for nothing

    class PartReads(Protocol): ...

    class PartWrites(Protocol): ...


MAX_PAGE = 200


class PagedEvent(NamedTuple):
    """One row of an event list; `event` is None where the row is unreadable."""

    row: EventRow
    event: Event | None
    archived: bool


class ReadStore(PartReads, Protocol):
    """Everything that only looks."""

    url: str
    backend: str
    """`sqlite` or `postgresql`."""
    read_only: bool
    has_read_model: bool
    """False for a store that only the reference client has touched."""

    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...

    def reading(self) -> AbstractContextManager[None]:
        """Hold one consistent snapshot over several reads. May be nested."""

    def description(self) -> str:
        """Return a short name for people, without a password: file name or host/database."""

    # -- runs
    def run(self, run_id: str) -> Run:
        """Return the row; raise `RunNotFound`, or `UnreadableRecord` for an unknown status."""

    def run_row(self, run_id: str) -> RunRow:
        """Return the columns as they are; raise `RunNotFound`."""

    def find_run(self, run_id: str) -> Run | None: ...
    def runs(self, *, limit: int, before: RunCursor | None = None) -> list[Run]:
        """Return rows newest first: by `created_at`, then run id, descending."""

    def active_run(self) -> Run | None:
        """Return the open run with the greatest `updated_at`, ties by greatest id."""

    def children(self, run_id: str) -> list[Run]:
        """Return direct children, newest first. One index look-up, never a scan."""

    # -- events
    def head(self, run_id: str) -> Head:
        """Return the newest live event's place; `NO_HEAD` without events."""

    def events(
        self,
        run_id: str,
        *,
        after: int = 0,
        upto: int | None = None,
        types: Iterable[EventType] | None = None,
        archived: bool = True,
    ) -> Iterator[Event]:
        """Yield `after` < sequence ≤ `upto`, ascending, streamed; archive and live together.

        Raises:
            UnreadableRecord: at the first row that cannot be read.
        """

    def event_rows(
        self, run_id: str, *, archived: bool, after: int = 0, upto: int | None = None
    ) -> Iterator[EventRow]:
        """Yield raw rows of one of the two tables, ascending, streamed, nothing interpreted."""

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
        """Return the newest rows below `before`, newest first, archive included.

        Args:
            after: only rows above this number, which bounds how many are looked through.
            sparse: `types` are rare, so all of their events are read and sorted.
        """

    def event_row(self, run_id: str, sequence: int) -> PagedEvent | None: ...

    # -- versions and checkpoints
    def newest_version(self, run_id: str) -> StateVersion | None:
        """Return it with its fingerprint checked; raise `UnreadableRecord` when it fails."""

    def version(self, run_id: str, number: int) -> StateVersion:
        """Return one version, checked; raise `VersionNotFound`."""

    def newest_version_cover(self, run_id: str) -> tuple[int, int] | None:
        """Return (version, source_sequence) of the newest version without loading the state."""

    def newest_checkpoint(self, run_id: str) -> Checkpoint | None:
        """Return the one of greatest version, then created_at; its seal checked."""

    def checkpoints(self, run_id: str) -> Iterator[Checkpoint]:
        """Yield all by ascending version, seals checked."""

    # -- ledger
    def action_count(self, run_id: str) -> int:
        """Return how many actions the run's ledger holds."""

    def slots(self, run_id: str, *, statuses: Iterable[ActionStatus] | None = None) -> list[Slot]:
        """Return the run's actions in order of first appearance."""

    def slot(self, run_id: str, key: str) -> Slot | None: ...
    def slot_by_action_id(self, run_id: str, action_id: str) -> Slot | None: ...
    def slots_sharing(self, run_id: str, action_type: str, tokens: Iterable[str]) -> list[Slot]:
        """Return slots of a type whose identity tokens have the signature of `tokens`.

        No other slot can match (see `domain.tokens.token_signature`).
        """

    def foreign_action(self, key: str, run_id: str) -> Action | None:
        """Return the store-wide index's record under `key` if another run holds it."""

    def index_drift(self) -> int:
        """Return how many rows of `action_index` differ from a recomputation."""


class Writer(PartWrites, Protocol):
    """What may be done inside one write transaction."""

    def insert_run(self, run: Run) -> None:
        """Insert the row; raise `RunExists`."""

    def set_run_status(self, run_id: str, status: RunStatus, at: datetime) -> None:
        """Change `status` and `updated_at` only."""

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Seal and insert `drafts` behind the head; update index, ledger and head mark.

        Raises:
            RunNotFound: the row is missing.
            StaleHead: `expected` is given and the head is elsewhere.
        """

    def hold_key(self, key: str) -> None:
        """Keep every other transaction that asks for the same ledger key waiting.

        A store-wide identity is claimed from several runs, whose row locks do
        not exclude each other.
        """

    def insert_version(self, version: StateVersion) -> None: ...
    def insert_checkpoint(self, checkpoint: Checkpoint) -> None: ...
    def archive(self, run_id: str, through: int) -> int:
        """Move live rows up to `through` to the archive unchanged; return how many."""

    def rebuild_index(self) -> int:
        """Rewrite `action_index` from the log; return how many rows it has."""


class Store(ReadStore, Protocol):
    """A store that may be written, if not opened read-only."""

    notices: tuple[str, ...]
    """What opening changed in the store, in words for people."""

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Append in one transaction of its own, by the fastest way the back end has.

        Without `expected` a lost race against another writer is retried.

        Raises:
            RunNotFound: the row is missing.
            StaleHead: `expected` is given and the head is elsewhere.
        """

    def writing(self, run_id: str | None = None) -> AbstractContextManager[Writer]:
        """Take the write lock (and the run's row lock), commit on leaving.

        Reads through the store inside the block see the transaction. Not nested.

        Raises:
            StoreReadOnly: opened for reading.
            StoreLocked: the lock could not be had in time.
            RunNotFound: `run_id` is given and has no row.
        """
