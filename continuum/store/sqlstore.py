"""The store over any SQL database: reads shared by both back ends, writes in transactions."""

from __future__ import annotations

from continuum.core.errors import StoreReadOnly
from continuum.store.lateparts import LateReads, loaded
from continuum.store.readmodel import ModelTableReads
from continuum.store.records import RecordReads
from continuum.store.states import StateReads
from continuum.store.verifications import AuditTableReads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    from continuum.domain.events import Draft, Event
    from continuum.store.base import Store
    from continuum.store.database import Database
    from continuum.store.writer import SqlWriter


# From which version of our own tables on a store has what.
CALLERS_SINCE = 2
AUDIT_SINCE = 3
POLICIES_SINCE = 4
SEARCH_SINCE = 4
NOTES_SINCE = 5
LISTS_SINCE = 6
ATTESTATIONS_SINCE = 8


class SqlStore(RecordReads, StateReads, ModelTableReads, AuditTableReads, LateReads):
    """A store on one database connection, used by one thread at a time.

    Attributes:
        notices: what opening changed in the store, in words for people.
    """

    def __init__(
        self,
        database: Database,
        *,
        url: str,
        name: str,
        cx_version: int,
        notices: Sequence[str] = (),
    ) -> None:
        self._database = database
        self._name = name
        self.url = url
        self.backend = database.backend
        self.read_only = database.read_only
        self.has_read_model = cx_version > 0
        self.has_callers = cx_version >= CALLERS_SINCE
        self.has_audit = cx_version >= AUDIT_SINCE
        self.has_notes = cx_version >= NOTES_SINCE
        self.has_policies = cx_version >= POLICIES_SINCE
        self.has_search = cx_version >= SEARCH_SINCE
        self.has_action_lists = cx_version >= LISTS_SINCE
        self.has_attestations = cx_version >= ATTESTATIONS_SINCE
        self.notices = tuple(notices)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def description(self) -> str:
        """Return a short name for people, without a password."""
        return self._name

    def reading(self) -> AbstractContextManager[None]:
        """Hold one consistent snapshot over several reads. May be nested."""
        return _Reading(self._database)

    def writing(self, run_id: str | None = None) -> AbstractContextManager[SqlWriter]:
        """Take the write lock (and the run's row lock), commit on leaving."""
        return _Writing(self._database, self._name, run_id)

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Append in one transaction of its own."""
        with self.writing(run_id) as writer:
            return writer.append(run_id, drafts, expected=expected)


class _Reading:
    """A snapshot; inside another one, or inside a transaction, it is that one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owns = False

    def __enter__(self) -> None:
        self._owns = not (self._database.in_transaction or self._database.in_snapshot)
        if self._owns:
            self._database.begin_reading()

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if self._owns:
            self._database.end_reading(failed=kind is not None)


class _Writing:
    """A write transaction."""

    def __init__(self, database: Database, name: str, run_id: str | None) -> None:
        self._database = database
        self._name = name
        self._run_id = run_id

    def __enter__(self) -> SqlWriter:
        if self._database.read_only:
            raise StoreReadOnly(f"{self._name} was opened for reading only")
        if self._database.in_transaction or self._database.in_snapshot:
            raise RuntimeError("a write transaction cannot begin inside another or a snapshot")
        self._database.begin(self._run_id)
        writer: SqlWriter = loaded("continuum.store.writer", "SqlWriter")(self._database)
        return writer

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if kind is None:
            self._database.commit()
        else:
            self._database.rollback()


if TYPE_CHECKING:

    def _keeps_the_contract(store: SqlStore) -> Store:
        return store
