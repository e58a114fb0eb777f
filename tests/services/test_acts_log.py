"""Who did what, read from the chains alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import InvalidInput
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.acts_log import ActQuery, human_acts
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import action_event, progressed


def confirmed(by, minutes, **members):
    at = NOON + timedelta(minutes=minutes)
    payload = {"components": ["goal"], "by": by, "via": "console", **members}
    return Draft(EventType.REVIEW_CONFIRMED, payload, Origin.HUMAN, at)


def settled(run_id, *, by=None, minutes=0):
    action = Action("action_1", run_id, "send_invoice", status=ActionStatus.COMPLETED)
    at = NOON + timedelta(minutes=minutes)
    draft = action_event("k", action, at=at, type=EventType.ACTION_RECONCILED)
    return draft._replace(payload={**draft.payload, **({"by": by} if by else {})})


@pytest.fixture
def busy(store, make_run):
    """Two runs on which two people and a probe acted, one of them compacted since."""
    make_run("one", progress=1)
    make_run("two")
    store.append("one", [confirmed("ada", 1, reason="counted")])
    store.append("two", [confirmed("bob", 2)])
    store.append("one", [settled("one", by="ada", minutes=3)])
    store.append("two", [settled("two", minutes=4)])
    with store.writing("one") as writer:
        writer.archive("one", 3)
    return store


def found(store, **filters):
    page = human_acts(store, ActQuery(**filters))
    return [(one.run_id, one.sequence, one.person, one.verb) for one in page.acts]


STARTS = [("two", 1, "", "start"), ("one", 1, "", "start")]


def test_acts_of_people_are_listed_newest_first_archive_included(busy):
    assert found(busy) == [
        ("one", 4, "ada", "settle"),
        ("two", 2, "bob", "confirm"),
        ("one", 3, "ada", "confirm"),
        *STARTS,
    ]


def test_a_settlement_by_nobody_is_no_act_of_a_person(busy):
    assert ("two", 3, "", "settle") not in found(busy)


@pytest.mark.parametrize(
    ("filters", "places"),
    [
        ({"person": "ada"}, [("one", 4), ("one", 3)]),
        ({"verb": "confirm"}, [("two", 2), ("one", 3)]),
        ({"verb": "review_confirmed"}, [("two", 2), ("one", 3)]),
        ({"verb": "confirm", "person": "bob"}, [("two", 2)]),
        ({"run_id": "two"}, [("two", 2), ("two", 1)]),
        ({"since": NOON + timedelta(minutes=2)}, [("one", 4), ("two", 2)]),
        ({"until": NOON + timedelta(minutes=2), "person": "ada"}, [("one", 3)]),
        ({"person": "eve"}, []),
    ],
)
def test_filters_narrow_the_list(busy, filters, places):
    assert [one[:2] for one in found(busy, **filters)] == places


def test_an_act_says_why_where_and_by_which_event(busy):
    (act,) = human_acts(busy, ActQuery(verb="confirm", person="ada")).acts

    assert (act.reason, act.via, act.source, act.archived) == ("counted", "console", "human", True)
    assert act.hash == busy.event_row("one", 3).row.hash


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_follow_each_other_without_loss_or_repeat(busy, size):
    seen, before = [], None
    while True:
        page = human_acts(busy, ActQuery(limit=size, before=before))
        seen += [(one.run_id, one.sequence) for one in page.acts]
        before = page.next
        if before is None:
            break

    assert seen == [one[:2] for one in found(busy)]


def test_a_search_for_a_rare_name_is_bounded_and_goes_on(busy, monkeypatch):
    monkeypatch.setattr("continuum.services.acts_log.ROWS_SEARCHED", 2)

    page = human_acts(busy, ActQuery(person="nobody"))

    assert page.acts == ()
    assert page.next is not None


def test_many_acts_on_one_moment_are_all_found(store, make_run):
    run_id = make_run()
    store.append(run_id, [confirmed("ada", 0) for _ in range(250)])

    first = human_acts(store, ActQuery(limit=200))
    rest = human_acts(store, ActQuery(limit=200, before=first.next))

    assert len(first.acts) == 200
    assert len({one.sequence for one in (*first.acts, *rest.acts)}) == 251


def test_a_damaged_act_is_shown_as_such(busy, store_url):
    change(store_url, "events", {"run_id": "two", "sequence": 2}, {"payload": "{broken"})

    (act,) = [one for one in human_acts(busy, ActQuery(run_id="two")).acts if one.sequence == 2]

    assert (act.readable, act.person) == (False, "")


def test_an_unknown_verb_is_refused(store):
    with pytest.raises(InvalidInput, match="there is no act"):
        human_acts(store, ActQuery(verb="bribe"))


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_the_list_comes_from_an_index(store, store_url, make_run):
    plan = store._database._connection.execute(
        "EXPLAIN QUERY PLAN SELECT run_id FROM events "
        "WHERE (source = 'human' OR type IN ('ACTION_RECONCILED', 'ACTION_COMPENSATED')) "
        "ORDER BY timestamp DESC, run_id DESC, sequence DESC LIMIT 5"
    ).fetchall()

    assert "cx_events_human" in str(plan) and "TEMP B-TREE" not in str(plan)


def test_acts_of_a_store_without_our_tables_are_found_too(busy, store_url):
    execute(store_url, "DROP INDEX cx_events_human")
    busy.append("two", [progressed(1, at=NOON)])

    assert len(found(busy)) == 5
