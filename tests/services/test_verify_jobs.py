"""Verification jobs: one at a time, seen from anywhere, cancellable, restartable when dead."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from continuum.core.clock import utc_now
from continuum.core.errors import Conflict, RunNotFound, StoreChanged
from continuum.services import verifyjobs
from continuum.services.standings import standing
from continuum.services.verifications import Order
from continuum.services.verifyjobs import DEAD_AFTER, open_job, start_job, stop_job, work
from tests.conftest import NOON

ROOT = Path(__file__).parents[2]
LATER = NOON + DEAD_AFTER + timedelta(seconds=1)


def order(run_id="run_a", by="ada"):
    return Order(run_id, by, "console")


def outcomes(store, run_id=None):
    """Return the kept results, newest first."""
    return [row.outcome for row in store.verifications(run_id)]


@pytest.fixture
def every_step(monkeypatch):
    """Have every step of a walk renew the row, however fast it is."""
    monkeypatch.setattr(verifyjobs, "BEAT_SECONDS", 0)


def test_a_job_is_seen_from_another_connection_until_it_ends(store, open_other, make_run):
    make_run(progress=3)
    job = start_job(store, order(), at=NOON)
    other = open_other()

    assert open_job(other, "run_a") == job
    assert outcomes(other) == []
    result = work(store, open_other(), job, clock=lambda: NOON)

    assert result is not None and result.outcome == "verified"
    assert open_job(other, "run_a") is None
    assert outcomes(other) == ["verified"]
    assert standing(other, "run_a").is_green


def test_the_progress_of_a_job_is_kept(store, open_other, make_run, every_step, monkeypatch):
    make_run(progress=3)
    other, seen = open_other(), []
    beat = verifyjobs._beat

    def watched(*args):
        going = beat(*args)
        job = open_job(other, "run_a")
        assert job is not None
        seen.append(job)
        return going

    monkeypatch.setattr(verifyjobs, "_beat", watched)
    work(store, open_other(), start_job(store, order(), at=NOON), clock=lambda: NOON)

    assert [(one.done, one.total, one.current) for one in seen] == [
        (4, 8, "run_a"),
        (8, 8, "run_a"),
    ]
    assert [one.per_cent for one in seen] == [50, 100]


def test_only_one_job_of_a_run_goes_on(store, make_run):
    make_run("run_a")
    make_run("run_b")
    start_job(store, order(), at=NOON)

    with pytest.raises(Conflict, match="ada started a verification already"):
        start_job(store, order(by="eve"), at=NOON)
    start_job(store, order("run_b"), at=NOON)
    start_job(store, order(None), at=NOON)

    with pytest.raises(Conflict):
        start_job(store, order(None), at=NOON)


def test_a_dead_job_makes_room_and_is_kept_as_failed(store, open_other, make_run):
    make_run()
    dead = start_job(store, order(), at=NOON)

    assert dead.is_alive(NOON) and not dead.is_alive(LATER)
    job = start_job(store, order(by="eve"), at=LATER)

    assert open_job(store, "run_a") == job
    assert outcomes(store) == ["failed"]
    assert work(store, open_other(), dead, clock=lambda: LATER) is None
    assert open_job(store, "run_a") == job


def test_a_job_that_is_asked_to_stop_gives_up_and_says_so(store, open_other, make_run, every_step):
    make_run()
    job = start_job(store, order(), at=NOON)

    assert stop_job(store, "run_a", by="eve", at=NOON)
    stopping = open_job(store, "run_a")
    assert stopping is not None and stopping.stopped_by == "eve"
    assert work(store, open_other(), job, clock=lambda: NOON) is None

    assert open_job(store, "run_a") is None
    assert outcomes(store) == ["cancelled"]
    assert not standing(store, "run_a").is_green


def test_stopping_a_dead_job_ends_it_at_once(store, make_run):
    make_run()
    start_job(store, order(), at=NOON)

    assert stop_job(store, "run_a", by="eve", at=LATER)
    assert outcomes(store) == ["failed"]
    assert not stop_job(store, "run_a", by="eve", at=LATER)


def test_a_job_that_cannot_go_on_says_why(store, open_other, make_run, monkeypatch):
    make_run()
    job = start_job(store, order(), at=NOON)

    def break_off(*_args, **_more):
        yield from ()
        raise StoreChanged("the file was changed")

    monkeypatch.setattr(verifyjobs, "run_job", break_off)
    with pytest.raises(StoreChanged):
        work(store, open_other(), job, clock=lambda: NOON)

    [row] = store.verifications("run_a")
    assert (row.outcome, row.detail) == ("failed", "the file was changed")
    assert open_job(store, "run_a") is None


def test_a_job_over_the_store_counts_runs(store, open_other, make_run, every_step):
    for name in ("run_a", "run_b", "run_c"):
        make_run(name)

    result = work(store, open_other(), start_job(store, order(None), at=NOON), clock=lambda: NOON)

    assert result is not None
    assert (result.kind, result.runs, result.broken_runs) == ("store", 3, 0)
    assert open_job(store, None) is None


def test_nothing_starts_for_a_run_that_does_not_exist(store):
    with pytest.raises(RunNotFound):
        start_job(store, order("nobody"), at=NOON)

    assert open_job(store, "nobody") is None


KILLED = """
import sys, time
from continuum import open_store
from continuum.core.clock import utc_now
from continuum.services import verifyjobs
from continuum.services.verifications import Order

verifyjobs.BEAT_SECONDS = 0
with open_store(sys.argv[1]) as store, open_store(sys.argv[1]) as beats:
    job = verifyjobs.start_job(store, Order("run_a", "ada", "console"), at=utc_now())
    for _ in verifyjobs.steps_of_job(store, beats, job, clock=utc_now):
        print("walking", flush=True)
        time.sleep(60)
"""


def test_a_job_whose_process_is_killed_is_dead_and_is_done_by_another(
    store, store_url, open_other, make_run
):
    make_run(progress=3)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, store_url], stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"walking\n"
        process.kill()

    known, now = open_job(store, "run_a"), utc_now()
    assert known is not None and known.done and known.is_alive(now)
    assert not known.is_alive(now + DEAD_AFTER)
    job = start_job(store, order(by="eve"), at=now + DEAD_AFTER)
    result = work(store, open_other(), job, clock=utc_now)

    assert result is not None and result.outcome == "verified"
    assert outcomes(store) == ["verified", "failed"]
