"""Differences in meaning between two states."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput
from continuum.domain.diffs import diff_states
from continuum.domain.projection import project
from tests.domain.logs import RUN, START, make_events
from tests.vectors import load_vectors

CASES = load_vectors("diff")["cases"]

BEFORE = (
    ("RUN_STARTED", {"goal": "g", "constraints": ["a", "b"]}, "human"),
    ("DEPENDENCY_DECLARED", {"resource": "r0", "version": ""}),
    ("EVIDENCE_ADDED", {"evidence_id": "e1", "summary": "s", "source": "q"}),
    ("FINDING_ADDED", {"finding_id": "f1", "claim": "c", "evidence": ["e1"], "confidence": 0.5}),
    ("DECISION_CREATED", {"decision_id": "d1", "decision": "x"}),
    ("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": "2026-02-01T00:00:00.5+05:30"}),
    ("APPROVAL_GRANTED", {"approval_id": "a2", "expires_at": "2026-02-01T00:00:00"}),
    ("MODEL_CHANGED", {"model": "m"}),
)
AFTER = (
    ("TASK_UPDATED", {"goal": "g", "constraints": ["a", "c"]}),
    ("DEPENDENCY_DECLARED", {"resource": "r1"}),
    ("DEPENDENCY_DECLARED", {"resource": "r0", "version": "2", "kind": "k"}),
    ("EVIDENCE_ADDED", {"evidence_id": "e1", "summary": ""}),
    ("FINDING_ADDED", {"finding_id": "f1", "claim": "c", "evidence": ["e1", "e2"]}),
    ("DECISION_INVALIDATED", {"decision_id": "d1", "status": "stale"}),
    ("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": "2026-02-01T00:00:00.25Z"}),
    ("APPROVAL_REVOKED", {"approval_id": "a2"}),
    ("MODEL_CHANGED", {"provider": "p"}),
)


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['before_upto']}-{case['after_upto']}"
)
def test_two_states_differ_as_in_the_vector(case):
    entries = diff_states(case["before"], case["after"])

    assert [entry._asdict() for entry in entries] == case["diff"]["entries"]


def test_every_kind_of_value_is_printed_as_both_clients_print_it():
    before = project(RUN, make_events(*BEFORE))
    after = project(RUN, make_events(*BEFORE, *AFTER))

    entries = diff_states(before, after)

    assert [(entry.kind, entry.component_id, entry.detail) for entry in entries] == [
        ("changed", None, "version: v1 → v2"),
        ("changed", None, "constraints: 2 → 2"),
        ("invalidated", "d1", "status: valid → stale"),
        ("changed", "f1", "confidence: 0.5 → 1.0"),
        ("changed", "f1", "evidence: ['e1'] → ['e1', 'e2']"),
        ("changed", "e1", "summary: s → "),
        ("changed", "e1", "source: q → None"),
        (
            "changed",
            "a",
            "expires_at: 2026-02-01 00:00:00.500000+05:30 → 2026-02-01 00:00:00.250000+00:00",
        ),
        ("changed", "a2", "status: granted → revoked"),
        ("changed", "a2", "expires_at: 2026-02-01 00:00:00 → None"),
        ("added", "r1", "r1"),
        ("changed", "r0", "version:  → 2"),
        ("changed", "r0", "kind: resource → k"),
        ("changed", None, "model: m → None"),
    ]
    assert (entries[1].before, entries[1].after) == ("a, b", "a, c")
    assert (entries[4].before, entries[4].after) == ("['e1']", "['e1', 'e2']")


def test_states_of_two_runs_are_not_compared():
    one = project(RUN, make_events(START))
    other = project("run-2", make_events(START, run_id="run-2"))

    with pytest.raises(InvalidInput, match="run-2"):
        diff_states(one, other)
