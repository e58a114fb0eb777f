"""The statement of a single append, prepared on the server and sent to it as directly as can be.

The driver's cursor looks at every statement and parameter anew, which costs an
append about as much time as the server's work. Here the texts go to the server
as they are, by way of the low level of the same driver; it still waits, so that
an interrupt cancels the statement, and failures are the driver's errors.
"""

from __future__ import annotations

from psycopg import errors, generators
from psycopg.pq import ExecStatus, Format

from continuum.domain.events import EventRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import psycopg
    from psycopg.pq.abc import PGresult

_TEXT, _INTEGER = 25, 23  # what the server calls these types
_TYPES = [_INTEGER if column == "sequence" else _TEXT for column in EventRow._fields]
# A text sent as binary has a length, so a NUL in it is refused and does not cut it.
_FORMATS = [Format.TEXT if kind == _INTEGER else Format.BINARY for kind in _TYPES]


class PreparedInsert:
    """Inserts events by a statement with a parameter for each column, on one connection.

    Args:
        statement: with parameters as the driver spells them, `%(hash)s`.
    """

    def __init__(self, connection: psycopg.Connection[Any], statement: str) -> None:
        self._connection = connection
        self._statement = _numbered(statement).encode()
        self._encoding = _encoding(connection)
        self._times_prepared = 0
        self._name = b""

    def insert(self, row: EventRow) -> int:
        """Execute the statement; return how many rows it inserted.

        Raises:
            psycopg.Error, UnicodeEncodeError: as a cursor would.
        """
        if not self._name:
            self._prepare()
        try:
            return self._execute(row)
        except errors.InvalidSqlStatementName:  # the driver drops all of them after a rollback
            self._prepare()
            return self._execute(row)

    def _prepare(self) -> None:
        self._times_prepared += 1
        name = f"cx_insert_{self._times_prepared}".encode()
        self._connection.pgconn.send_prepare(name, self._statement, _TYPES)
        self._result()
        self._name = name

    def _execute(self, row: EventRow) -> int:
        encoding = self._encoding
        values = [None if value is None else str(value).encode(encoding) for value in row]
        self._connection.pgconn.send_query_prepared(self._name, values, _FORMATS)
        return self._result().command_tuples or 0

    def _result(self) -> PGresult:
        generator = generators.execute(self._connection.pgconn)
        result: PGresult = self._connection.wait(generator)[-1]
        if result.status != ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result, encoding=self._encoding)
        return result


def _numbered(statement: str) -> str:
    for place, column in enumerate(EventRow._fields, start=1):
        statement = statement.replace(f"%({column})s", f"${place}")
    return statement.replace("%%", "%")


def _encoding(connection: psycopg.Connection[Any]) -> str:
    """Return how texts are written; what the server takes for mere bytes is ours to choose."""
    encoding = connection.info.encoding
    return "utf-8" if encoding == "ascii" else encoding
