"""The fold of a log into a state: vectors, rules, refusals."""

from __future__ import annotations

import copy
import json

import pytest

from continuum.core.errors import InvalidInput, Unprojectable
from continuum.domain.events import event_from_row
from continuum.domain.projection import (
    Projection,
    ProjectionFailure,
    locate_failure,
    project,
    project_or_degrade,
)
from tests.domain.logs import RUN, START, fold_entries, make_events
from tests.vectors import load_vectors, vector_row

CASES = load_vectors("projection")["cases"]
FOLDING = [case for case in CASES if "state" in case]
FAILING = [case for case in CASES if "error_class" in case]
DEGRADED = [case for case in FAILING if "degraded_state" in case]
HOPELESS = [case for case in FAILING if "degraded_state" not in case]


def events_of(case):
    return [event_from_row(vector_row(case["run_id"], fields)) for fields in case["events"]]


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


# -- vectors


@named(FOLDING)
def test_a_log_folds_into_the_state_of_the_vector(case):
    state = project(case["run_id"], events_of(case))

    assert json.dumps(state) == json.dumps(case["state"])


@named(FOLDING)
def test_a_fold_reports_what_it_read(case):
    projection = Projection(case["run_id"])

    for event in events_of(case):
        projection.apply(event)

    assert projection.report()._asdict() == case["report"]


@named(DEGRADED)
def test_a_log_that_does_not_fold_degrades_to_the_state_of_the_vector(case):
    state = project_or_degrade(case["run_id"], events_of(case))

    # The reason is for people and worded by each client.
    reason = {"unprojectable_reason": state["unprojectable_reason"]}
    assert state["unprojectable_reason"]
    assert json.dumps(state) == json.dumps({**case["degraded_state"], **reason})


@named(DEGRADED)
def test_a_degraded_fold_reports_what_it_read(case):
    projection = Projection(case["run_id"])

    for event in events_of(case):
        projection.apply_or_degrade(event)

    assert projection.report()._asdict() == case["degraded_report"]


@named(FAILING)
def test_a_log_that_does_not_fold_raises_and_names_the_event(case):
    with pytest.raises(Unprojectable) as caught:
        project(case["run_id"], events_of(case))

    assert (caught.value.sequence, caught.value.event_type) == (
        case["locator"]["sequence"],
        case["locator"]["type"],
    )


@named(HOPELESS)
def test_a_log_without_a_start_raises_in_every_mode(case):
    with pytest.raises(Unprojectable):
        project_or_degrade(case["run_id"], events_of(case))


@named(CASES)
def test_the_first_failing_event_is_located(case):
    failure = locate_failure(case["run_id"], events_of(case))

    expected = case["locator"]
    assert (failure and [failure.sequence, failure.event_type]) == (
        expected and [expected["sequence"], expected["type"]]
    )


# -- rules


def test_finished_work_leaves_the_list_by_its_id_as_text():
    state = fold_entries(
        ("WORK_ADDED", {"task_id": "5", "description": "x"}),
        ("WORK_ADDED", {"task_id": "", "description": ""}),
        ("WORK_COMPLETED", {"task_id": 5}),
        ("WORK_COMPLETED", {"task_id": ""}),
    )

    assert state["pending_work"] == []


def test_taken_back_work_lowers_the_counter():
    progress = fold_entries(("TASK_UPDATED", {"completed": 5}), ("WORK_COMPLETED", {"count": -2}))

    assert progress["progress"]["completed"] == 3
    assert progress["progress"]["pending"] == 2


def test_work_before_the_start_counts_once_the_run_has_started():
    state = project(RUN, make_events(("WORK_COMPLETED", {}), START))

    assert state["progress"]["completed"] == 1


def test_an_empty_list_of_constraints_keeps_the_old_ones():
    state = project(
        RUN,
        make_events(
            ("RUN_STARTED", {"goal": "g", "constraints": ["a"]}),
            ("TASK_UPDATED", {"goal": "", "constraints": []}),
        ),
    )

    assert state["goal"]["description"] == ""
    assert state["goal"]["constraints"] == ["a"]
    assert state["goal"]["version"] == 2


def test_a_pin_after_its_retraction_goes_to_the_end_and_the_retraction_stays():
    digest = "a" * 64
    state = fold_entries(
        ("CONSTRAINT_RETRACTED", {"constraint_id": "c"}),
        ("CONSTRAINT_PINNED", {"constraint_id": "c", "sha256": digest}),
        ("CONSTRAINT_PINNED", {"constraint_id": "d", "sha256": digest}),
        ("CONSTRAINT_RETRACTED", {"constraint_id": "c"}),
        ("CONSTRAINT_PINNED", {"constraint_id": "c", "sha256": digest}),
    )

    assert list(state["pins"]) == ["d", "c"]
    assert state["unmatched_pin_retractions"] == ["c"]


