"""Reasoning summaries: bounded, closed in shape, and without a say in the verdict."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, RunNotFound, TooLarge
from continuum.domain.events import Origin
from continuum.services.reasoning import MAX_SUMMARY, Summary, record_summary
from continuum.services.recovery import assess
from tests.services.acting import NOON, started

_EMPTY = len(
    '{"plan_stack": [], "decisions": [], "open_questions": [], "working_set": [], "note": ""}'
)


def test_a_summary_is_recorded_with_its_pins_and_changes_no_verdict(store):
    run_id = started(store)
    summary = Summary(
        plan_stack=["now", "next"],
        decisions=[{"what": "use sqlite", "why": "local"}],
        note="größer",
        pinning={"model_id": "m-1", "prompt_sha256": ""},
    )

    answer = record_summary(store, run_id, summary, at=NOON)

    assert answer.event.source is Origin.EXTERNAL_AGENT
    assert answer.event.payload["summary"]["decisions"] == [{"what": "use sqlite", "why": "local"}]
    assert answer.event.payload["pinning"] == {"model_id": "m-1"}
    assert assess(store, run_id, at=NOON).safe


@pytest.mark.parametrize("letter", ["x", "ü"])
def test_the_size_is_counted_in_characters(store, letter):
    run_id = started(store)
    fits = MAX_SUMMARY - _EMPTY

    assert record_summary(store, run_id, Summary(note=letter * fits), at=NOON).size == MAX_SUMMARY
    with pytest.raises(TooLarge, match=f"{MAX_SUMMARY + 1} .* {MAX_SUMMARY}"):
        record_summary(store, run_id, Summary(note=letter * (fits + 1)), at=NOON)

    assert store.head(run_id).sequence == 2


@pytest.mark.parametrize(
    "summary",
    [Summary(decisions=[{"what": "x", "who": "y"}]), Summary(pinning={"colour": "red"})],
)
def test_unknown_members_are_refused_and_nothing_is_written(store, summary):
    run_id = started(store)

    with pytest.raises(InvalidInput):
        record_summary(store, run_id, summary, at=NOON)

    assert store.head(run_id).sequence == 1


def test_a_summary_needs_a_run(store):
    with pytest.raises(RunNotFound):
        record_summary(store, "ghost", Summary(note="x"), at=NOON)
