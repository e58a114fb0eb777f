"""What the shared store code needs from a connection.

Both back ends give statements by name (see `statements`), rows as plain
tuples, and errors of `core.errors` only.
"""

from __future__ import annotations

from continuum.core.records import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from continuum.domain.events import EventRow

    Row = tuple[Any, ...]


class Database(Protocol):
    """One connection, used by one thread at a time."""

    backend: str
    read_only: bool
    in_transaction: bool
    in_snapshot: bool

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row of a statement, or None."""

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return all rows of a statement."""

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield rows with bounded memory; the statement is ordered by its second column.

        The parameter `after` is where it starts.
        """

    def run(self, name: str, params: Mapping[str, Any]) -> int:
        """Execute a writing statement; return how many rows it changed."""

    def define(self, texts: Iterable[str]) -> None:
        """Execute statements of our own scripts that define something, as they are."""

    def run_many(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a writing statement once per row."""

    def insert_events(self, rows: Sequence[EventRow]) -> None:
        """Insert sealed events in order; raise `RunNotFound`."""

    def insert_event(self, row: EventRow) -> int:
        """Insert a sealed event; return the value that orders its index row."""

    def values(self, members: Iterable[str] | None) -> Any:
        """Return a list of texts as the back end's statements take it, or None."""

    def begin(self, run_id: str | None) -> None:
        """Take the write lock, and the lock of the run's row; raise `RunNotFound`."""

    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def begin_reading(self) -> None: ...
    def end_reading(self, *, failed: bool) -> None:
        """Let go of the snapshot; raise `StoreChanged` if it was none and nothing failed."""

    def close(self) -> None: ...
