"""The part of the store port that is the allowlist; see `store.base` for its rules."""

from __future__ import annotations

from continuum.core.records import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from continuum.domain.callerrows import AllowlistView, Caller, EntryRow, RefusalCount


class CallerReads(Protocol):
    """Callers, their history, and whom the doors refused."""

    has_callers: bool
    """False for a store without the table; everything here is empty then."""

    def allowlist_view(self, name: str) -> AllowlistView:
        """Return what a call under `name` needs to know, in one look-up."""

    def caller(self, name: str) -> Caller | None: ...
    def callers(self, *, after: str = "", limit: int) -> list[Caller]:
        """Return rows by name, from behind `after`."""

    def refusals(self, *, since_hour: str, caller: str | None = None) -> list[RefusalCount]:
        """Return the counts since an hour (`YYYY-MM-DDThh`), newest hour first."""

    def caller_entries(self, *, after: int = 0) -> Iterator[EntryRow]:
        """Yield the whole history behind an entry, ascending, streamed, nothing interpreted."""

    def caller_entry_page(
        self, *, limit: int, before: int | None = None, caller: str | None = None
    ) -> list[EntryRow]:
        """Return entries newest first."""


class CallerWrites(Protocol):
    """Changes of the allowlist, inside a transaction."""

    def hold_callers(self) -> None:
        """Keep every other change of the allowlist waiting until this one ends."""

    def save_caller(self, caller: Caller) -> None:
        """Insert the row or replace the one of the same name."""

    def append_caller_entry(self, row: EntryRow) -> None: ...
    def count_refusal(self, refusal: RefusalCount, *, keep_from: str) -> None:
        """Add to the count of its caller, reason and hour; drop hours before `keep_from`.

        The number of rows is bounded: when there are too many, names that are
        not counted yet are counted together under `OTHERS`.
        """

    def mark_seen(self, name: str, at: datetime, version: str | None) -> None: ...
