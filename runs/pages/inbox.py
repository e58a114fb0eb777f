"""The inbox: its list, its counts, and what lies beside the list."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from continuum.core.clock import column_time
from continuum.core.errors import StoreLocked
from continuum.services import inbox, summaries
from continuum.services.inbox import ItemQuery

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.base import Item, ItemCounts, Store

PAGE = 50
_CAUGHT_UP_PER_REQUEST = 25


class Tab(NamedTuple):
    """One of the inbox's four lists."""

    name: str
    label: str
    number: int
    current: bool


class InboxFilters(NamedTuple):
    """What the address says: which list, narrowed how."""

    tab: str = "unclaimed"
    text: str = ""
    kind: str = ""
    action_type: str = ""


class InboxScreen(NamedTuple):
    """Everything the list side shows."""

    filters: InboxFilters
    tabs: list[Tab]
    items: list[Item]
    counts: ItemCounts
    more: bool

    @property
    def mark(self) -> str:
        """What a page that polls has seen."""
        return mark_of(self.counts)

    @property
    def is_filtered(self) -> bool:
        """True when fewer rows than the tab holds may be shown."""
        return bool(self.filters.text or self.filters.kind or self.filters.action_type)


def midnight(now: datetime) -> datetime:
    """Return where today began, in UTC."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def mark_of(counts: ItemCounts) -> str:
    """Return a text that changes when the inbox does, even if as many wait as before."""
    return f"{counts.open}/{counts.oldest_opened_at or ''}/{counts.last_closed_at or ''}"


def refresh(store: Store, now: datetime) -> None:
    """Judge a bounded number of changed runs again, where the store can be written.

    Whoever holds the write lock for long is no reason to refuse a page: it
    then shows the lists as they were last judged.
    """
    if store.read_only:
        return
    with suppress(StoreLocked):
        summaries.catch_up(store, limit=_CAUGHT_UP_PER_REQUEST, at=now)


def build(store: Store, filters: InboxFilters, *, person: str, now: datetime) -> InboxScreen:
    """Return the list as filtered, with counts from the same rows."""
    refresh(store, now)
    since = midnight(now)
    with store.reading():
        counts = inbox.counts(store, person, since)
        items = inbox.open_items(store, _query(filters, person, since))
    return InboxScreen(filters, _tabs(filters.tab, counts), items[:PAGE], counts, len(items) > PAGE)


def next_item(store: Store, *, person: str, beside: str) -> Item | None:
    """Return the worst open item of another run that nobody else works on."""
    for item in inbox.open_items(store, ItemQuery(limit=20)):
        if item.run_id != beside and item.claimed_by in (None, person):
            return item
    return None


def _query(filters: InboxFilters, person: str, since: datetime) -> ItemQuery:
    states = {"unclaimed": "unclaimed", "mine": "mine", "all": "open", "decided": "closed"}
    return ItemQuery(
        state=states[filters.tab],
        person=person,
        kinds=(filters.kind,) if filters.kind else (),
        action_type=filters.action_type,
        text=filters.text,
        since=column_time(since) if filters.tab == "decided" else "",
        limit=PAGE + 1,
    )


def _tabs(current: str, counts: ItemCounts) -> list[Tab]:
    rows = (
        ("unclaimed", "Unclaimed", counts.unclaimed),
        ("mine", "Mine", counts.mine),
        ("all", "All open", counts.open),
        ("decided", "Decided today", counts.closed_since),
    )
    return [Tab(name, label, count, name == current) for name, label, count in rows]


def since_of(choice: str, now: datetime) -> str:
    """Return the column time a window such as `24h` or `7d` begins at; empty for all."""
    hours = {"24h": 24, "7d": 168, "30d": 720}.get(choice)
    return column_time(now - timedelta(hours=hours)) if hours else ""
