"""Chains are verified on schedule, the longest unchecked first, and never at the lists' expense."""

from __future__ import annotations

from datetime import timedelta
from time import monotonic

import pytest

from continuum.core.clock import column_time, utc_now
from continuum.services import verifyjobs
from continuum.services.standings import StandingState, standing
from continuum.services.verifications import Order, run_job
from continuum.services.verifyjobs import open_job, start_job
from continuum.store.statements import Statements
from runs import schedule as schedule_module
from runs.chores import Chores
from runs.keeper import Keeper
from runs.schedule import Schedule
from tests.outsiders import change, execute

DAY = timedelta(days=1)


def steps(store, schedule, most=50):
    """Let a schedule work until nothing is due."""
    for _ in range(most):
        schedule.step(store)


def verified_at(store, run_id, at):
    list(run_job(store, Order(run_id, "ada", "cli"), clock=lambda: at))


def verified_by(store, run_id):
    """Return who verified a run last."""
    row = store.newest_verification(run_id)
    return row and (row.by_name, row.via)


def test_every_run_is_verified_once_and_not_again(store, store_url, make_run):
    for name in ("run_a", "run_b"):
        make_run(name)
    schedule = Schedule(store_url, DAY)

    steps(store, schedule)

    assert standing(store, "run_a").is_green and standing(store, "run_b").is_green
    assert verified_by(store, "run_a") == ("schedule", "schedule")
    assert len(store.verifications()) == 2
    steps(store, Schedule(store_url, DAY))
    assert len(store.verifications()) == 2


def test_one_healthy_result_of_the_schedule_is_kept(store, make_run):
    make_run()
    for by in ("schedule", "schedule", "cli", "schedule"):
        list(run_job(store, Order("run_a", by, by), clock=utc_now))

    assert [row.via for row in store.verifications("run_a")] == ["schedule", "cli"]


def test_damage_is_found_though_no_trigger_saw_it(store, store_url, make_run):
    make_run(progress=2)
    change(store_url, "events", {"run_id": "run_a", "sequence": 2}, {"payload": "{}"})

    steps(store, Schedule(store_url, DAY))

    known = standing(store, "run_a")
    assert (known.state, known.bad_sequence) == (StandingState.BROKEN, 2)


def test_what_a_person_verified_is_not_walked_again_before_its_time(store, store_url, make_run):
    make_run()
    list(run_job(store, Order("run_a", "ada", "console"), clock=utc_now))

    steps(store, Schedule(store_url, DAY))

    assert verified_by(store, "run_a") == ("ada", "console")


def test_a_long_walk_goes_on_at_the_next_step(store, store_url, make_run, monkeypatch):
    make_run(progress=3)
    monkeypatch.setattr(verifyjobs, "BEAT_SECONDS", 0)
    moments = iter(range(10**6))
    monkeypatch.setattr(schedule_module, "monotonic", lambda: next(moments))
    monkeypatch.setattr(schedule_module, "STEP_SECONDS", 3)
    monkeypatch.setattr(schedule_module, "_REST_SECONDS", 0)
    schedule = Schedule(store_url, DAY)

    schedule.step(store)
    job = open_job(store, "run_a")
    assert job is not None and job.done
    steps(store, schedule, most=5)

    assert standing(store, "run_a").is_green
    assert open_job(store, "run_a") is None


def test_giving_up_in_the_middle_leaves_no_job_behind(store, store_url, make_run, monkeypatch):
    make_run(progress=3)
    moments = iter(range(10**6))
    monkeypatch.setattr(schedule_module, "monotonic", lambda: next(moments))
    monkeypatch.setattr(schedule_module, "STEP_SECONDS", 3)
    schedule = Schedule(store_url, DAY)
    schedule.step(store)

    schedule.close()

    assert open_job(store, "run_a") is None
    assert [row.outcome for row in store.verifications()] == ["cancelled"]


def test_a_run_that_somebody_verifies_is_left_to_them(store, store_url, make_run):
    make_run()
    start_job(store, Order("run_a", "ada", "console"), at=utc_now())

    steps(store, Schedule(store_url, DAY))

    assert store.verifications() == []


@pytest.mark.parametrize("every", [None])
def test_without_a_schedule_nothing_is_verified(store, store_url, make_run, every):
    make_run()

    steps(store, Schedule(store_url, every))

    assert store.verifications() == []


def test_the_keeper_verifies_while_it_keeps_lists(
    store, store_url, make_run, tmp_path, monkeypatch
):
    monkeypatch.setattr(Chores, "step", lambda *_: None)
    make_run(progress=2)
    keeper = Keeper(store_url, tmp_path / "keeper.lock", DAY)
    keeper.start()
    deadline = monotonic() + 20
    while not standing(store, "run_a").is_green and monotonic() < deadline:
        keeper.join(0.05)
    keeper.stop()
    keeper.join(20)

    assert verified_by(store, "run_a") == ("schedule", "schedule")
    assert store.summary("run_a") is not None


def test_a_look_finds_what_is_due_and_rests(store, store_url, make_run):
    for name in ("run_a", "run_b", "run_c"):
        make_run(name)
    for name, ago in (("run_b", 3 * DAY), ("run_c", timedelta(0))):
        verified_at(store, name, utc_now() - ago)
    now, until = column_time(utc_now()), column_time(utc_now() - DAY)

    assert store.longest_unchecked(until=until, now=now, limit=9) == ["run_a", "run_b"]
    assert store.longest_unchecked(until=until, now=now, limit=1) == ["run_a"]
    assert store.unmarked_runs(after="", limit=2) == ([], "run_b")
    assert store.unmarked_runs(after="run_b", limit=2) == ([], "")


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_look_reads_no_run_that_is_not_due(store):
    values = {"until": "b", "now": "c", "limit": 5}
    text = Statements("sqlite").text("verifications.longest_unchecked", values)

    plan = store._database._connection.execute(f"EXPLAIN QUERY PLAN {text}", values).fetchall()

    read = [row[-1] for row in plan if "cx_heads" in row[-1]]
    assert len(read) == 2
    assert all("SEARCH cx_heads USING COVERING INDEX cx_heads_checked" in line for line in read)
    assert not any("TEMP B-TREE" in row[-1] for row in plan)


def test_a_run_whose_mark_was_deleted_is_verified_all_the_same(store, store_url, make_run):
    make_run(progress=2)
    change(store_url, "events", {"run_id": "run_a", "sequence": 2}, {"payload": "{}"})
    for table in ("cx_heads", "cx_touched"):
        execute(store_url, f"DELETE FROM {table}")

    steps(store, Schedule(store_url, DAY), most=2)

    known = standing(store, "run_a")
    assert (known.state, known.bad_sequence) == (StandingState.BROKEN, 2)
    assert len(store.verifications()) == 1


def test_a_verification_that_a_wrong_clock_dated_ahead_is_done_again(store, store_url, make_run):
    make_run()
    ahead = utc_now() + 400 * DAY
    list(run_job(store, Order("run_a", "ada", "cli"), clock=lambda: ahead))

    steps(store, Schedule(store_url, DAY), most=2)

    assert verified_by(store, "run_a") == ("schedule", "schedule")
