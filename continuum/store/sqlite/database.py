"""One SQLite connection that may write.

Durability is never traded: WAL with `synchronous=FULL`. Waiting for the write
lock is done here, in short steps, because SQLite's own handler sleeps up to
100 ms and lets a busy neighbour win every time.
"""

from __future__ import annotations

import json
import sqlite3
from os import urandom
from time import monotonic, sleep

from continuum.core.errors import RunNotFound
from continuum.store.sqlite.faults import DRIVER_ERRORS, is_busy, translated
from continuum.store.statements import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from continuum.domain.events import EventRow
    from continuum.store.database import Row

STATEMENTS = Statements("sqlite")
CACHED_STATEMENTS = 200
WAL_PAGES_BEFORE_CHECKPOINT = 300
"""A log that is overwritten after a checkpoint syncs faster than one that grows, which every new
one does up to here. SQLite's own 1000 gives the first few hundred appends of a process two thirds
of this rate, later ones the same, and large batches a tenth more."""

_SHORTEST_WAIT_SECONDS = 0.0005
_WAIT_SPREAD_SECONDS = 0.004

_ROWS_AT_A_TIME = 256


class SqliteDatabase:
    """Statements by name on one connection; errors are those of this house.

    Args:
        path: shown in messages.
        wait_seconds: how long to wait for another writer.
    """

    backend = "sqlite"
    read_only = False

    def __init__(
        self, connection: sqlite3.Connection, path: str, *, wait_seconds: float = 30.0
    ) -> None:
        self.path = path
        self.in_transaction = False
        self.in_snapshot = False
        self._connection = connection
        self._wait_seconds = wait_seconds

    # -- reading

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        cursor = self._execute(STATEMENTS.text(name, params), params)
        try:
            row: Row | None = cursor.fetchone()
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc
        return row

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return all rows of a statement."""
        cursor = self._execute(STATEMENTS.text(name, params), params)
        try:
            return cursor.fetchall()
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a statement as the cursor reads them."""
        cursor = self._execute(STATEMENTS.text(name, params), params)
        try:
            while rows := cursor.fetchmany(_ROWS_AT_A_TIME):
                yield from rows
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc

    def values(self, members: Iterable[str] | None) -> str | None:
        """Return a list of texts as JSON, which `json_each` reads."""
        return None if members is None else json.dumps([str(member) for member in members])

    # -- writing

    def run(self, name: str, params: Mapping[str, Any]) -> int:
        """Execute a writing statement; return how many rows it changed."""
        return self._execute(STATEMENTS.text(name, params), params).rowcount

    def run_many(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a writing statement once per row."""
        try:
            self._connection.executemany(STATEMENTS.text(name, {}), rows)
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.path) from exc

    def run_script(self, file: str) -> None:
        """Execute all statements of a file of this back end."""
        self.define(STATEMENTS.script(file))

    def define(self, texts: Iterable[str]) -> None:
        """Execute statements that define something, as they are."""
        for text in texts:
            self._execute(text, {})

    def insert_events(self, rows: Sequence[EventRow]) -> None:
        """Insert sealed events in order; raise `RunNotFound`."""
        if len(rows) > 1:
            self.run_many("events.insert", [row._asdict() for row in rows])
            return
        for row in rows:
            self.insert_event(row)

    def insert_event(self, row: EventRow) -> int:
        """Insert a sealed event; return the row id SQLite gave it."""
        cursor = self._execute(STATEMENTS.text("events.insert", {}), row._asdict())
        return cursor.lastrowid or 0

    def begin(self, run_id: str | None) -> None:
        """Take the write lock; raise `StoreLocked` or `RunNotFound`."""
        self._execute("BEGIN IMMEDIATE", {})
        self.in_transaction = True
        if run_id is not None and self.one("runs.exists", run_id=run_id) is None:
            self.rollback()
            raise RunNotFound(run_id)

    def commit(self) -> None:
        """Make the transaction durable."""
        self.in_transaction = False
        try:
            self._execute("COMMIT", {})
        finally:
            self._end_broken_transaction()

    def rollback(self) -> None:
        """Undo the transaction."""
        self.in_transaction = False
        self._end_broken_transaction()

    def begin_reading(self) -> None:
        """Hold one snapshot."""
        self._execute("BEGIN", {})
        self.in_snapshot = True

    def end_reading(self, *, failed: bool) -> None:
        """Let go of the snapshot."""
        self.in_snapshot = False
        self._end_broken_transaction()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # -- waiting

    def _execute(self, text: str, params: Mapping[str, Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(text, params)
        except DRIVER_ERRORS as exc:
            if not is_busy(exc):
                raise translated(exc, self.path) from exc
        return self._wait_and_execute(text, params)

    def _wait_and_execute(self, text: str, params: Mapping[str, Any]) -> sqlite3.Cursor:
        give_up_at = monotonic() + self._wait_seconds
        while True:
            sleep(_SHORTEST_WAIT_SECONDS + urandom(1)[0] / 256 * _WAIT_SPREAD_SECONDS)
            try:
                return self._connection.execute(text, params)
            except DRIVER_ERRORS as exc:
                if not is_busy(exc) or monotonic() > give_up_at:
                    raise translated(exc, self.path) from exc

    def _end_broken_transaction(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()


def connect_for_writing(path: str, *, wait_seconds: float) -> SqliteDatabase:
    """Return a database on `path`, in WAL mode, made when missing."""
    try:
        connection = sqlite3.connect(
            path,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=CACHED_STATEMENTS,
        )
    except DRIVER_ERRORS as exc:
        raise translated(exc, path) from exc
    database = SqliteDatabase(connection, path, wait_seconds=wait_seconds)
    for setting in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        f"PRAGMA wal_autocheckpoint = {WAL_PAGES_BEFORE_CHECKPOINT}",
    ):
        database._execute(setting, {})
    return database
