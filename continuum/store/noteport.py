"""The part of the store port about notes on inbox items; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol


class NoteRow(NamedTuple):
    """What somebody said about an item, or did with it short of deciding.

    Attributes:
        number: the order they were written in; given by the store.
        kind: `comment`, `claimed`, `assigned` or `released`.
        subject: whom the item was given to, or taken from.
        text: a comment, or why.
    """

    number: int
    item_id: str
    run_id: str
    kind: str
    author: str
    via: str
    at: str
    subject: str | None
    text: str


class NoteReads(Protocol):
    """Notes; none in a store without the table."""

    has_notes: bool

    def notes(self, *, item_id: str = "", run_id: str = "", limit: int = 50) -> list[NoteRow]:
        """Return those on an item, or on all items of a run, newest first."""


class NoteWrites(Protocol):
    """One more note, inside a transaction."""

    def save_note(self, row: NoteRow) -> None:
        """Append it; its number is given by the store."""
