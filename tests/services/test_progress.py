"""Nothing that does not fold enters the log."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, NotFound, Refused, RunNotFound
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus
from continuum.services.decisions import complete
from continuum.services.facts import fold_facts, load_facts
from continuum.services.progress import REFRESH_EVERY, Progress, record_progress, report_progress
from tests.services.acting import NOON, by_ada, recorded, reported, started


@pytest.mark.parametrize(
    "progress",
    [
        Progress(99),
        Progress(True),
        Progress("3"),  # type: ignore[arg-type]  # what an untyped caller sends
        Progress(3.5),  # type: ignore[arg-type]  # what an untyped caller sends
        Progress(-5),
        Progress(2**70),
        Progress(3, total=2),
        Progress(1, total=True),
    ],
)
def test_o10_nothing_unfoldable_enters_the_log(store, progress):
    run_id = started(store)
    reported(store, run_id, 1, 6)

    with pytest.raises(InvalidInput):
        record_progress(store, run_id, progress, at=NOON)
    with pytest.raises((InvalidInput, NotFound)):
        record_progress(store, "new-run", progress, at=NOON)

    assert store.head(run_id).sequence == 2
    assert store.find_run("new-run") is None
    reported(store, run_id, 2, 6)
    assert store.head(run_id).sequence == 3


def test_progress_on_a_new_run_starts_it_in_the_same_step(store):
    record_progress(store, "new", Progress(0, 0, 4, goal="Sort the mail"), at=NOON)

    assert store.run("new").goal == "Sort the mail"
    assert store.head("new").sequence == 2


def test_an_event_for_a_run_that_does_not_exist_is_refused(store):
    with pytest.raises(RunNotFound):
        recorded(store, "ghost", EventType.TOOL_CALLED, {})


def test_a_closed_run_takes_no_more_events(store):
    run_id = started(store)
    complete(store, run_id, by_ada())
    head = store.head(run_id)

    with pytest.raises(Refused, match="completed"):
        reported(store, run_id, 1)

    assert store.head(run_id) == head


def test_a_report_answers_with_the_state_around_it(store):
    first = report_progress(store, "new", Progress(2, 1, 4, goal="Sort the mail"), at=NOON)
    second = report_progress(store, "new", Progress(1), at=NOON)

    assert first.before is not None
    assert first.before["progress"]["total"] is None
    assert second.before is not None
    assert (second.before["progress"]["completed"], second.before["progress"]["failed"]) == (2, 1)
    assert second.after["progress"]["total"] == 4
    assert second.after["progress"]["pending"] == 3


def test_a_run_with_a_row_and_no_event_gets_its_start_with_the_first_report(store):
    with store.writing() as writer:
        writer.insert_run(Run("bare", "From the row", RunStatus.STARTED, "", "", {}, None))

    report_progress(store, "bare", Progress(1), at=NOON)

    kinds = [(str(one.type), one.payload.get("goal")) for one in store.events("bare")]
    assert kinds == [("RUN_STARTED", "From the row"), ("TASK_UPDATED", None)]


def test_a_log_that_begins_with_anything_else_is_not_repaired(store):
    with store.writing() as writer:
        writer.insert_run(Run("odd", "g", RunStatus.STARTED, "", "", {}, None))
        writer.append("odd", [Draft(EventType.TOOL_CALLED, {}, Origin.EXTERNAL_AGENT, NOON)])

    with pytest.raises(InvalidInput, match="not started"):
        report_progress(store, "odd", Progress(1), at=NOON)

    assert store.head("odd").sequence == 1


def test_an_append_folds_a_bounded_tail_however_long_the_run(store):
    run_id = started(store)
    for _ in range(2 * REFRESH_EVERY + 50):
        recorded(store, run_id, EventType.TOOL_CALLED, {"tool": "read"})

    facts = load_facts(store, run_id)

    assert facts.sequence - facts.restored_at <= REFRESH_EVERY
    assert facts.snapshot() == fold_facts(store, run_id).snapshot()
