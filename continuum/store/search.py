"""Search in SQL: FTS5 on SQLite, a tsvector on PostgreSQL; both see plain words only."""

from __future__ import annotations

from continuum.store.base import MAX_PAGE
from continuum.store.searchport import SearchDoc, SearchName, SearchPlace, SearchRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from continuum.domain.searching import Phrase
    from continuum.store.database import Database

NOT_TAKEN_IN = SearchPlace(-1, -1)


class SearchTableReads:
    """Finding, and how far the logs were taken in."""

    _database: Database
    has_search: bool

    def search(
        self, kind: str, phrases: Sequence[Phrase], *, before: int | None = None, limit: int
    ) -> list[SearchDoc]:
        """Return things of a kind that hold every phrase, newest first."""
        if not self.has_search or not phrases:
            return []
        is_sqlite = self._database.backend == "sqlite"
        rows = self._database.all(
            "search.found",
            kind=kind,
            asked=_fts5(kind, phrases) if is_sqlite else _tsquery(phrases),
            before=before,
            limit=min(limit, MAX_PAGE),
        )
        return [SearchDoc._make(row) for row in rows]

    def search_names(self, name: str, *, limit: int = 50) -> list[SearchName]:
        """Return things of an exact name."""
        if not self.has_search:
            return []
        rows = self._database.all("search.names", wanted=name, limit=min(limit, MAX_PAGE))
        return [SearchName._make(row) for row in rows]

    def search_doc(self, run_id: str, kind: str, ref: str) -> SearchDoc | None:
        """Return one thing, or None."""
        if not self.has_search:
            return None
        row = self._database.one("search.doc", run_id=run_id, kind=kind, ref=ref)
        return SearchDoc._make(row) if row else None

    def event_places(self, event_id: str) -> list[tuple[str, int]]:
        """Return (run id, sequence) of live events of an id."""
        rows = self._database.all("search.event_places", event_id=event_id)
        return [(row[0], row[1]) for row in rows]

    def search_behind(self, *, limit: int) -> list[str]:
        """Return runs whose log goes further than what was taken in."""
        if not self.has_search:
            return []
        return [row[0] for row in self._database.all("search.behind", limit=limit)]

    def search_place(self, run_id: str) -> SearchPlace:
        """Return how far a run was taken in."""
        row = self._database.one("search.place", run_id=run_id) if self.has_search else None
        return SearchPlace._make(row) if row else NOT_TAKEN_IN

    def search_rows(self, run_id: str, *, after: int, limit: int) -> list[SearchRow]:
        """Return events behind `after`, ascending, archive included."""
        rows = self._database.all("search.rows", run_id=run_id, after=after, limit=limit)
        return [SearchRow._make(row) for row in rows]


class SearchTableWrites:
    """Taking in, inside a transaction."""

    _database: Database

    def hold_search(self) -> None:
        """Keep every other process that takes something in waiting."""
        if self._database.backend != "sqlite":  # there, one writer excludes all others
            self._database.one("search.hold")

    def save_found(self, doc: SearchDoc, words: Sequence[str]) -> None:
        """Put a thing in the place of its older self."""
        row = doc._asdict()
        if self._database.backend == "sqlite":
            if self._database.one("search.doc", **row) is not None:
                self._database.run("search.drop_words", row)
                self._database.run("search.drop_doc", row)
            self._database.run("search.insert_doc", row)
            self._database.run("search.insert_words", {**row, "words": " ".join(words)})
            return
        self._database.run("search.drop_doc", row)
        self._database.run("search.insert_doc", {**row, "words": _tsvector(words)})

    def save_search_name(self, name: SearchName) -> None:
        """Keep a name; the same thing keeps it."""
        self._database.run("search.insert_name", name._asdict())

    def save_search_place(self, run_id: str, sequence: int) -> None:
        """Say how far a run was taken in."""
        self._database.run("search.save_place", {"run_id": run_id, "sequence": sequence})

    def clear_search(self, run_id: str) -> None:
        """Take a run out."""
        if self._database.backend == "sqlite":
            self._database.run("search.drop_all_words", {"run_id": run_id})
        self._database.run("search.drop_docs", {"run_id": run_id})
        self._database.run("search.drop_names", {"run_id": run_id})

    def restart_search(self) -> None:
        """Have every run taken in again from its first event."""
        self._database.run("search.restart", {})


def _fts5(kind: str, phrases: Iterable[Phrase]) -> str:
    """Every word in quotes: nothing of what a person typed is syntax."""
    asked = " AND ".join(_quoted(phrase) for phrase in phrases)
    return f'kind : "{kind}" AND words : ({asked})'


def _quoted(phrase: Phrase) -> str:
    text = " ".join(phrase.words).replace('"', '""')
    return f'"{text}" *' if phrase.open else f'"{text}"'


def _tsquery(phrases: Iterable[Phrase]) -> str:
    return " & ".join(f"({_lexemes(phrase)})" for phrase in phrases)


def _lexemes(phrase: Phrase) -> str:
    text = " <-> ".join(_lexeme(word) for word in phrase.words)
    return f"{text}:*" if phrase.open else text


def _tsvector(words: Iterable[str]) -> str:
    return " ".join(f"{_lexeme(word)}:{place}" for place, word in enumerate(words, start=1))


def _lexeme(word: str) -> str:
    text = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'"
