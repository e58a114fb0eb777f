"""The list of all actions: open ones, then settled ones, over pages."""

from __future__ import annotations

from datetime import timedelta

from continuum.domain.actions import ActionStatus
from continuum.services import desk, inbox, summaries
from continuum.services.actionlists import ActionQuery, list_all_actions
from continuum.services.acts import Act
from tests.conftest import NOON
from tests.store.test_ledger import action
from tests.stores import action_event


def keys(page):
    """Return the keys of a page, open and settled apart."""
    return [row.action.key for row in page.open], [row.action.key for row in page.settled]


def make(store, make_run):
    """Make a run with three open actions and two that are done, `e` last."""
    make_run("run_a", claimed=["a", "b", "c", "d", "e"])
    for minute, key in enumerate(["d", "e"]):
        at = NOON + timedelta(minutes=minute)
        record = action(key, status=ActionStatus.COMPLETED)
        store.append("run_a", [action_event(key, record, at=at)])
    summaries.catch_up(store, limit=9, at=NOON)


def test_pages_go_from_open_ones_to_settled_ones(store, make_run):
    make(store, make_run)

    first = list_all_actions(store, ActionQuery(limit=2))
    second = list_all_actions(store, ActionQuery(limit=2, after=first.next))
    third = list_all_actions(store, ActionQuery(limit=2, after=second.next))

    assert [keys(page) for page in (first, second, third)] == [
        (["a", "b"], []),
        (["c"], ["e"]),
        ([], ["d"]),
    ]
    assert third.next is None


def test_a_page_that_ends_with_the_list_has_no_next(store, make_run):
    make(store, make_run)

    assert list_all_actions(store, ActionQuery(limit=5)).next is None


def test_who_works_on_an_open_action_is_named(store, make_run):
    make(store, make_run)
    desk.claim(store, inbox.item_id_of("run_a", "action", "b"), Act("op-1", "console", NOON))

    page = list_all_actions(store, ActionQuery())

    assert [row.claimed_by for row in page.open] == [None, "op-1", None]
