"""The inbox: one row per question, worst and oldest first."""

from __future__ import annotations

import pytest

from continuum.core.errors import AlreadyDecided, NotAllowed, NotFound
from continuum.services.actions import Settlement
from continuum.services.decisions import settle
from continuum.services.inbox import claim, counts, get_item, open_items, release
from continuum.services.summaries import catch_up, list_summaries
from continuum.store.base import ItemQuery, SummaryQuery
from tests.services.acting import LATER, NOON, by_ada, claimed, reported, started


def inbox(store):
    """Catch up and return what is open."""
    catch_up(store, limit=100, at=LATER)
    return open_items(store, ItemQuery())


def test_a_safe_run_asks_nobody(store):
    started(store)

    assert inbox(store) == []


def test_worst_comes_first(store, damage):
    reported(store, started(store, "reported", agent=True), 1, 9)
    claimed(store, started(store, "uncertain"))
    started(store, "damaged")
    damage("damaged", 1, payload='{"goal": "?"}')

    items = inbox(store)

    assert [item.run_id for item in items] == ["damaged", "uncertain", "reported"]


def test_two_open_actions_are_two_items(store):
    run_id = started(store)
    claimed(store, run_id, "a")
    claimed(store, run_id, "b")

    items = inbox(store)

    assert [item.kind for item in items] == ["action", "action"]
    assert len({item.item_id for item in items}) == 2


def test_a_parent_that_only_waits_for_a_child_is_no_item(store):
    started(store, "parent")
    claimed(store, started(store, "child", parent="parent"))

    items = inbox(store)

    assert [(item.run_id, item.parent_run_id) for item in items] == [("child", "parent")]


def test_a_settled_action_leaves_with_who_settled_it_and_where(store):
    run_id = started(store)
    key = claimed(store, run_id)
    (item,) = inbox(store)

    settle(store, run_id, key, by_ada(via="console"), Settlement(True))

    left = get_item(store, item.item_id)
    assert (left.closed_by, left.closed_via) == ("ada", "console")
    assert inbox(store) == []


def test_counts_and_list_come_from_the_same_rows(store):
    for number in range(3):
        claimed(store, started(store, f"run-{number}"))
    items = inbox(store)
    claim(store, items[0].item_id, "ada", at=LATER)

    told = counts(store, "ada", NOON)

    assert (told.open, told.unclaimed, told.mine) == (3, 2, 1)
    mine = open_items(store, ItemQuery(state="mine", person="ada"))
    assert [item.item_id for item in mine] == [items[0].item_id]


def test_a_claimed_item_is_taken_and_given_back_by_its_holder_only(store):
    claimed(store, started(store))
    (item,) = inbox(store)
    claim(store, item.item_id, "ada", at=LATER)

    with pytest.raises(AlreadyDecided, match="ada"):
        claim(store, item.item_id, "bob", at=LATER)
    with pytest.raises(NotAllowed, match="ada"):
        release(store, item.item_id, "bob", at=LATER)
    released = release(store, item.item_id, "ada", at=LATER)

    assert released.claimed_by is None
    with pytest.raises(NotFound):
        get_item(store, "nonsense")


def test_a_claim_survives_a_new_assessment(store):
    run_id = started(store)
    claimed(store, run_id)
    (item,) = inbox(store)
    claim(store, item.item_id, "ada", at=LATER)

    reported(store, run_id, 1)
    again = [one for one in inbox(store) if one.item_id == item.item_id]

    assert [one.claimed_by for one in again] == ["ada"]


def test_the_list_of_runs_shows_the_verdict_without_a_rescan(store):
    started(store, "one")
    claimed(store, started(store, "two"))
    catch_up(store, limit=10, at=LATER)

    rows = {row.run_id: row for row in list_summaries(store, SummaryQuery())}

    assert rows["one"].safe
    assert (rows["two"].mode, rows["two"].open_actions) == ("request_human", 1)
    assert catch_up(store, limit=10, at=LATER) == 0
