"""One PostgreSQL connection.

The connection is in autocommit: a read is one statement, and transactions are
begun by name, so none stays open while the program thinks. A connection that
was lost is made anew where nothing can have been half done: before a read,
before a transaction, and after one whose events are found not to be there.

Only inserts are prepared, and only when the server answers itself; the one of
a single append goes around the driver's cursor (`prepared`). Behind a
transaction pool (pgbouncer) the process that answers is another one than was
connected to, and statements prepared there would be lost. Other statements are
planned each time, because a prepared one would keep the plan that was right
when the tables were small.
"""

from __future__ import annotations

from itertools import islice

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from continuum.core.errors import Conflict, ContinuumError, RunNotFound, StoreUnavailable
from continuum.domain.events import NO_HEAD, Head
from continuum.store.postgres.faults import (
    DRIVER_ERRORS,
    is_duplicate,
    is_missing_run,
    lost,
    not_reached,
    translated,
)
from continuum.store.postgres.prepared import PreparedInsert
from continuum.store.statements import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from continuum.domain.events import EventRow
    from continuum.store.database import Row

STATEMENTS = Statements("postgres", pyformat=True)
ROWS_A_CHUNK = 2000
CONNECT_SECONDS = 10
NEVER_UNASKED = 2**31
PREPARED = frozenset({"events.insert", "index.upsert", "slots.upsert"})
"""Statements whose plan is right for tables of every size."""

_SEQUENCE_COLUMN = 1


