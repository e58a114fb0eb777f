"""Kept verification results: made by a job, withdrawn when they stop being true."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum import open_store
from continuum.core.errors import RunNotFound
from continuum.domain.chain import Verification
from continuum.services.breaks import explain_break
from continuum.services.chain import walk_chain
from continuum.services.standings import StandingState, standing
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, VerificationRow, run_job
from continuum.services.walks import (
    Progress,
    StoreReport,
    verify_store_with_progress,
    walk_with_progress,
)
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import progressed

LATER = NOON + timedelta(hours=2)


def last_of(kind, steps):
    """Return what steps end with; it must be of this kind."""
    *_, outcome = steps
    assert isinstance(outcome, kind)
    return outcome


def verify(store, run_id=None, by="ada"):
    """Run a verification to its end; return what was kept."""
    job = run_job(store, Order(run_id, by, "console"), clock=lambda: NOON)
    return last_of(VerificationRow, job)


def broken(store, run_id):
    """Return where the chain breaks; it must."""
    found = explain_break(store, run_id)
    assert found is not None
    return found


def state(store, run_id):
    return standing(store, run_id).state


def test_a_run_that_nobody_verified_is_not_green(store, make_run):
    run_id = make_run()
    catch_up(store, limit=10, at=NOON)

    assert state(store, run_id) is StandingState.UNVERIFIED


def test_a_healthy_run_is_verified_with_range_head_person_and_time(store, make_run):
    run_id = make_run(progress=4)

    row = verify(store, run_id)
    now = standing(store, run_id)

    assert (row.outcome, row.head_sequence, row.events) == ("verified", 5, 5)
    assert row.head_hash == store.head(run_id).hash
    assert (row.by_name, row.via) == ("ada", "console")
    assert now.is_green and now.result and now.result._replace(number=0) == row
    assert now.age_seconds(LATER) == 7200


def test_a_green_result_is_withdrawn_when_the_head_moves(store, make_run):
    run_id = make_run()
    verify(store, run_id)
    store.append(run_id, [progressed(1, at=NOON)])

    now = standing(store, run_id)

    assert now.state is StandingState.OUTDATED
    assert "1 events came after" in now.reason


def test_a_green_result_is_withdrawn_when_the_row_changes(store, store_url, make_run):
    run_id = make_run()
    verify(store, run_id)
    execute(store_url, "UPDATE runs SET goal = 'EVIL'")

    assert state(store, run_id) is StandingState.OUTDATED
    assert verify(store, run_id).bad_kind == "ROW_MISMATCH"
    assert state(store, run_id) is StandingState.BROKEN


@pytest.mark.parametrize(
    "columns", [{"payload": '{"completed": 9}'}, {"hash": "0" * 64}, {"source": "human"}]
)
def test_a_changed_event_is_broken_at_once_without_a_walk(store, store_url, make_run, columns):
    run_id = make_run(progress=3)
    verify(store, run_id)
    change(store_url, "events", {"run_id": run_id, "sequence": 2}, columns)

    now = standing(store, run_id)

    assert (now.state, now.bad_sequence) == (StandingState.BROKEN, 2)


def test_a_changed_event_that_was_put_back_asks_for_a_new_walk(store, store_url, make_run):
    run_id = make_run(progress=1)
    verify(store, run_id)
    before = store.event_row(run_id, 2).row.payload
    change(store_url, "events", {"sequence": 2}, {"payload": "{}"})
    change(store_url, "events", {"sequence": 2}, {"payload": before})

    assert state(store, run_id) is StandingState.TOUCHED
    verify(store, run_id)
    assert state(store, run_id) is StandingState.VERIFIED


def test_a_lost_end_is_broken_at_once(store, store_url, make_run):
    run_id = make_run(progress=3)
    verify(store, run_id)
    execute(store_url, "DELETE FROM events WHERE sequence = 4")

    now = standing(store, run_id)

    assert (now.state, now.bad_sequence) == (StandingState.BROKEN, 4)


def test_a_clock_that_was_set_back_hides_no_newer_result(store, store_url, make_run):
    run_id = make_run(progress=3)
    verify(store, run_id)
    execute(store_url, "UPDATE cx_verifications SET finished_at = '2999-01-01T00:00:00+00:00'")
    execute(store_url, "UPDATE runs SET status = 'completed'")
    verify(store, run_id)

    assert state(store, run_id) is StandingState.BROKEN


def test_verifying_an_unknown_run_is_refused_and_keeps_nothing(store):
    with pytest.raises(RunNotFound):
        verify(store, "nobody")

    assert store.verifications() == []


def walk_by(rows, monkeypatch):
    monkeypatch.setattr("continuum.domain.digests._BATCH_ROWS", rows)
    monkeypatch.setattr("continuum.services.walks.STEP_TURNS", 1)


def test_progress_goes_up_and_ends_with_the_outcome(store, make_run, monkeypatch):
    walk_by(2, monkeypatch)
    run_id = make_run(progress=6)

    steps = [*walk_with_progress(store, run_id)]
    outcome = last_of(Verification, steps)

    progress = [one for one in steps if isinstance(one, Progress)]
    assert [one.done for one in progress] == [2, 4, 6, 7]
    assert {one.total for one in progress} == {7}
    assert outcome.ok and outcome.checked == 7


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_walk_in_steps_finds_what_one_in_one_go_finds(
    store, store_url, make_run, monkeypatch, size
):
    walk_by(size, monkeypatch)
    run_id = make_run(progress=6)
    with store.writing(run_id) as writer:
        writer.archive(run_id, 4)
    for table, sequence in (("events_archive", 2), ("events_archive", 4), ("events", 6)):
        change(store_url, table, {"sequence": sequence}, {"source": "llm"})

    *_, outcome = walk_with_progress(store, run_id)

    assert outcome == walk_chain(store, run_id)


def test_a_job_that_is_given_up_keeps_that_and_no_green(store, make_run):
    run_id = make_run(progress=3)
    job = run_job(store, Order(run_id, "ada", "console"), clock=lambda: NOON)
    assert isinstance(next(job), Progress)

    job.close()

    assert [one.outcome for one in store.verifications(run_id)] == ["cancelled"]
    assert state(store, run_id) is StandingState.UNVERIFIED


def test_a_change_during_the_walk_is_not_covered_by_it(store, store_url, make_run):
    run_id = make_run(progress=3)
    job = run_job(store, Order(run_id, "ada", "console"), clock=lambda: NOON)
    next(job)
    change(store_url, "events", {"sequence": 2}, {"source": "human"})
    row = last_of(VerificationRow, job)

    assert row.outcome == "verified"
    assert store.head_mark(run_id).touched_sequence == 2
    assert state(store, run_id) is StandingState.BROKEN


def test_a_whole_store_is_verified_run_by_run(store, store_url, make_run):
    for number in range(5):
        make_run(f"run-{number}", progress=number)
    change(store_url, "events", {"run_id": "run-3", "sequence": 2}, {"source": "human"})

    row = verify(store)

    assert (row.outcome, row.runs, row.broken_runs, row.events) == ("broken", 5, 1, 15)
    assert (row.bad_run_id, row.bad_sequence, row.bad_kind) == ("run-3", 2, "TAMPERED_CONTENT")
    assert state(store, "run-4") is StandingState.VERIFIED
    assert state(store, "run-3") is StandingState.BROKEN


def test_repeated_passes_over_the_store_keep_one_green_result_a_run(store, make_run):
    run_id = make_run()
    for _ in range(3):
        verify(store)

    assert len(store.verifications(run_id)) == 1
    assert len(store.verifications()) == 4


def test_a_run_whose_row_is_gone_is_missed(store, store_url, make_run):
    make_run("stays")
    make_run("goes")
    execute(store_url, "DELETE FROM events WHERE run_id = 'goes'")
    execute(store_url, "DELETE FROM runs WHERE run_id = 'goes'")

    row = verify(store)

    assert (row.outcome, row.bad_run_id, row.bad_kind) == ("broken", "goes", "MISSING_RUN")


def test_a_row_that_cannot_be_read_does_not_stop_the_pass(store, store_url, make_run):
    make_run("a")
    make_run("b")
    execute(store_url, "UPDATE runs SET status = 'nonsense' WHERE run_id = 'a'")

    report = last_of(StoreReport, verify_store_with_progress(store))

    assert (report.runs, report.broken_runs) == (2, 1)
    assert report.broken[0].verification.run_id == "a"


def test_a_store_opened_for_reading_tells_the_standing(store, store_url, make_run):
    run_id = make_run()
    verify(store, run_id)
    with open_store(store_url, read_only=True) as reader:
        assert standing(reader, run_id).is_green


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ({"payload": '{"completed": 9}'}, "content"),
        ({"timestamp": "2020-01-01T00:00:00+00:00"}, "content"),
        ({"hash": "0" * 64}, "hash"),
        ({"prev_hash": "0" * 64}, "link"),
        ({"payload": "{"}, "unreadable"),
    ],
)
def test_the_difference_is_named(store, store_url, make_run, columns, kind):
    run_id = make_run(progress=4)
    change(store_url, "events", {"sequence": 3}, columns)

    found = broken(store, run_id)

    assert found.sequence == 3
    assert kind in [str(one.kind) for one in found.differences]
    assert found.before and found.before.row.sequence == 2
    assert found.after and found.after.row.sequence == 4


def test_a_gap_a_missing_tail_and_a_missing_archive_are_named(store, store_url, make_run):
    for run_id in ("gap", "tail", "archive"):
        make_run(run_id, progress=4)
    with store.writing("archive") as writer:
        writer.archive("archive", 3)
    execute(store_url, "DELETE FROM events WHERE run_id = 'gap' AND sequence = 3")
    execute(store_url, "DELETE FROM events WHERE run_id = 'tail' AND sequence >= 4")
    execute(store_url, "DELETE FROM events_archive WHERE run_id = 'archive'")

    kinds = {
        run_id: [str(one.kind) for one in broken(store, run_id).differences]
        for run_id in ("gap", "tail", "archive")
    }

    assert "gap" in kinds["gap"] and "replaced" in kinds["gap"]
    assert "missing_tail" in kinds["tail"]
    assert "missing_archive" in kinds["archive"] or "gap" in kinds["archive"]


def test_a_healthy_run_has_no_break_and_a_denying_row_is_one(store, store_url, make_run):
    run_id = make_run()
    assert explain_break(store, run_id) is None
    execute(store_url, "UPDATE runs SET goal = 'EVIL'")

    assert [str(one.kind) for one in broken(store, run_id).differences] == ["run_row"]
