"""Conversions of payload members: what Python's own int, float, bool and str make of them."""

from __future__ import annotations

import pytest

from continuum.core.errors import Unprojectable
from tests.domain.logs import fold_entries


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
    state = fold_entries(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "evidence": value}))

    assert state["findings"][0]["evidence"] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, 1), (1.9, 1), (" 1_0 ", 10), ("٣", 3), (2**70, 2**70), (1e30, int(1e30))],
)
def test_counters_are_whole_numbers(value, expected):
    assert fold_entries(("TASK_UPDATED", {"completed": value}))["progress"]["completed"] == expected


@pytest.mark.parametrize("value", [None, "1.5", [1], {}, "", "many"])
def test_a_counter_that_is_no_number_does_not_fold(value):
    with pytest.raises(Unprojectable, match="completed"):
        fold_entries(("TASK_UPDATED", {"completed": value}))


@pytest.mark.parametrize(
    ("value", "expected"), [(True, "1.0"), (1, "1.0"), ("1e-5", "1e-05"), (-0.0, "-0.0")]
)
def test_confidence_is_a_float(value, expected):
    state = fold_entries(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "confidence": value}))

    assert repr(state["findings"][0]["confidence"]) == expected


@pytest.mark.parametrize("value", [None, "nan", "inf", 1.0001, -0.1, [0.5]])
def test_a_confidence_outside_zero_to_one_does_not_fold(value):
    with pytest.raises(Unprojectable, match="confidence"):
        fold_entries(("FINDING_ADDED", {"finding_id": "f", "claim": "c", "confidence": value}))


def test_a_null_text_with_a_default_prints_as_none():
    state = fold_entries(
        ("DECISION_CREATED", {"decision_id": "d", "decision": "x", "reason": None}),
        ("DECISION_INVALIDATED", {"decision_id": "d", "reason": None}),
        ("DEPENDENCY_DECLARED", {"resource": "r", "kind": None, "version": 3}),
    )

    assert state["decisions"][0]["reason"] == "None"
    assert state["decisions"][0]["invalidated_reason"] == "None"
    assert state["external_dependencies"][0]["kind"] == "None"
    assert state["external_dependencies"][0]["version"] == "3"


def test_an_empty_member_of_a_model_is_null():
    state = fold_entries(("MODEL_CHANGED", {"model": 0, "provider": "", "fingerprint": [1]}))

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
    state = fold_entries(("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": value}))

    assert state["approvals"][0]["expires_at"] == expected


@pytest.mark.parametrize("value", ["soon", 1770000000, ["2026-02-01"]])
def test_an_expiry_that_is_no_time_does_not_fold(value):
    with pytest.raises(Unprojectable, match="expires_at"):
        fold_entries(("APPROVAL_GRANTED", {"approval_id": "a", "expires_at": value}))


@pytest.mark.parametrize(
    ("failed", "expected"), [(None, (1, 0)), ([], (1, 0)), ("no", (0, 1)), (True, (0, 1))]
)
def test_failed_work_is_told_by_the_truth_of_a_value(failed, expected):
    progress = fold_entries(("WORK_COMPLETED", {"failed": failed}))["progress"]

    assert (progress["completed"], progress["failed"]) == expected
