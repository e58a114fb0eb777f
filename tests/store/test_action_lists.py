"""Lists of the actions of all runs: order, filters, pages, and stores from before them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum import open_store
from continuum.core.clock import body_time, column_time
from continuum.domain.actions import ActionStatus
from continuum.services import summaries
from continuum.store.actionport import ActionQuery
from tests.conftest import NOON
from tests.outsiders import execute
from tests.store.rows import item_of
from tests.store.test_ledger import action, write_around
from tests.stores import action_event, claimed_action


def begun(key, minutes, **members):
    """Return a claim that began `minutes` after noon."""
    started = body_time(NOON + timedelta(minutes=minutes))
    return claimed_action("run_a", key, at=NOON, started_at=started, **members)


def settled(key, minutes, status=ActionStatus.COMPLETED, **members):
    """Return a record of `key` that was written `minutes` after noon."""
    at = NOON + timedelta(minutes=minutes)
    return action_event(key, action(key, status=status, **members), at=at)


@pytest.fixture
def ledgers(store, make_run):
    """Two runs: open are c, a and d in this order; b is done, then e failed."""
    make_run("run_a", goal="Send 100% of_all")
    make_run("run_b")
    with store.writing() as writer:
        writer.append("run_a", [begun("a", 2), begun("b", 1), begun("c", 0)])
        writer.append("run_a", [settled("b", 5, external_id="Receipt-7")])
        writer.append("run_b", [begun("d", 3, action_type="wire_money", external_id="rec_9")])
        writer.append("run_b", [begun("e", 4), settled("e", 9, ActionStatus.FAILED)])
    summaries.catch_up(store, limit=9, at=NOON)
    return store


def opened(store, **filters):
    return [one.key for one in store.open_actions(ActionQuery(**filters))]


def done(store, **filters):
    return [one.key for one in store.settled_actions(ActionQuery(**filters))]


def test_open_ones_come_longest_waiting_first_and_settled_ones_newest_first(ledgers):
    assert opened(ledgers) == ["c", "a", "d"]
    assert done(ledgers) == ["e", "b"]


def test_a_row_says_what_the_list_shows(ledgers):
    [row] = ledgers.settled_actions(ActionQuery(external_id="Receipt-7"))

    assert (row.run_id, row.goal, row.status) == ("run_a", "Send 100% of_all", "completed")
    assert row.moment == column_time(NOON + timedelta(minutes=5))
    assert (row.attempts, row.is_open) == (1, False)


def test_pages_meet_without_gap(ledgers):
    first = ledgers.open_actions(ActionQuery(limit=2))
    second = ledgers.open_actions(ActionQuery(limit=2, after=first[-1].cursor))
    [newest] = ledgers.settled_actions(ActionQuery(limit=1))
    older = ledgers.settled_actions(ActionQuery(after=newest.cursor))

    assert [row.key for row in [*first, *second]] == ["c", "a", "d"]
    assert [newest.key, *(row.key for row in older)] == ["e", "b"]


def test_filters_narrow_the_list(ledgers):
    minute = column_time(NOON + timedelta(minutes=2))

    assert opened(ledgers, action_type="wire_money") == ["d"]
    assert done(ledgers, statuses=("failed",)) == ["e"]
    assert opened(ledgers, since=minute) == ["a", "d"]
    assert opened(ledgers, until=minute) == ["c", "a"]
    assert opened(ledgers, text="RUN_B") == ["d"]
    assert opened(ledgers, text="100% of_all") == ["c", "a"]
    assert opened(ledgers, text="100%of") == []


def test_an_external_id_is_found_by_how_it_begins_and_literally(ledgers):
    assert done(ledgers, external_id="Receipt-7") == ["b"]
    assert done(ledgers, external_id="Rec") == ["b"]
    assert done(ledgers, external_id="receipt") == []
    assert opened(ledgers, external_id="rec_") == ["d"]
    assert opened(ledgers, external_id="rec%") == []


def test_an_open_action_keeps_its_age_when_its_record_changes(ledgers):
    began = body_time(NOON)
    later = settled("c", 30, ActionStatus.UNKNOWN, started_at=began)
    ledgers.append("run_a", [later])

    [first, *_] = ledgers.open_actions(ActionQuery())

    assert (first.key, first.status, first.moment) == ("c", "unknown", column_time(NOON))


def test_a_malformed_record_stays_open(ledgers, store_url):
    broken = settled("c", 30)
    members = {**broken.payload, "action": {"action_id": "x", "status": "nonsense"}}
    write_around(ledgers, store_url, "run_a", broken._replace(payload=members))
    with ledgers.writing("run_a") as writer:
        writer.catch_up_ledger("run_a")
    ledgers.append("run_a", [settled("c", 40)])

    assert "c" in opened(ledgers, statuses=("unreadable",))
    assert "c" not in done(ledgers)


def test_actions_of_another_client_are_listed_once_their_run_is_judged(ledgers, store_url):
    write_around(ledgers, store_url, "run_b", begun("f", 1))
    assert "f" not in opened(ledgers)

    summaries.catch_up(ledgers, limit=9, at=NOON)

    assert opened(ledgers) == ["c", "f", "a", "d"]
    assert ledgers.ledger_drift("run_b") == 0


def test_holders_of_items_are_told(ledgers):
    with ledgers.writing() as writer:
        writer.save_items("run_a", [item_of("run_a", "i1"), item_of("run_a", "i2")], at=NOON)
        writer.claim_item("i2", "op-1", NOON)

    assert ledgers.item_holders(["i1", "i2", "i3"]) == {"i2": "op-1"}


def test_a_store_from_before_the_lists_is_filled(ledgers, store_url):
    expected = [ledgers.open_actions(ActionQuery()), ledgers.settled_actions(ActionQuery())]
    ledgers.close()
    for name in ("cx_actions_listed", "cx_actions_by_external_id", "cx_actions_in_order"):
        execute(store_url, f"DROP INDEX {name}")
    for name in ("moment", "is_open"):
        execute(store_url, f"ALTER TABLE cx_actions DROP COLUMN {name}")
    execute(store_url, "UPDATE cx_meta SET value = '5' WHERE key = 'schema_version'")

    with open_store(store_url, read_only=True) as before:
        assert not before.has_action_lists
        assert before.open_actions(ActionQuery()) == []
        assert before.item_holders(["i1"]) == {}
    with open_store(store_url) as after:
        found = [after.open_actions(ActionQuery()), after.settled_actions(ActionQuery())]

    assert found == expected
