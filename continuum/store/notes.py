"""Notes on inbox items in SQL."""

from __future__ import annotations

from continuum.store.base import MAX_PAGE
from continuum.store.noteport import NoteRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.database import Database


class NoteTableReads:
    """What people noted."""

    _database: Database
    has_notes: bool

    def notes(self, *, item_id: str = "", run_id: str = "", limit: int = 50) -> list[NoteRow]:
        """Return those on an item, or on all items of a run, newest first."""
        if not self.has_notes:
            return []
        rows = self._database.all(
            "notes.page",
            item_id=item_id or None,
            run_id=run_id or None,
            limit=min(limit, MAX_PAGE),
        )
        return [NoteRow._make(row) for row in rows]


class NoteTableWrites:
    """One more note, inside a transaction."""

    _database: Database

    def save_note(self, row: NoteRow) -> None:
        """Append it."""
        columns = row._asdict()
        del columns["number"]
        self._database.run("notes.insert", columns)
