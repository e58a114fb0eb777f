"""The runs list: one keyset page, narrowed by what the address says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.core.errors import InvalidInput
from continuum.services import summaries
from continuum.services.summaries import RunCursor, SummaryQuery
from runs.pages.inbox import refresh, since_of

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.runs import RunRow
    from continuum.store.base import Store
    from continuum.store.modelport import Summary

PAGE = 50
_SEPARATOR = "~"
_RECENT = "7d"
_ALL = "all"


class RunFilters(NamedTuple):
    """What the address says."""

    text: str = ""
    verdict: str = ""
    status: str = ""
    since: str = ""
    before: str = ""
    after: str = ""

    @property
    def is_set(self) -> bool:
        """True when fewer runs than all were asked for."""
        return bool(self.text or self.verdict or self.status or self.since not in ("", _ALL))

    @property
    def is_plain(self) -> bool:
        """True when nothing was asked for, not even all."""
        return not self.is_set and self.since != _ALL


class RunList(NamedTuple):
    """One page of runs.

    Attributes:
        older, newer: cursors for the address, or empty.
        is_recent: only runs of the last days are shown, though nobody asked for that.
        unread: how many runs are too long to have been read for it yet.
    """

    filters: RunFilters
    rows: list[Summary]
    older: str
    newer: str
    estimate: int
    is_recent: bool = False
    unread: int = 0


def build(store: Store, filters: RunFilters, *, now: datetime) -> RunList:
    """Return one page, newest first; a list that is not narrowed begins with recent runs.

    Where nothing is recent, all are shown, so that no store looks empty that is not.

    Raises:
        InvalidInput: a cursor in the address is none.
    """
    unread = refresh(store, now)
    query = SummaryQuery(
        modes=(filters.verdict,) if filters.verdict else (),
        statuses=(filters.status,) if filters.status else (),
        text=filters.text,
        since=since_of(_RECENT if filters.is_plain else filters.since, now),
        before=read_cursor(filters.before),
        after=read_cursor(filters.after),
        limit=PAGE + 1,
    )
    with store.reading():
        rows = summaries.list_summaries(store, query)
        is_recent = filters.is_plain and bool(rows)
        if filters.is_plain and not rows:
            rows = summaries.list_summaries(store, query._replace(since=""))
        estimate = store.run_estimate()
    return _page(filters, rows, estimate)._replace(is_recent=is_recent, unread=unread)


def _page(filters: RunFilters, rows: list[Summary], estimate: int) -> RunList:
    """Cut the extra row, which only tells whether there is more in the direction read."""
    more = len(rows) > PAGE
    backwards = bool(filters.after)
    shown = rows[-PAGE:] if backwards else rows[:PAGE]
    has_older = bool(shown) and (more or backwards)
    has_newer = bool(shown) and (more if backwards else bool(filters.before))
    return RunList(
        filters=filters,
        rows=shown,
        older=cursor_text(shown[-1]) if has_older else "",
        newer=cursor_text(shown[0]) if has_newer else "",
        estimate=estimate,
    )


def cursor_text(row: Summary | RunCursor | RunRow) -> str:
    """Return the place of a row, for the address."""
    return f"{row.created_at}{_SEPARATOR}{row.run_id}"


def read_cursor(text: str) -> RunCursor | None:
    if not text:
        return None
    created_at, separator, run_id = text.partition(_SEPARATOR)
    if not separator or not created_at or not run_id:
        raise InvalidInput("this page address is broken; start again from the first page")
    return RunCursor(created_at, run_id)
