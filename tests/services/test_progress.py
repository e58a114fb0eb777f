"""Nothing that does not fold enters the log."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, NotFound, Refused, RunNotFound
from continuum.domain.events import EventType
from continuum.services.decisions import complete
from continuum.services.progress import Progress, record_progress
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
