"""The inbox: one row per question, worst and oldest first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import NotFound, OutcomeUnknown
from continuum.services.actions import Claim, Holder, Settlement, claim_action, complete_action
from continuum.services.acts import Act
from continuum.services.decisions import confirm, settle
from continuum.services.desk import claim
from continuum.services.inbox import counts, get_item, open_items
from continuum.services.plans import PlanWrite, record_plan
from continuum.services.summaries import catch_up, list_summaries
from continuum.store.modelport import ItemQuery, SummaryQuery
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
    claim(store, items[0].item_id, Act("ada", "cli", LATER))

    told = counts(store, "ada", NOON)

    assert (told.open, told.unclaimed, told.mine) == (3, 2, 1)
    mine = open_items(store, ItemQuery(state="mine", person="ada"))
    assert [item.item_id for item in mine] == [items[0].item_id]


def test_an_item_of_another_store_is_not_found(store):
    with pytest.raises(NotFound):
        get_item(store, "nonsense")


def test_a_claim_survives_a_new_assessment(store):
    run_id = started(store)
    claimed(store, run_id)
    (item,) = inbox(store)
    claim(store, item.item_id, Act("ada", "cli", LATER))

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


def test_m30_a_live_claim_is_nobodys_question_until_its_lease_is_over(store):
    run_id = started(store)
    held = Claim("pay", key="bill:1", holder=Holder("probe", "connection-1"))
    key = claim_action(store, run_id, held, at=NOON).key

    def listed(at):
        catch_up(store, limit=100, at=at)
        return [item.title for item in open_items(store, ItemQuery())]

    assert listed(NOON + timedelta(minutes=14)) == []
    (row,) = list_summaries(store, SummaryQuery())
    assert (row.mode, row.open_actions) == ("request_human", 1)
    head = store.head(run_id)
    assert listed(NOON + timedelta(minutes=15)) == ["pay · outcome unknown"]
    assert store.head(run_id) == head, "time alone brings it up"
    complete_action(store, run_id, key, at=NOON + timedelta(minutes=16))
    assert listed(NOON + timedelta(minutes=16)) == []


def test_m30_a_claim_that_somebody_doubts_is_a_question_at_once(store):
    run_id = started(store)
    at = NOON + timedelta(minutes=1)
    for connection in ("connection-1", "connection-2"):
        held = Claim("pay", key="bill:1", holder=Holder("probe", connection))
        try:
            claim_action(store, run_id, held, at=at)
        except OutcomeUnknown:
            continue

    catch_up(store, limit=100, at=at)

    assert [item.title for item in open_items(store, ItemQuery())] == ["pay · outcome unknown"]


def test_a_lease_longer_than_anybody_gives_out_hides_nothing(store):
    run_id = started(store)
    forever = Claim("pay", key="k", holder=Holder("probe", "c", lease_seconds=10**8))
    claim_action(store, run_id, forever, at=NOON)

    catch_up(store, limit=100, at=NOON)

    assert len(open_items(store, ItemQuery())) == 1


def test_a_plan_in_doubt_is_one_question_with_the_rest_of_the_report(store):
    run_id = started(store, agent=True)
    record_plan(store, run_id, PlanWrite("main", [{"id": "a", "title": "A"}]), at=NOON)

    assert [item.title for item in inbox(store)] == ["Goal and plan self-reported"]
    confirm(store, run_id, by_ada())
    assert inbox(store) == []

    contrary = {"id": "a", "depends_on": ["a"]}
    record_plan(store, run_id, PlanWrite("main", [contrary]), at=LATER)
    assert [item.title for item in inbox(store)] == ["Plan contradicts itself: main"]
