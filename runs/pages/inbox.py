"""The inbox: its list, its counts, and what lies beside the list."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from django.utils import timezone

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput, StoreLocked
from continuum.services import inbox, summaries
from continuum.services.inbox import MAX_PAGE, ItemQuery
from runs import words

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.base import Store
    from continuum.store.modelport import Item, ItemCounts

PAGE = 50
_CAUGHT_UP_PER_REQUEST = 25
_SEPARATOR = "~"
AGES = {"1h": ("1 hour", 1), "4h": ("4 hours", 4), "24h": ("1 day", 24), "7d": ("7 days", 168)}
_STATES = {"unclaimed": "unclaimed", "mine": "mine", "all": "open", "decided": "closed"}
_KIND_WORDS = {"action": "actions to settle", "verdict": "runs to decide on"}
_CHIP_WORDS = {
    "text": "text",
    "kind": "kind",
    "verdict": "verdict",
    "type": "action type",
    "agent": "agent",
    "family": "family of",
    "age": "waiting at least",
}


class Tab(NamedTuple):
    """One of the inbox's four lists."""

    name: str
    label: str
    number: int
    current: bool
    query: str


class FilterChip(NamedTuple):
    """One way the list is narrowed, and the address without it."""

    name: str
    value: str
    query: str


class InboxFilters(NamedTuple):
    """What the address says: which list, narrowed how, from which row on."""

    tab: str = "unclaimed"
    text: str = ""
    kind: str = ""
    verdict: str = ""
    type: str = ""
    agent: str = ""
    family: str = ""
    age: str = ""
    after: str = ""

    @property
    def narrowing(self) -> dict[str, str]:
        """The members that leave rows out."""
        return {name: value for name in _CHIP_WORDS if (value := getattr(self, name))}

    def query(self, **changes: str) -> str:
        """Return the list's address with some members changed; the page starts anew."""
        members = {"tab": self.tab, **self.narrowing, **changes}
        return urlencode({name: value for name, value in members.items() if value})


class InboxScreen(NamedTuple):
    """Everything the list side shows.

    Attributes:
        unread: how many runs are too long to have been read for it yet.
    """

    filters: InboxFilters
    tabs: list[Tab]
    items: list[Item]
    counts: ItemCounts
    older: str
    unread: int = 0

    @property
    def mark(self) -> str:
        """What a page that polls has seen."""
        return mark_of(self.counts)

    @property
    def is_filtered(self) -> bool:
        """True when fewer rows than the tab holds may be shown."""
        return bool(self.filters.narrowing)

    @property
    def chips(self) -> list[FilterChip]:
        """How the list is narrowed, in words."""
        narrowing = self.filters.narrowing
        return [
            FilterChip(_CHIP_WORDS[name], _in_words(name, value), self.filters.query(**{name: ""}))
            for name, value in narrowing.items()
        ]

    @property
    def can_tick(self) -> bool:
        """True when there are rows somebody may take."""
        return self.filters.tab != "decided" and bool(self.items)

    @property
    def action_types(self) -> list[str]:
        """Types among the rows shown, to choose from."""
        return sorted({item.action_type for item in self.items if item.action_type})

    @property
    def agents(self) -> list[str]:
        """Callers among the rows shown, to choose from."""
        return sorted({item.caller for item in self.items if item.caller})


