"""Lists of runs say what the logs say."""

from __future__ import annotations

from continuum.domain.events import EventType, Origin
from continuum.services.decisions import complete
from continuum.services.runs import list_runs
from tests.services.acting import by_ada, recorded, started


def listed(store):
    """Return (goal, status) of the only run."""
    (one,) = list_runs(store, limit=10)
    return one.run.goal, one.run.status


def test_o08_a_list_shows_goal_and_status_of_the_log(store, damage_row):
    run_id = started(store)
    damage_row(run_id, goal="EVIL", status="completed")

    assert listed(store) == ("Process the invoices", "started")


def test_a_goal_the_log_took_later_is_no_contradiction(store, damage_row):
    run_id = started(store)
    recorded(store, run_id, EventType.TASK_UPDATED, {"goal": "Process all"}, Origin.HUMAN)
    damage_row(run_id, goal="Process all")

    assert listed(store) == ("Process all", "started")


def test_a_row_that_lags_behind_its_closing_event_is_shown_closed(store, damage_row):
    run_id = started(store)
    complete(store, run_id, by_ada())
    damage_row(run_id, status="running")

    assert listed(store)[1] == "completed"


def test_a_log_that_cannot_be_read_still_lists_its_row(store, damage):
    run_id = started(store)
    damage(run_id, 1, payload="{broken")

    assert listed(store) == ("Process the invoices", "started")
