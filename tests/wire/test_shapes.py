"""What JSON shapes say that transcripts do not show."""

from __future__ import annotations

import json

import pytest

from continuum.domain.chain import Verification, Violation, ViolationKind
from continuum.services.chain import VerifyReport
from continuum.wire.chain import verification
from continuum.wire.times import listed_time

_WHOLE = Verification("run-a", 3, 0, (), 3, 3, "f" * 64)


@pytest.mark.parametrize(
    ("stored", "listed"),
    [
        ("2026-11-30T22:22:17.986602+00:00", "2026-11-30 22:22:17.986602+00:00"),
        ("2026-11-30T22:22:17+00:00", "2026-11-30 22:22:17+00:00"),
        ("2026-11-30T22:22:17Z", "2026-11-30 22:22:17+00:00"),
        ("2026-11-30 23:22:17+01:00", "2026-11-30 22:22:17+00:00"),
    ],
)
def test_times_are_listed_in_one_form_whatever_is_stored(stored, listed):
    assert listed_time(stored) == listed


def test_a_healthy_chain_says_whether_it_folds_and_no_more():
    report = VerifyReport(_WHOLE, projectable=True, failure=None)

    assert verification(report) == {
        "checked": 3,
        "ok": True,
        "projectable": True,
        "truncated": False,
        "trusted_through": {"run-a": 3},
        "violations": [],
    }


def test_a_broken_chain_has_no_word_on_folding_and_null_drift():
    broken = _WHOLE.with_more(
        [Violation(ViolationKind.MISSING_TAIL, "run-a", 4, None, "event 4 is gone")]
    )
    report = VerifyReport(broken, projectable=None, failure=None)

    document = verification(report, with_index=True)

    assert "projectable" not in document
    assert document["action_index_drift"] is None
    assert document["truncated"] is True
    assert json.loads(json.dumps(document)) == document
