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
    from continuum.store.base import Store, Summary

PAGE = 50
_SEPARATOR = "~"


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
        """True when fewer runs than all may be shown."""
        return bool(self.text or self.verdict or self.status or self.since)


class RunList(NamedTuple):
    """One page of runs; `older` and `newer` are cursors for the address, or empty."""

    filters: RunFilters
    rows: list[Summary]
    older: str
    newer: str
    estimate: int


def build(store: Store, filters: RunFilters, *, now: datetime) -> RunList:
    """Return one page, newest first.

    Raises:
        InvalidInput: a cursor in the address is none.
    """
    refresh(store, now)
    query = SummaryQuery(
        modes=(filters.verdict,) if filters.verdict else (),
        statuses=(filters.status,) if filters.status else (),
        text=filters.text,
        since=since_of(filters.since, now),
        before=read_cursor(filters.before),
        after=read_cursor(filters.after),
        limit=PAGE + 1,
    )
    with store.reading():
        rows = summaries.list_summaries(store, query)
        estimate = store.run_estimate()
    return _page(filters, rows, estimate)


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
