"""Folding on: from a state, a copy or a snapshot; properties over random logs."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.errors import InvalidInput, Unprojectable, UnreadableRecord
from continuum.domain.events import EventType
from continuum.domain.projection import (
    Projection,
    locate_failure,
    project,
    project_or_degrade,
)
from tests.domain.logs import RUN, START, fold_entries, make_events


def test_folding_the_tail_onto_a_state_gives_the_state_of_the_whole_log():
    events = make_events(
        START,
        ("TASK_UPDATED", {"completed": 1, "total": 3}, "llm"),
        ("DECISION_CREATED", {"decision_id": "d", "decision": "x"}),
        ("MODEL_ASSUMPTION_RECORDED", {"item_id": "i", "description": "y"}),
        ("DECISION_INVALIDATED", {"decision_id": "d"}),
        ("MODEL_CHANGED", {"model": "m"}),
    )
    base = project(RUN, events[:4])
    base["version"] = 4

    state = project(RUN, events[4:], base=base)

    assert state == {**project(RUN, events), "version": 4}


def test_a_base_of_another_run_and_events_it_covers_are_refused():
    events = make_events(START, ("TOOL_CALLED", {}))
    base = project(RUN, events)

    with pytest.raises(InvalidInput, match="no base"):
        Projection("run-2", base)
    with pytest.raises(InvalidInput, match="does not follow"):
        project(RUN, events[1:], base=base)


def test_a_base_keeps_items_that_share_an_id():
    base = fold_entries(("EVIDENCE_ADDED", {"evidence_id": "e"}))
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
