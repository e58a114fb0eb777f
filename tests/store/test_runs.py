"""Run rows: pages, the active run, families, rows that cannot be read."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import RunNotFound, UnreadableRecord
from continuum.domain.runs import RunStatus
from continuum.store.modelport import RunCursor
from tests.conftest import NOON
from tests.outsiders import change
from tests.stores import RunMaker


@pytest.fixture
def ten_runs(store):
    """Runs run_0 to run_9; every two were created in the same second."""
    return [
        RunMaker(store, at=NOON + timedelta(seconds=number // 2))(f"run_{number}")
        for number in range(10)
    ]


def test_pages_are_newest_first_and_meet_without_gap(store, ten_runs):
    first = store.runs(limit=3)
    cursor = RunCursor(first[-1].created_at, first[-1].run_id)
    second = store.runs(limit=30, before=cursor)

    assert [run.run_id for run in [*first, *second]] == ten_runs[::-1]


def test_the_active_run_is_the_open_one_changed_last(store, ten_runs):
    assert store.active_run().run_id == "run_9"

    with store.writing("run_9") as writer:
        writer.set_run_status("run_9", RunStatus.COMPLETED, NOON + timedelta(hours=2))
        writer.set_run_status("run_4", RunStatus.SUSPENDED, NOON + timedelta(hours=1))

    assert store.active_run().run_id == "run_4"
    assert store.run("run_9").status is RunStatus.COMPLETED
    assert store.run("run_9").created_at == store.run("run_8").created_at


def test_children_are_direct_ones_newest_first(store):
    for number, (run_id, parent) in enumerate(
        [("p", None), ("c1", "p"), ("c2", "p"), ("g", "c1"), ("other", None)]
    ):
        RunMaker(store, at=NOON + timedelta(seconds=number))(run_id, parent=parent)

    assert [run.run_id for run in store.children("p")] == ["c2", "c1"]
    assert [run.run_id for run in store.children("c1")] == ["g"]
    assert store.children("other") == []


def test_metadata_survives(store, make_run):
    metadata = {"fork": "true", "n": 2**64, "text": "é", "nested": {"a": [1.5, None]}}

    make_run(metadata=metadata)

    assert store.run("run_a").metadata == metadata
    assert store.run("run_a").is_fork


def test_a_missing_run_is_named(store):
    with pytest.raises(RunNotFound, match="'nobody'"):
        store.run("nobody")

    assert store.find_run("nobody") is None
    assert store.active_run() is None


def test_a_row_of_an_unknown_status_is_unreadable_but_shown_as_it_is(store, store_url, make_run):
    run_id = make_run()
    change(store_url, "runs", {"run_id": run_id}, {"status": "dancing"})

    with pytest.raises(UnreadableRecord, match="dancing"):
        store.run(run_id)

    assert store.run_row(run_id).status == "dancing"


def test_metadata_that_is_no_object_is_unreadable(store, store_url, make_run):
    run_id = make_run()

    for text in ("[1]", "{", ""):
        change(store_url, "runs", {"run_id": run_id}, {"metadata": text})
        with pytest.raises(UnreadableRecord, match="metadata"):
            store.run(run_id)


def test_the_number_of_runs_is_estimated(store, ten_runs):
    assert store.run_estimate() == 10
