"""What became of rows that an open inbox shows: who holds them, and which have left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.core.clock import column_time
from continuum.services import inbox
from continuum.services.inbox import MAX_PAGE, ItemQuery
from runs.pages.inbox import midnight

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.base import ReadStore
    from continuum.store.modelport import Item, ItemCounts

_MOST_LEFT = 50


class RowStates(NamedTuple):
    """What rows say now, whichever a page shows.

    Attributes:
        held: open items somebody holds.
        left: items that left today, newest first.
    """

    held: list[Item]
    left: list[Item]

    @property
    def is_whole(self) -> bool:
        """True when an open item that is not among `held` is held by nobody."""
        return len(self.held) < MAX_PAGE


def claims_mark(counts: ItemCounts) -> str:
    """Return a text that changes when somebody claims, releases or assigns."""
    return f"{counts.unclaimed}/{counts.last_claimed_at or ''}"


def row_states(store: ReadStore, now: datetime) -> RowStates:
    """Return what became of rows; two pages at most, asked for only when something changed."""
    held = ItemQuery(state="held", limit=MAX_PAGE)
    left = ItemQuery(state="closed", since=column_time(midnight(now)), limit=_MOST_LEFT)
    with store.reading():
        return RowStates(inbox.open_items(store, held), inbox.open_items(store, left))
