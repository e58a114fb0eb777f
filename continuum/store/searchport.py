"""The part of the store port that finds things by their words; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from continuum.domain.searching import Phrase


class SearchDoc(NamedTuple):
    """Something that can be found.

    Attributes:
        kind: `run`, `action` or `event`.
        ref: empty for a run, the ledger key of an action, the sequence of an event.
        sequence: the event it was taken from; 0 for a run.
        type: of the action or the event; empty for a run.
        at: column time.
        text: what was found in it, at most a few KiB.
        number: its place, newer is greater; 0 before it is stored.
    """

    run_id: str
    kind: str
    ref: str
    sequence: int
    type: str
    at: str
    text: str
    number: int = 0


class SearchName(NamedTuple):
    """An exact name of a thing."""

    name: str
    run_id: str
    kind: str
    ref: str


class SearchRow(NamedTuple):
    """The columns of an event that are taken in."""

    sequence: int
    type: str
    timestamp: str
    payload: str
    hash: str


class SearchPlace(NamedTuple):
    """How far the log of a run was taken in, -1 for not at all, and how far it goes."""

    sequence: int
    wanted: int


class SearchReads(Protocol):
    """Looking; empty in a store without the tables."""

    has_search: bool

    def search(
        self, kind: str, phrases: Sequence[Phrase], *, before: int | None = None, limit: int
    ) -> list[SearchDoc]:
        """Return things of a kind that hold every phrase, newest first, runs that exist only."""

    def search_names(self, name: str, *, limit: int = 50) -> list[SearchName]: ...
    def search_doc(self, run_id: str, kind: str, ref: str) -> SearchDoc | None: ...
    def event_places(self, event_id: str) -> list[tuple[str, int]]:
        """Return (run id, sequence) of live events of an id."""

    def search_behind(self, *, limit: int) -> list[str]:
        """Return runs whose log goes further than what was taken in."""

    def search_place(self, run_id: str) -> SearchPlace: ...
    def search_rows(self, run_id: str, *, after: int, limit: int) -> list[SearchRow]:
        """Return events behind `after`, ascending, archive included, nothing interpreted."""


class SearchWrites(Protocol):
    """Taking in, inside a transaction."""

    def hold_search(self) -> None:
        """Keep every other process that takes something in waiting."""

    def save_found(self, doc: SearchDoc, words: Sequence[str]) -> None:
        """Put a thing in the place of its older self; `words` are folded and in order."""

    def save_search_name(self, name: SearchName) -> None: ...
    def save_search_place(self, run_id: str, sequence: int) -> None: ...
    def clear_search(self, run_id: str) -> None:
        """Take a run out; nothing else of the store changes."""

    def restart_search(self) -> None:
        """Have every run taken in again from its first event."""