class PostgresDatabase:
    """Statements by name on one connection; errors are those of this house."""

    backend = "postgresql"

    def __init__(self, url: str, *, read_only: bool, wait_seconds: float) -> None:
        self.read_only = read_only
        self.in_transaction = False
        self.in_snapshot = False
        self.name = _name_of(url)
        self._url = url
        self._wait = f"{int(wait_seconds * 1000)}ms"
        self._written: tuple[str, str] | None = None
        self._connect()

    # -- reading

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row of a statement, or None."""
        row: Row | None = self._execute(name, params).fetchone()
        return row

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return all rows of a statement."""
        return self._execute(name, params).fetchall()

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows in chunks, each from a statement of its own behind the last row."""
        while True:
            rows = self.all(name, chunk=ROWS_A_CHUNK, **params)
            yield from rows
            if len(rows) < ROWS_A_CHUNK:
                return
            params["after"] = rows[-1][_SEQUENCE_COLUMN]

    def values(self, members: Iterable[str] | None) -> list[str] | None:
        """Return a list of texts as an array parameter."""
        return None if members is None else [str(member) for member in members]

    # -- writing

    def run(self, name: str, params: Mapping[str, Any]) -> int:
        """Execute a writing statement; return how many rows it changed."""
        return self._execute(name, params).rowcount

    def run_many(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a writing statement once per row, in few round trips."""
        try:
            self._cursor.executemany(STATEMENTS.text(name, {}), list(rows))
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.name) from exc

    def run_script(self, file: str) -> None:
        """Execute all statements of a file of this back end."""
        self.define(STATEMENTS.script(file))

    def define(self, texts: Iterable[str]) -> None:
        """Execute statements that define something, as they are."""
        try:
            for text in texts:
                self._cursor.execute(text)
        except DRIVER_ERRORS as exc:
            raise translated(exc, self.name) from exc

    def insert_events(self, rows: Sequence[EventRow]) -> None:
        """Insert sealed events in order; raise `RunNotFound`."""
        if len(rows) == 1:
            self.insert_event(rows[0])
            return
        self.run_many("events.insert", (row._asdict() for row in rows))
        self._note_written(rows)

    def insert_event(self, row: EventRow) -> int:
        """Insert a sealed event. The order value of the index comes from a sequence: 0."""
        self._execute("events.insert", row._asdict())
        self._note_written((row,))
        return 0

    def begin(self, run_id: str | None) -> None:
        """Take the locks of a write transaction; raise `StoreLocked` or `RunNotFound`."""
        if run_id is None:
            self._execute_several("transactions.begin", {"wait": self._wait})
            self._enter_transaction()
            return
        self.begin_for_run(run_id)

    def begin_for_run(self, run_id: str) -> Head:
        """Lock a run and return its head, in one round trip; raise `RunNotFound`."""
        params = {"wait": self._wait, "run_id": run_id}
        try:
            answers = self._execute_several("transactions.begin_for_run", params)
        except ContinuumError:
            self.rollback()
            raise
        self._enter_transaction()
        found, _, head = answers[2:]
        if not found:
            self.rollback()
            raise RunNotFound(run_id)
        return Head._make(head[0]) if head else NO_HEAD

    def commit(self) -> None:
        """Make the transaction durable.

        Raises:
            Conflict: a statement failed before and the failure was swallowed.
            ConnectionLost: the connection was lost and nothing was written.
            StoreUnavailable: it was lost, and what became of it is not known.
        """
        self.in_transaction = False
        if self._connection.info.transaction_status == TransactionStatus.INERROR:
            self.rollback()
            raise Conflict(f"a statement failed in {self.name}; nothing was written")
        try:
            self._cursor.execute("COMMIT")
        except DRIVER_ERRORS as exc:
            if not self._was_lost():
                raise translated(exc, self.name) from exc
            if self._written is None or self.find_after_loss(*self._written) is None:
                raise lost(self.name) from exc

    def rollback(self) -> None:
        """Undo the transaction."""
        self.in_transaction = False
        self._end_open_transaction()

    def begin_reading(self) -> None:
        """Hold one snapshot."""
        self._execute_several("transactions.snapshot", {})
        self.in_snapshot = True

    def end_reading(self, *, failed: bool) -> None:
        """Let go of the snapshot."""
        self.in_snapshot = False
        self._end_open_transaction()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # -- appending in few round trips

    def insert_behind(self, row: EventRow) -> bool:
        """Append in one statement; return False when the head is elsewhere.

        A connection lost on the way is made anew and the statement repeated:
        should the first try have been carried out, its event is found.

        Raises:
            RunNotFound: the run is missing.
            Conflict: the event id is taken by another event.
        """
        try:
            return self._insert_behind(row) == 1
        except DRIVER_ERRORS as exc:
            if not self._was_lost():
                return self._is_stored(row, exc)
            self._connect_after_loss(row.event_id)
        try:
            inserted = self._insert_behind(row)
        except DRIVER_ERRORS as exc:
            return self._is_stored(row, exc)
        return inserted == 1 or self.one("events.place", event_id=row.event_id) is not None

    def insert_and_commit(self, row: EventRow) -> None:
        """Insert a sealed event and commit, in one round trip.

        Raises:
            Conflict: the place or the event id is taken.
            ConnectionLost: the connection was lost and nothing was written.
        """
        self.in_transaction = False
        text = STATEMENTS.text("transactions.insert_and_commit", {})
        try:
            self._several.execute(text, row._asdict())
        except DRIVER_ERRORS as exc:
            if not self._was_lost():
                self._end_open_transaction()
                raise translated(exc, self.name) from exc
            if self.find_after_loss(row.run_id, row.event_id) is None:
                raise lost(self.name) from exc

    def find_after_loss(self, run_id: str, event_id: str) -> Row | None:
        """Connect again and return where an event is, or None if it was not written."""
        self._connect_after_loss(event_id)
        params = {"wait": self._wait, "run_id": run_id, "event_id": event_id}
        try:
            answers = self._execute_several("transactions.look_for_event", params)
        except ContinuumError as exc:
            self._end_open_transaction()
            raise self._unknown(event_id) from exc
        return answers[3][0] if answers[3] else None

    # -- parts

    def _connect(self) -> None:
        try:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                prepare_threshold=None,
                connect_timeout=_connect_seconds(self._url),
            )
            self._cursor = self._connection.cursor()
            self._several = psycopg.ClientCursor(self._connection)
            answering = self._cursor.execute(STATEMENTS.text("schema.backend", {}))
            process = answering.fetchone()
        except DRIVER_ERRORS as exc:
            raise not_reached(exc, self.name) from exc
        self._may_prepare = process is not None and process[0] == self._connection.info.backend_pid
        if self._may_prepare:
            self._connection.prepare_threshold = NEVER_UNASKED
            text = STATEMENTS.text("events.insert_behind", {})
            self._behind = PreparedInsert(self._connection, text)

    def _insert_behind(self, row: EventRow) -> int:
        if self._may_prepare:
            return self._behind.insert(row)
        text = STATEMENTS.text("events.insert_behind", {})
        return self._cursor.execute(text, row._asdict(), prepare=False).rowcount

    def _execute(self, name: str, params: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        text = STATEMENTS.text(name, params)
        prepare = self._may_prepare and name in PREPARED
        try:
            return self._cursor.execute(text, params, prepare=prepare)
        except DRIVER_ERRORS as exc:
            if not self._may_reconnect():
                raise self._meaning(exc, params) from exc
        self._connect()
        try:
            return self._cursor.execute(text, params)
        except DRIVER_ERRORS as exc:
            raise self._meaning(exc, params) from exc

    def _execute_several(self, name: str, params: Mapping[str, Any]) -> list[list[Row]]:
        """Execute the statements of one block in one round trip; return the rows of each."""
        text = STATEMENTS.text(name, params)
        try:
            self._several.execute(text, params)
            return [*self._answers()]
        except DRIVER_ERRORS as exc:
            if not self._may_reconnect():
                raise self._meaning(exc, params) from exc
        self._connect()
        try:
            self._several.execute(text, params)
            return [*self._answers()]
        except DRIVER_ERRORS as exc:
            raise self._meaning(exc, params) from exc

    def _answers(self) -> Iterator[list[Row]]:
        while True:
            has_rows = self._several.description is not None
            yield self._several.fetchall() if has_rows else []
            if not self._several.nextset():
                return

    def _meaning(self, exc: Exception, params: Mapping[str, Any]) -> Exception:
        if is_missing_run(exc) and "run_id" in params:
            return RunNotFound(params["run_id"])
        return lost(self.name) if self._was_lost() else translated(exc, self.name)

    def _may_reconnect(self) -> bool:
        return self._was_lost() and not self.in_transaction and not self.in_snapshot

    def _was_lost(self) -> bool:
        return self._connection.closed or self._connection.broken

    def _enter_transaction(self) -> None:
        self.in_transaction = True
        self._written = None

    def _note_written(self, rows: Iterable[EventRow]) -> None:
        for row in islice(rows, 1):
            self._written = (row.run_id, row.event_id)

    def _is_stored(self, row: EventRow, exc: Exception) -> bool:
        """Tell what became of `row` when inserting it failed: True if it is in its place."""
        if not is_duplicate(exc):
            raise self._meaning(exc, row._asdict()) from exc
        place = self.one("events.place", event_id=row.event_id)
        if place is None:
            return False
        if place == (row.run_id, row.sequence, row.hash):
            return True
        raise Conflict(f"the event id {row.event_id!r} is taken by another event") from exc

    def _connect_after_loss(self, event_id: str) -> None:
        try:
            self._connect()
        except StoreUnavailable as exc:
            raise self._unknown(event_id) from exc

    def _unknown(self, event_id: str) -> StoreUnavailable:
        return StoreUnavailable(
            f"the connection to {self.name} was lost while event {event_id} was written, and "
            "whether it got in cannot be found out now; look for it before trying again"
        )

    def _end_open_transaction(self) -> None:
        if self._was_lost():
            return
        if self._connection.info.transaction_status != TransactionStatus.IDLE:
            try:
                self._cursor.execute("ROLLBACK")
            except DRIVER_ERRORS as exc:
                if not self._was_lost():
                    raise translated(exc, self.name) from exc


def _connect_seconds(url: str) -> int:
    return int(conninfo_to_dict(url).get("connect_timeout") or CONNECT_SECONDS)


def _name_of(url: str) -> str:
    """Return host/database of a URL, without user and password.

    Raises:
        StoreUnavailable: the URL cannot be parsed.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as exc:
        raise StoreUnavailable("the address of the database cannot be understood") from exc
    host = str(parts.get("host") or "localhost")
    port = f":{parts['port']}" if "port" in parts else ""
    return f"{host}{port}/{parts.get('dbname') or parts.get('user') or ''}"
