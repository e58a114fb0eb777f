"""The fold of a log into a state: vectors, conversions, refusals, snapshots."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.errors import InvalidInput, Unprojectable, UnreadableRecord
from continuum.domain.events import EventType, event_from_row
from continuum.domain.projection import (
    Projection,
    ProjectionFailure,
    locate_failure,
    project,
    project_or_degrade,
)
from tests.domain.logs import RUN, START, make_events
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


def fold(*entries):
    return project(RUN, make_events(START, *entries))


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


# -- conversions: what Python's own int, float, bool and str make of a value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (False, ["False"]),
        (0, ["0"]),
        ("", [""]),
        (None, []),
        ({"k": 1}, ["k"]),
        ([1, None, ["x"], {"k": 1}, 1.5, True], ["1", "None", "['x']", "{'k': 1}", "1.5", "True"]),
    ],
)
def test_ids_are_a_list_of_texts(value, expected):
    state = fold(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "evidence": value}))

    assert state["findings"][0]["evidence"] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, 1), (1.9, 1), (" 1_0 ", 10), ("٣", 3), (2**70, 2**70), (1e30, int(1e30))],
)
def test_counters_are_whole_numbers(value, expected):
    assert fold(("TASK_UPDATED", {"completed": value}))["progress"]["completed"] == expected


@pytest.mark.parametrize("value", [None, "1.5", [1], {}, "", "many"])
def test_a_counter_that_is_no_number_does_not_fold(value):
    with pytest.raises(Unprojectable, match="completed"):
        fold(("TASK_UPDATED", {"completed": value}))


@pytest.mark.parametrize(
    ("value", "expected"), [(True, "1.0"), (1, "1.0"), ("1e-5", "1e-05"), (-0.0, "-0.0")]
)
def test_confidence_is_a_float(value, expected):
    state = fold(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "confidence": value}))

    assert repr(state["findings"][0]["confidence"]) == expected


@pytest.mark.parametrize("value", [None, "nan", "inf", 1.0001, -0.1, [0.5]])
def test_a_confidence_outside_zero_to_one_does_not_fold(value):
    with pytest.raises(Unprojectable, match="confidence"):
        fold(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "confidence": value}))


def test_a_null_text_with_a_default_prints_as_none():
    state = fold(
        ("DECISION_CREATED", {"decision_id": "d", "decision": "x", "reason": None}),
        ("DECISION_INVALIDATED", {"decision_id": "d", "reason": None}),
        ("DEPENDENCY_DECLARED", {"resource": "r", "kind": None, "version": 3}),
    )

    assert state["decisions"][0]["reason"] == "None"
    assert state["decisions"][0]["invalidated_reason"] == "None"
    assert state["external_dependencies"][0]["kind"] == "None"
    assert state["external_dependencies"][0]["version"] == "3"


def test_an_empty_member_of_a_model_is_null():
    state = fold(("MODEL_CHANGED", {"model": 0, "provider": "", "fingerprint": [1]}))

    assert state["model"] == {
        "model": None,
        "provider": None,
        "fingerprint": "[1]",
        "model_specific_state": [],
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-01T00:00:00+00:00", "2026-02-01T00:00:00Z"),
        ("2026-02-01 00:00:00.1234567Z", "2026-02-01T00:00:00.123456Z"),
        ("2026-02-01T00:00:00.5+05:30", "2026-02-01T00:00:00.500000+05:30"),
        ("2026-02-01T00:00:00-08:00", "2026-02-01T00:00:00-08:00"),
        ("2026-02-01T00:00:00+05:30:15", "2026-02-01T00:00:00+05:30"),
        ("2026-02-01T00:00:00", "2026-02-01T00:00:00"),
        ("2026-02-01", "2026-02-01T00:00:00"),
        ("2026-W05-1T10", "2026-01-26T10:00:00"),
        ("", None),
        (0, None),
        (None, None),
    ],
)
def test_an_expiry_keeps_its_offset(value, expected):
    state = fold(("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": value}))

    assert state["approvals"][0]["expires_at"] == expected


@pytest.mark.parametrize("value", ["soon", 1770000000, ["2026-02-01"]])
def test_an_expiry_that_is_no_time_does_not_fold(value):
    with pytest.raises(Unprojectable, match="expires_at"):
        fold(("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": value}))


@pytest.mark.parametrize(
    ("failed", "expected"), [(None, (1, 0)), ([], (1, 0)), ("no", (0, 1)), (True, (0, 1))]
)
def test_failed_work_is_told_by_the_truth_of_a_value(failed, expected):
    progress = fold(("WORK_COMPLETED", {"failed": failed}))["progress"]

    assert (progress["completed"], progress["failed"]) == expected


# -- rules


def test_finished_work_leaves_the_list_by_its_id_as_text():
    state = fold(
        ("WORK_ADDED", {"task_id": "5", "description": "x"}),
        ("WORK_ADDED", {"task_id": "", "description": ""}),
        ("WORK_COMPLETED", {"task_id": 5}),
        ("WORK_COMPLETED", {"task_id": ""}),
    )

    assert state["pending_work"] == []


def test_taken_back_work_lowers_the_counter():
    progress = fold(("TASK_UPDATED", {"completed": 5}), ("WORK_COMPLETED", {"count": -2}))

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
    state = fold(
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
def test_a_malformed_pin_does_not_fold(payload):
    with pytest.raises(Unprojectable):
        fold(("CONSTRAINT_PINNED", payload))


def test_a_later_approval_decision_replaces_everything_but_the_subject():
    state = fold(
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


# -- bases, copies, snapshots


def test_folding_the_tail_onto_a_state_gives_the_state_of_the_whole_log():
    case = next(case for case in FOLDING if case["name"] == "decisions, findings, evidence")
    events = events_of(case)
    base = project(case["run_id"], events[:6])
    base["version"] = 4

    state = project(case["run_id"], events[6:], base=base)

    assert state == {**case["state"], "version": 4}


def test_a_base_of_another_run_and_events_it_covers_are_refused():
    events = make_events(START, ("TOOL_CALLED", {}))
    base = project(RUN, events)

    with pytest.raises(InvalidInput, match="no base"):
        Projection("run-2", base)
    with pytest.raises(InvalidInput, match="does not follow"):
        project(RUN, events[1:], base=base)


def test_a_base_keeps_items_that_share_an_id():
    base = fold(("EVIDENCE_ADDED", {"evidence_id": "e"}))
    base["evidence"] = [*base["evidence"], {**base["evidence"][0], "summary": "twin"}]

    assert Projection(RUN, base).state() == base


def test_a_state_handed_out_is_not_changed_by_later_events():
    events = make_events(
        START,
        ("DECISION_CREATED", {"decision_id": "d", "decision": "x"}),
        ("DECISION_INVALIDATED", {"decision_id": "d"}),
        ("TASK_UPDATED", {"completed": 1}),
    )
    projection = Projection(RUN)
    projection.apply(events[0])
    projection.apply(events[1])
    state = projection.state()
    before = copy.deepcopy(state)

    projection.apply(events[2])
    projection.apply(events[3])

    assert state == before


def test_a_copy_folds_on_without_changing_the_original():
    events = make_events(START, ("EVIDENCE_ADDED", {"evidence_id": "e"}))
    projection = Projection(RUN)
    projection.apply(events[0])
    before = copy.deepcopy(projection.snapshot())

    projection.copy().apply(events[1])

    assert projection.snapshot() == before


@pytest.mark.parametrize("snapshot", [{}, {"failure": None, "sequence": 1}])
def test_a_malformed_snapshot_is_unreadable(snapshot):
    with pytest.raises(UnreadableRecord, match="snapshot"):
        Projection.restore(RUN, snapshot)


_names = st.sampled_from(
    [
        "goal",
        "goal_version",
        "constraints",
        "total",
        "completed",
        "pending",
        "failed",
        "count",
        "task_id",
        "description",
        "prerequisite",
        "decision_id",
        "decision",
        "reason",
        "evidence",
        "status",
        "evidence_id",
        "summary",
        "source",
        "finding_id",
        "claim",
        "confidence",
        "resource",
        "version",
        "kind",
        "approval_id",
        "subject",
        "expires_at",
        "model",
        "provider",
        "item_id",
        "constraint_id",
        "sha256",
    ]
)
_values = (
    st.sampled_from(["a", "b", "c", "valid", "stale", "2026-05-01T00:00:00Z", "d" * 64, "1", "9"])
    | st.integers(-1, 9)
    | st.none()
    | st.booleans()
    | st.floats(0, 1)
    | st.lists(st.sampled_from(["a", "b"]), max_size=2)
)
_likely = {
    "RUN_STARTED": ("goal", "total"),
    "TASK_UPDATED": ("completed", "goal"),
    "WORK_ADDED": ("task_id", "description"),
    "WORK_COMPLETED": ("task_id",),
    "DECISION_CREATED": ("decision_id", "decision", "evidence"),
    "DECISION_INVALIDATED": ("decision_id",),
    "EVIDENCE_ADDED": ("evidence_id", "source"),
    "FINDING_ADDED": ("finding_id", "claim", "evidence"),
    "FINDING_INVALIDATED": ("finding_id",),
    "DEPENDENCY_DECLARED": ("resource", "version"),
    "APPROVAL_REQUESTED": ("approval_id", "subject"),
    "APPROVAL_GRANTED": ("approval_id",),
    "APPROVAL_REVOKED": ("approval_id",),
    "MODEL_CHANGED": ("model",),
    "MODEL_ASSUMPTION_RECORDED": ("item_id", "description"),
    "CONSTRAINT_RETRACTED": ("constraint_id",),
}


@st.composite
def _entries(draw):
    kind = draw(st.sampled_from([*EventType, *_likely, *_likely]))
    ids = st.sampled_from(["a", "b"])
    payload = {name: draw(ids) for name in _likely.get(kind, ()) if draw(st.integers(0, 9))}
    payload |= {"total": 9} if payload.pop("total", None) else {}
    payload |= {"completed": 1} if payload.pop("completed", None) else {}
    payload |= draw(st.dictionaries(_names, _values, max_size=1))
    if kind == "CONSTRAINT_PINNED":
        payload = {"constraint_id": draw(ids), "sha256": "a" * 64}
    return kind, payload, draw(st.sampled_from(["deterministic", "human", "llm"]))


_logs = st.lists(_entries(), max_size=25).map(lambda entries: [START, *entries])


@given(_logs, st.integers(0, 26))
def test_a_snapshot_and_the_tail_give_what_the_whole_log_gives(entries, cut):
    events = make_events(*entries)
    whole, first = Projection(RUN), Projection(RUN)
    for event in events:
        whole.apply_or_degrade(event)
    for event in events[:cut]:
        first.apply_or_degrade(event)

    second = Projection.restore(RUN, json.loads(json.dumps(first.snapshot())))
    for event in events[cut:]:
        second.apply_or_degrade(event)

    assert json.dumps(second.snapshot()) == json.dumps(whole.snapshot())
    assert json.dumps(second.state()) == json.dumps(whole.state())
    assert second.report() == whole.report()


@given(_logs)
def test_a_log_folds_as_if_the_events_that_fail_were_not_there(entries):
    projection = Projection(RUN)
    good = []
    for event in make_events(*entries):
        before = json.dumps(projection.snapshot())
        try:
            projection.apply(event)
            good.append(event)
        except Unprojectable as error:
            assert error.sequence == event.sequence
            assert json.dumps(projection.snapshot()) == before

    assert project(RUN, good) == projection.state()
    assert locate_failure(RUN, good) is None


@given(_logs)
def test_the_two_modes_and_the_locator_agree_on_the_first_failing_event(entries):
    events = make_events(*entries)
    degraded = project_or_degrade(RUN, events)
    failure = locate_failure(RUN, events)

    try:
        assert project(RUN, events) == degraded
        assert failure is None
    except Unprojectable as error:
        assert failure is not None
        assert error.sequence == failure.sequence == degraded["unprojectable_at_sequence"]