@pytest.mark.parametrize(
    "payload",
    [
        {"constraint_id": "c d", "sha256": "a" * 64},
        {"constraint_id": "c\n", "sha256": "a" * 64},
        {"constraint_id": "", "sha256": "a" * 64},
        {"constraint_id": "c" * 129, "sha256": "a" * 64},
        {"constraint_id": 5, "sha256": "a" * 64},
        {"constraint_id": "c", "sha256": "a" * 64 + "\n"},
        {"constraint_id": "c", "sha256": "a" * 63},
        {"constraint_id": "c", "sha256": None},
        {"constraint_id": "c"},
    ],
)
def test_a_malformed_pin_does_not_fold_entries(payload):
    with pytest.raises(Unprojectable):
        fold_entries(("CONSTRAINT_PINNED", payload))


def test_a_later_approval_decision_replaces_everything_but_the_subject():
    state = fold_entries(
        ("APPROVAL_REQUESTED", {"approval_id": "a", "subject": "deploy"}),
        ("APPROVAL_GRANTED", {"approval_id": "a", "granted_by": "ada", "expires_at": "2026-05-01"}),
        ("APPROVAL_REVOKED", {"approval_id": "a", "subject": "other"}),
    )

    assert state["approvals"] == [
        {
            "approval_id": "a",
            "subject": "deploy",
            "status": "revoked",
            "granted_at": None,
            "granted_by": None,
            "expires_at": None,
            "reason": None,
        }
    ]


# -- order and modes


def test_an_event_of_another_run_is_refused_in_every_mode():
    projection = Projection(RUN)
    [stranger] = make_events(START, run_id="run-2")

    with pytest.raises(InvalidInput, match="run-2"):
        projection.apply(stranger)
    with pytest.raises(InvalidInput, match="run-2"):
        projection.apply_or_degrade(stranger)


def test_a_sequence_that_does_not_grow_is_refused_and_a_gap_is_not():
    first, second, third = make_events(START, ("TOOL_CALLED", {}), ("TOOL_CALLED", {}))
    projection = Projection(RUN)
    projection.apply(first)
    projection.apply(third)

    with pytest.raises(InvalidInput, match="2 does not follow event 3"):
        projection.apply(second)

    assert projection.state()["source_sequence"] == 3


def test_a_failing_event_leaves_the_projection_as_it_was():
    events = make_events(
        ("RUN_STARTED", {"goal": "g", "total": 1}),
        ("WORK_ADDED", {"task_id": "t", "description": "x"}),
        ("TASK_UPDATED", {"goal": "changed", "completed": -1}),
        ("WORK_COMPLETED", {"task_id": "t", "count": 5}),
        ("RUN_STARTED", {"goal": "new", "total": -1}),
        ("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": "soon"}),
    )
    projection = Projection(RUN)
    projection.apply(events[0])
    projection.apply(events[1])
    before = copy.deepcopy(projection.snapshot())

    for event in events[2:]:
        with pytest.raises(Unprojectable):
            projection.apply(event)

    assert projection.snapshot() == before


def test_folding_stops_for_good_at_the_first_failing_event():
    good, bad, later = make_events(
        START, ("TASK_UPDATED", {"completed": -1}), ("EVIDENCE_ADDED", {"evidence_id": "e"})
    )
    projection = Projection(RUN)

    folded = [projection.apply_or_degrade(event) for event in (good, bad, later)]

    assert folded == [True, False, False]
    assert projection.failure is not None
    assert projection.failure[:2] == (2, "TASK_UPDATED")
    assert projection.state()["evidence"] == []
    with pytest.raises(Unprojectable, match="event 2"):
        projection.apply(later)


def test_a_failure_found_elsewhere_degrades_the_state():
    projection = Projection(RUN)
    projection.apply(make_events(START)[0])

    projection.fail(ProjectionFailure(2, "TOOL_CALLED", "the row is unreadable"))
    projection.fail(ProjectionFailure(3, "TOOL_CALLED", "a second reason"))

    state = projection.state()
    assert state["status"] == "invalid"
    assert state["unprojectable_at_sequence"] == 2
    assert state["unprojectable_reason"] == "the row is unreadable"


def test_a_state_needs_a_start():
    projection = Projection(RUN)
    projection.apply(make_events(("TOOL_CALLED", {}))[0])

    assert not projection.has_goal
    with pytest.raises(Unprojectable, match="no start recorded"):
        projection.state()
