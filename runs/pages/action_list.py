"""The list of actions: effects outside of all runs, what nobody has settled first."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput
from continuum.services.actionlists import (
    OPEN_STATUSES,
    ActionCursor,
    ActionQuery,
    list_all_actions,
)
from runs.pages.inbox import refresh

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.actionlists import ActionListPage
    from continuum.store.base import Store

PAGE = 50


class Age(NamedTuple):
    """A stretch of time: everything younger than `hours`, or everything older."""

    label: str
    hours: int
    is_older: bool = False


AGES = {
    "24h": Age("Last 24 hours", 24),
    "7d": Age("Last 7 days", 168),
    "over-1h": Age("Over an hour old", 1, is_older=True),
    "over-24h": Age("Over a day old", 24, is_older=True),
    "over-7d": Age("Over a week old", 168, is_older=True),
}


class ActionFilters(NamedTuple):
    """What the address says.

    Attributes:
        outside: how what the outside calls it begins.
        after: where the page goes on, as `next_cursor` wrote it.
    """

    text: str = ""
    type: str = ""
    outside: str = ""
    status: str = ""
    age: str = ""
    after: str = ""

    @property
    def is_set(self) -> bool:
        """True when fewer actions than all may be shown."""
        return any(self._replace(after=""))


class ActionList(NamedTuple):
    """One page of actions.

    Attributes:
        is_available: False for a store that an older version wrote and that is only read.
    """

    filters: ActionFilters
    page: ActionListPage
    is_available: bool

    @property
    def next_cursor(self) -> str:
        """The place of the next page, for the address; empty at the end."""
        return json.dumps(self.page.next, ensure_ascii=False) if self.page.next else ""

    @property
    def is_empty(self) -> bool:
        """True when there is no row at all."""
        return not (self.page.open or self.page.settled)

    @property
    def types(self) -> list[str]:
        """The types on this page, to choose from."""
        rows = [*self.page.open, *self.page.settled]
        return sorted({row.action.action_type for row in rows})[:20]


def build(store: Store, filters: ActionFilters, *, now: datetime) -> ActionList:
    """Return one page.

    Raises:
        InvalidInput: the place in the address is none.
    """
    refresh(store, now)
    since, until = _times(filters.age, now)
    query = ActionQuery(
        statuses=_statuses(filters.status),
        action_type=filters.type,
        text=filters.text,
        external_id=filters.outside,
        since=since,
        until=until,
        after=read_place(filters.after),
        limit=PAGE,
    )
    return ActionList(filters, list_all_actions(store, query), store.has_action_lists)


def read_place(text: str) -> ActionCursor | None:
    """Return the place an address names, None for the beginning.

    Raises:
        InvalidInput: it names none.
    """
    if not text:
        return None
    try:
        is_open, *names = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        names = []
    if len(names) != 3 or not all(isinstance(name, str) for name in names):
        raise InvalidInput("this page address is broken; start again from the first page")
    return ActionCursor(bool(is_open), *names)


def _statuses(choice: str) -> tuple[str, ...]:
    if choice == "open":
        return OPEN_STATUSES
    return (choice,) if choice else ()


def _times(choice: str, now: datetime) -> tuple[str, str]:
    age = AGES.get(choice)
    if age is None:
        return "", ""
    edge = column_time(now - timedelta(hours=age.hours))
    return ("", edge) if age.is_older else (edge, "")
