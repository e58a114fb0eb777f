"""The allowlist in SQL: callers, their history, and counts of refused calls.

A store without the table reads as one with an empty table: nobody is allowed
by it, and it decides nothing.
"""

from __future__ import annotations

import json

from continuum.core.clock import column_time
from continuum.core.errors import UnreadableRecord
from continuum.domain.callerrows import (
    CLOSED_TABLE,
    OTHERS,
    AllowlistView,
    Caller,
    EntryRow,
    RefusalCount,
    SecretSeal,
    Tools,
)
from continuum.store.base import MAX_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from continuum.store.database import Database, Row

MAX_REFUSAL_ROWS = 5000


class CallerTableReads:
    """Callers, entries and refusals."""

    _database: Database
    has_callers: bool

    def allowlist_view(self, name: str) -> AllowlistView:
        """Return what a call under `name` needs to know, in one look-up."""
        if not self.has_callers:
            return CLOSED_TABLE
        row = self._database.one("callers.view", caller=name)
        if row is None:
            return CLOSED_TABLE
        found = None if row[1] is None else caller_from_row(row[1:])
        return AllowlistView(bool(row[0]), found)

    def caller(self, name: str) -> Caller | None:
        """Return the row of a name, or None."""
        return self.allowlist_view(name).caller

    def callers(self, *, after: str = "", limit: int = MAX_PAGE) -> list[Caller]:
        """Return rows by name, from behind `after`."""
        if not self.has_callers:
            return []
        rows = self._database.all("callers.page", after=after, limit=min(limit, MAX_PAGE))
        return [caller_from_row(row) for row in rows]

    def refusals(self, *, since_hour: str, caller: str | None = None) -> list[RefusalCount]:
        """Return the counts since an hour, newest hour first."""
        if not self.has_callers:
            return []
        rows = self._database.all("callers.refusals", since_hour=since_hour, caller=caller)
        return [RefusalCount._make(row) for row in rows]

    def caller_entries(self, *, after: int = 0) -> Iterator[EntryRow]:
        """Yield the whole history behind an entry, ascending, streamed, nothing interpreted."""
        if self.has_callers:
            for row in self._database.stream("callers.entries", after=after):
                yield _entry(row)

    def caller_entry_page(
        self, *, limit: int, before: int | None = None, caller: str | None = None
    ) -> list[EntryRow]:
        """Return entries newest first."""
        if not self.has_callers:
            return []
        rows = self._database.all(
            "callers.entry_page", limit=min(limit, MAX_PAGE), before=before, caller=caller
        )
        return [_entry(row) for row in rows]


class CallerTableWrites:
    """Changes of the allowlist, inside a transaction."""

    _database: Database

    def hold_callers(self) -> None:
        """Keep every other change of the allowlist waiting until this one ends."""
        if self._database.backend != "sqlite":  # there, one writer excludes all others
            self._database.one("callers.hold")

    def save_caller(self, caller: Caller) -> None:
        """Insert the row or replace the one of the same name."""
        self._database.run("callers.save", _columns(caller))

    def append_caller_entry(self, row: EntryRow) -> None:
        """Insert a sealed entry of the history."""
        self._database.run("callers.insert_entry", row._asdict())

    def count_refusal(self, refusal: RefusalCount, *, keep_from: str) -> None:
        """Add to the count of its caller, reason and hour; drop hours before `keep_from`."""
        if self._database.run("callers.add_refusals", refusal._asdict()):
            return
        self._database.run("callers.drop_refusals", {"keep_from": keep_from})
        row = self._database.one("callers.is_crowded", most=MAX_REFUSAL_ROWS, caller=refusal.caller)
        if row is not None and row[0]:
            refusal = refusal._replace(caller=OTHERS)
        self._database.run("callers.insert_refusal", refusal._asdict())

    def mark_seen(self, name: str, at: datetime, version: str | None) -> None:
        """Keep when a caller was let in last; no part of what admins decide."""
        row = {"name": name, "at": column_time(at), "version": version}
        self._database.run("callers.mark_seen", row)


def caller_from_row(row: Row) -> Caller:
    """Return the caller of a row.

    Raises:
        UnreadableRecord: a column holds what this program did not write, so
            nobody may be let in by it.
    """
    caller = Caller._make(row)
    try:
        return caller._replace(
            enabled=bool(caller.enabled),
            tools=_tools(row[3]),
            secret=_seal(row[4]),
            old_secret=_seal(row[5]),
        )
    except (ValueError, TypeError, KeyError) as exc:
        raise UnreadableRecord(
            f"the row of caller {caller.name!r} is unreadable: {exc}; "
            "`continuum callers verify` compares the table with its history"
        ) from exc


def _tools(text: str) -> Tools:
    lists = json.loads(text)
    return Tools(*(tuple(str(name) for name in lists[right]) for right in Tools._fields))


def _seal(text: str | None) -> SecretSeal | None:
    return None if text is None else SecretSeal(**json.loads(text))


def _columns(caller: Caller) -> dict[str, Any]:
    return {
        **caller._asdict(),
        "enabled": int(caller.enabled),
        "tools": json.dumps(caller.tools.document()),
        "secret": _seal_text(caller.secret),
        "old_secret": _seal_text(caller.old_secret),
    }


def _seal_text(seal: SecretSeal | None) -> str | None:
    return None if seal is None else json.dumps(seal._asdict())


def _entry(row: Row) -> EntryRow:
    entry_id, sequence, *rest = row
    return EntryRow(sequence, entry_id, *rest)
