"""What happened since a page was made: numbers, and a mark that changes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from continuum.services import inbox, summaries
from runs.pages.inbox import mark_of, midnight, news_since

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.base import ReadStore
    from continuum.store.modelport import ItemCounts

_SEPARATOR = "|"


class Seen(NamedTuple):
    """What a page showed when it was made.

    Attributes:
        run: the run it shows, or empty.
        since: that run's newest event then.
        open, closed: how many items were open, and had left that day; None where
            the page shows no inbox.
        unread: 1 where the run had not been read.
    """

    run: str = ""
    since: int = 0
    open: int | None = None
    closed: int | None = None
    unread: int | None = None

    @property
    def query(self) -> str:
        """What the page sends when it asks."""
        members = {name: value for name, value in self._asdict().items() if value not in ("", None)}
        return urlencode(members)


class News(NamedTuple):
    """What is new.

    Attributes:
        mark: changes whenever anything of it does.
        counts: of the inbox, where the page shows it.
        is_read: the run that had not been read is now.
    """

    mark: str
    new_events: int
    new_items: int
    left_items: int
    counts: ItemCounts | None
    is_read: bool = False


def seen_of_inbox(counts: ItemCounts, run: str = "", since: int = 0) -> Seen:
    """Return what an inbox shows, and the run beside it."""
    return Seen(run, since, counts.open, counts.closed_since)


def news(store: ReadStore, seen: Seen, *, person: str, now: datetime) -> News:
    """Return what happened since; three small queries at most, and nothing is written."""
    marks, new_items, left, counts = [], 0, 0, None
    if seen.open is not None:
        counts = inbox.counts(store, person, midnight(now))
        marks.append(mark_of(counts))
        new_items, left = news_since(counts, seen_open=seen.open, seen_closed=seen.closed or 0)
    head = store.head(seen.run).sequence if seen.run else 0
    marks.append(str(head))
    is_read = bool(seen.unread) and summaries.is_read(store, seen.run)
    if is_read:
        marks.append("read")
    new_events = 0 if seen.unread else max(head - seen.since, 0)
    return News(_SEPARATOR.join(marks), new_events, new_items, left, counts, is_read)