def midnight(now: datetime) -> datetime:
    """Return when today began for the person the page is made for."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def mark_of(counts: ItemCounts) -> str:
    """Return a text that changes when the inbox does, even if as many wait as before."""
    return f"{counts.open}/{counts.oldest_opened_at or ''}/{counts.last_closed_at or ''}"


def news_since(counts: ItemCounts, *, seen_open: int, seen_closed: int) -> tuple[int, int]:
    """Return how many items came and how many left since a page was made.

    What left since then was decided since then; a day that began in between
    makes the two numbers too small, never wrong in what they say changed.
    """
    left = max(counts.closed_since - seen_closed, 0)
    return max(counts.open - seen_open + left, 0), left


def refresh(store: Store, now: datetime) -> int:
    """Judge a bounded number of changed runs again, where the store can be written.

    Whoever holds the write lock for long is no reason to refuse a page: it
    then shows the lists as they were last judged. Return how many runs are too
    long for a page, which the background loop reads.
    """
    if store.read_only:
        return 0
    with suppress(StoreLocked):
        return len(summaries.catch_up_at_once(store, limit=_CAUGHT_UP_PER_REQUEST, at=now).unread)
    return 0


def build(store: Store, filters: InboxFilters, *, person: str, now: datetime) -> InboxScreen:
    """Return the list as filtered, with counts from the same rows."""
    unread = refresh(store, now)
    query = query_of(filters, person=person, now=now)
    with store.reading():
        counts = inbox.counts(store, person, midnight(now))
        items = inbox.open_items(store, query)
        matching = counts
        if filters.narrowing:
            matching = inbox.matching_counts(store, query, midnight(now))
    older = cursor_text(items[PAGE - 1]) if len(items) > PAGE else ""
    return InboxScreen(filters, _tabs(filters, matching), items[:PAGE], counts, older, unread)


def next_item(
    store: Store, filters: InboxFilters, *, person: str, beside: str, now: datetime
) -> Item | None:
    """Return the first open item of a list, other than `beside`, that nobody else works on."""
    if filters.tab == "decided":
        filters = filters._replace(tab="all")
    query = query_of(filters._replace(after=""), person=person, now=now)
    for item in inbox.open_items(store, query._replace(limit=MAX_PAGE)):
        if item.item_id != beside and item.claimed_by in (None, person):
            return item
    return None


def query_of(filters: InboxFilters, *, person: str, now: datetime) -> ItemQuery:
    """Return what the store is asked for one page of the list.

    Raises:
        InvalidInput: the cursor in the address is none.
    """
    hours = AGES[filters.age][1] if filters.age else 0
    return ItemQuery(
        state=_STATES[filters.tab],
        person=person,
        kinds=(filters.kind,) if filters.kind else (),
        mode=filters.verdict,
        type_text=filters.type,
        caller_text=filters.agent,
        family=filters.family,
        text=filters.text,
        until=column_time(now - timedelta(hours=hours)) if hours else "",
        since=column_time(midnight(now)) if filters.tab == "decided" else "",
        after=read_cursor(filters.after),
        limit=PAGE + 1,
    )


def cursor_text(item: Item) -> str:
    """Return the place of a row, for the address."""
    return _SEPARATOR.join((str(item.severity), item.closed_at or item.opened_at, item.item_id))


def read_cursor(text: str) -> tuple[int, str, str] | None:
    """Return the place an address names.

    Raises:
        InvalidInput: it is none.
    """
    if not text:
        return None
    severity, _, place = text.partition(_SEPARATOR)
    moment, separator, item_id = place.partition(_SEPARATOR)
    if not separator or not severity.isdecimal() or len(severity) > 1:
        raise InvalidInput("this page address is broken; start again from the first page")
    return int(severity), moment, item_id


def _in_words(name: str, value: str) -> str:
    if name == "age":
        return AGES[value][0]
    if name == "verdict":
        return words.mode_word(value).text
    return _KIND_WORDS.get(value, value) if name == "kind" else value


def _tabs(filters: InboxFilters, counts: ItemCounts) -> list[Tab]:
    rows = (
        ("unclaimed", "Unclaimed", counts.unclaimed),
        ("mine", "Mine", counts.mine),
        ("all", "All open", counts.open),
        ("decided", "Decided today", counts.closed_since),
    )
    return [
        Tab(name, label, count, name == filters.tab, filters.query(tab=name))
        for name, label, count in rows
    ]


def since_of(choice: str, now: datetime) -> str:
    """Return the column time a window such as `24h` or `7d` begins at; empty for all."""
    hours = {"24h": 24, "7d": 168, "30d": 720}.get(choice)
    return column_time(now - timedelta(hours=hours)) if hours else ""
