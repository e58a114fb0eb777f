"""Reading a SQLite store without creating or changing anything on disk.

The way to open the file is told from its companions (see `files`) and told
again before each read, so a long-lived reader follows a store that others
open, write and close. A file that was read as unchanging is looked at again
afterwards: had it changed, a single read is repeated and a longer one is
refused with `StoreChanged`.

A store of an older schema is copied into memory and migrated there.
"""

from __future__ import annotations

import sqlite3

from continuum.core.clock import utc_now
from continuum.core.errors import (
    ContinuumError,
    StoreChanged,
    StoreMissing,
    StoreReadOnly,
    StoreUnavailable,
)
from continuum.store.sqlite.database import CACHED_STATEMENTS, SqliteDatabase
from continuum.store.sqlite.faults import DRIVER_ERRORS, translated
from continuum.store.sqlite.files import (
    Access,
    FileMark,
    access_to,
    file_mark,
    has_companions,
    read_uri,
)
from continuum.store.sqlite.schema import Shape, make_reference_tables, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Never, TypeVar

    from continuum.store.database import Row

    Answer = TypeVar("Answer")

_TRIES = 5
_RETIRED: dict[str, list[sqlite3.Connection]] = {}
"""Connections without locks that could not be closed yet, by path."""


class SqliteReader(SqliteDatabase):
    """A database that only reads.

    Attributes:
        shape: what the store said about itself when it was opened last.
    """

    read_only = True

    def __init__(self, path: str, *, wait_seconds: float = 30.0) -> None:
        super().__init__(sqlite3.connect(":memory:"), path, wait_seconds=wait_seconds)
        self.shape = Shape(None, False, 0)
        self._mark: FileMark | None = None
        self._access = Access.SHARED
        try:
            self._open_as_found()
        except ContinuumError:
            self.close()
            raise

    # -- reading

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        return self._steady(lambda: SqliteDatabase.one(self, name, **params))

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return all rows of a statement."""
        return self._steady(lambda: SqliteDatabase.all(self, name, **params))

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a statement; raise `StoreChanged` if the file changed meanwhile."""
        if self.in_snapshot:
            yield from super().stream(name, **params)
            return
        self._follow_file()
        yield from super().stream(name, **params)
        self._ensure_unchanged()

    def begin_reading(self) -> None:
        """Hold one snapshot."""
        self._follow_file()
        super().begin_reading()

    def end_reading(self, *, failed: bool) -> None:
        """Let go of the snapshot; raise `StoreChanged` if the file changed below it."""
        super().end_reading(failed=failed)
        if not failed:
            self._ensure_unchanged()

    # -- refusing to write

    def begin(self, run_id: str | None) -> None:
        """Refuse: raise `StoreReadOnly`."""
        self._refuse()

    def run(self, name: str, params: Mapping[str, Any]) -> int:
        """Refuse: raise `StoreReadOnly`."""
        self._refuse()

    def _refuse(self) -> Never:
        raise StoreReadOnly(f"{self.path} was opened for reading only")

    # -- following the file

    def _steady(self, read: Callable[[], Answer]) -> Answer:
        if self.in_snapshot:
            return read()
        for _ in range(_TRIES):
            self._follow_file()
            try:
                answer = read()
            except ContinuumError:
                if not self._changed():
                    raise
                continue
            if not self._changed():
                return answer
        raise StoreChanged(f"{self.path} keeps changing while it is read; try again")

    def _follow_file(self) -> None:
        if self._mark != self._comparable(file_mark(self.path)):
            self._open_as_found()

    def _ensure_unchanged(self) -> None:
        if self._changed():
            raise StoreChanged(f"{self.path} was changed while it was read; read again")

    def _changed(self) -> bool:
        if self._access is Access.SHARED:
            return False
        return self._mark != file_mark(self.path)

    def _comparable(self, mark: FileMark) -> FileMark:
        """Return what of a mark matters.

        A shared file may grow, but must be the same, and its log must not come
        or go: a log that has gone would be made again by reading on.
        """
        known = self._mark
        if self._access is not Access.SHARED or known is None:
            return mark
        same_log = (mark.wal_size < 0) == (known.wal_size < 0)
        return known._replace(
            inode=mark.inode, wal_size=known.wal_size if same_log else mark.wal_size
        )

    def close(self) -> None:
        """Close the connection, as soon as that takes no locks away."""
        self._let_go()

    def _open_as_found(self) -> None:
        self._let_go()
        self._mark = file_mark(self.path)
        self._access = access_to(self.path, self._mark)
        if self._access is not Access.SHARED:
            # No companion is there, so nobody, this process included, has a lock to lose.
            for connection in _RETIRED.pop(self.path, ()):
                connection.close()
        try:
            self._connection = self._connect(self._access)
            self.shape = shape_of(_plain(self))
        except StoreUnavailable:
            if self._access is not Access.SHARED or self._mark.wal_size < 0:
                raise
            self._open_beside_lock()
        if not self.shape.has_runs:
            raise StoreMissing(f"{self.path} holds no store yet; `continuum init` makes one")
        if not self.shape.is_current:
            self._migrate_in_memory()

    def _let_go(self) -> None:
        """Close the connection; one that knows no locks waits until nobody has any.

        Closing any descriptor of a file takes away every lock the process holds on
        it, and a connection of ours that writes may have come meanwhile.
        """
        if self._access is Access.SHARED or not has_companions(self.path):
            self._connection.close()
        else:
            _RETIRED.setdefault(self.path, []).append(self._connection)

    def _open_beside_lock(self) -> None:
        """Read a WAL file whose index may not be used, for want of rights to it."""
        self._access = Access.LEFT_WAL
        self._connection = self._connect(self._access)
        self.shape = shape_of(_plain(self))

    def _connect(self, access: Access) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                read_uri(self.path, access),
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=CACHED_STATEMENTS,
            )
            if access is Access.LEFT_WAL:
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc
        return connection

    def _migrate_in_memory(self) -> None:
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            self._connection.backup(copy)
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc
        self._let_go()
        self._connection = copy
        # The copy does not follow the file, so any change of it must be noticed.
        self._access = Access.STILL
        make_reference_tables(_plain(self), self.shape, utc_now())


def _plain(reader: SqliteReader) -> SqliteDatabase:
    return SqliteDatabase(reader._connection, reader.path, wait_seconds=reader._wait_seconds)
