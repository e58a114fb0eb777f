"""How the desk does: open items, pace, decisions, overruling, refusals."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import CallerRefused
from continuum.domain.callerrows import OTHERS
from continuum.services.actions import Settlement
from continuum.services.decisions import complete, settle
from continuum.services.foureyes import actions_of, require_two
from continuum.services.inbox import ItemQuery, counts, open_items
from continuum.services.queuehealth import read_health
from continuum.services.summaries import catch_up
from continuum.wire.metrics import MOST_SERIES, queue_metrics
from tests.services.acting import LATER, NOON, by_ada, claimed, completed, reported, started
from tests.services.callers import call

YES = Settlement(occurred=True)


def waiting(store, run_id, minutes=60):
    """Make a run with an unresolved action that has waited since noon."""
    key = claimed(store, started(store, run_id))
    catch_up(store, limit=50, at=NOON + timedelta(minutes=minutes))
    return key


def test_open_items_agree_with_list_badge_and_metric(store):
    for name in ("run-a", "run-b"):
        waiting(store, name)
    reported(store, started(store, "run-c", agent=True), 3)
    catch_up(store, limit=50, at=LATER)

    health = read_health(store, LATER)

    assert health.open_items == len(open_items(store, ItemQuery())) == 3
    assert health.open_items == counts(store, "ada", NOON).open
    assert [(one.kind, one.severity.name, one.items) for one in health.open] == [
        ("action", "OUTCOME_UNKNOWN", 2),
        ("verdict", "REVIEW", 1),
    ]
    assert health.oldest_seconds == 3600
    text = queue_metrics(health)
    assert 'continuum_open_items{kind="action",severity="outcome_unknown"} 2\n' in text
    assert "continuum_oldest_open_item_seconds 3600\n" in text


def test_pace_is_the_time_from_opening_to_decision(store):
    for number, minutes in enumerate((1, 2, 3, 4, 100)):
        key = waiting(store, f"run-{number}")
        settle(store, f"run-{number}", key, by_ada(at=NOON + timedelta(minutes=minutes)), YES)

    health = read_health(store, LATER + timedelta(hours=1))

    assert (health.today.decided, health.today.elsewhere) == (5, 0)
    assert (health.today.p50_seconds, health.today.p90_seconds) == (180, 6000)
    assert health.week == health.today
    assert [day.decided for day in health.days] == [0, 0, 0, 0, 0, 0, 5]
    tomorrow = read_health(store, LATER + timedelta(days=1))
    assert tomorrow.today.p50_seconds is None
    assert tomorrow.week.decided == 5
    assert read_health(store, LATER + timedelta(days=8)).week.decided == 0


def test_decisions_are_counted_by_verb_and_person_and_overruling_apart(store):
    key = completed(store, started(store))
    settle(store, "run-a", key, by_ada(), Settlement(False, correction=True))
    claimed(store, started(store, "run-b"))
    complete(store, "run-b", by_ada(by="bob"), over_open_items=True)
    complete(store, started(store, "run-c"), by_ada(by="bob"))

    health = read_health(store, LATER)

    assert [tuple(row) for row in health.decisions] == [
        ("complete", "bob", 2, 1),
        ("settle", "ada", 1, 1),
    ]
    assert (health.decided, health.overturned) == (3, 2)
    assert 'continuum_decisions_7d{verb="complete"} 2\n' in queue_metrics(health)
    assert "continuum_overturned_7d 2\n" in queue_metrics(health)


def test_what_waits_for_a_second_person_is_shown(store):
    key = waiting(store, "run-a")
    require_two(store, actions_of("*"), by_ada())
    settle(store, "run-a", key, by_ada(), YES)

    assert [row.run_id for row in read_health(store, LATER).proposals] == ["run-a"]


def test_an_empty_store_has_an_idle_desk(store):
    health = read_health(store, LATER)

    assert (health.open_items, health.oldest_seconds, health.decided) == (0, 0.0, 0)
    assert "continuum_oldest_open_item_seconds 0\n" in queue_metrics(health)
    assert "NaN" not in queue_metrics(health)


def test_metrics_name_no_run_and_no_person(store):
    key = waiting(store, "run-secret")
    settle(store, "run-secret", key, by_ada(by="person-secret"), YES)

    assert "secret" not in queue_metrics(read_health(store, LATER))


def test_refused_calls_are_counted_by_caller_and_reason_and_the_names_are_bounded(store):
    hostile = 'a"} 1\nfake_metric 9 #' + "x" * 200
    for name in [hostile, "twice", "twice", *(f"caller-{n}" for n in range(MOST_SERIES + 5))]:
        with pytest.raises(CallerRefused):
            call(store, name, at=LATER)

    text = queue_metrics(read_health(store, LATER))

    family = [line for line in text.splitlines() if line.startswith("continuum_caller_refused")]
    assert 'continuum_caller_refused_calls_24h{caller="twice",reason="unknown"} 2' in family
    assert f'continuum_caller_refused_calls_24h{{caller="{OTHERS}",reason="unknown"}} 7' in family
    assert len(family) == len({line.rpartition(" ")[0] for line in family}) == MOST_SERIES + 1
    assert not any(line.startswith("fake_metric") for line in text.splitlines())
    total = MOST_SERIES + 5 + 3
    assert f'continuum_refused_calls_24h{{reason="unknown"}} {total}\n' in text
