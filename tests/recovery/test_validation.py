"""Which parts of a state can still be relied on, and until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from continuum.domain.environment import BREAKING, compare_environments
from continuum.recovery.facts import Question
from continuum.recovery.validation import delta_line, valid_until, validate
from tests.recovery.cases import NOON, STARTED, Told, environment, make_facts
from tests.vectors import load_vectors

DIFFS = load_vectors("environment_diff")["cases"]


def granted(expires_at: str | None, *, approval_id: str = "ap") -> Told:
    payload = {"approval_id": approval_id, "subject": "deploy", "expires_at": expires_at}
    return ("APPROVAL_GRANTED", "human", payload)


def snapshot(resources):
    if resources is None:
        return None
    base = environment(dict.fromkeys(resources, ""))
    for name, members in resources.items():
        base["resources"][name] = {**base["resources"][name], "version": None, **members}
    return base


@pytest.mark.parametrize("number", range(len(DIFFS)))
def test_resources_that_break_are_those_of_the_reference_client(number):
    case = DIFFS[number]

    deltas = compare_environments(snapshot(case["before"]), snapshot(case["after"]))

    assert [delta.resource for delta in deltas if delta.change in BREAKING] == case["breaking"]
    assert len({delta_line(delta) for delta in deltas}) == len(case["rendered"])
    assert all(delta_line(delta).startswith(f"{delta.resource}: ") for delta in deltas)


def test_a_resource_that_moved_is_told_with_both_versions():
    [delta] = compare_environments(environment({"d": "v3"}), environment({"d": "v4"}))

    assert delta_line(delta) == "d: was v3 at the checkpoint, is v4 now"


def test_only_the_first_five_blocking_parts_are_listed():
    asked = [
        ("APPROVAL_REQUESTED", "human", {"approval_id": f"ap-{n}", "subject": "s"})
        for n in range(7)
    ]

    reason = validate(make_facts(STARTED, *asked)).reason

    assert "ap-4" in reason
    assert "ap-5" not in reason
    assert reason.endswith("and 2 more")


def test_expiry_at_this_very_moment_counts_as_past():
    validation = validate(make_facts(STARTED, granted(NOON.isoformat())))

    assert [entry.status for entry in validation.not_valid] == ["expired"]


@pytest.mark.parametrize("text", ["2026-12-01T12:00:01", "2026-12-01 12:00:01", "2026-12-02"])
def test_expiry_without_a_zone_is_utc_and_does_not_crash(text):
    assert validate(make_facts(STARTED, granted(text))).safe_to_resume


def test_expiry_that_is_no_time_counts_as_past():
    facts = make_facts(STARTED, granted(None))
    facts.state["approvals"][0]["expires_at"] = "next week"

    assert [entry.status for entry in validate(facts).not_valid] == ["expired"]


def test_approval_of_unknown_standing_is_reviewed():
    facts = make_facts(STARTED, granted(None))
    facts.state["approvals"][0]["status"] = "requires_review"

    assert [entry.status for entry in validate(facts).not_valid] == ["requires_review"]


def test_verdict_holds_until_the_next_expiry_ahead():
    facts = make_facts(
        STARTED,
        granted((NOON - timedelta(hours=1)).isoformat(), approval_id="past"),
        granted((NOON + timedelta(hours=2)).isoformat(), approval_id="later"),
        granted("2026-12-01T13:00:00", approval_id="next"),
        granted(None, approval_id="endless"),
    )

    assert valid_until(facts.state, NOON) == "2026-12-01T13:00:00+00:00"


def test_verdict_without_expiries_ahead_holds_for_good():
    revoked = ("APPROVAL_REVOKED", "human", {"approval_id": "ap", "expires_at": "2027-01-01"})
    facts = make_facts(STARTED, granted(None), revoked)

    assert valid_until(facts.state, datetime(2026, 1, 1, tzinfo=UTC)) is None


def test_progress_that_no_event_stands_behind_is_unknown():
    facts = make_facts(STARTED)
    facts.state["progress"]["completed"] = 3
    facts.state["progress"]["provenance"]["source_sequence"] = 0

    [entry] = validate(facts).not_valid

    assert (entry.component, entry.status) == ("progress", "unknown")


def test_findings_do_not_taint_findings_nor_decisions_decisions():
    told: list[Told] = [
        STARTED,
        ("EVIDENCE_ADDED", "human", {"evidence_id": "e", "source": "data"}),
        ("FINDING_ADDED", "human", {"finding_id": "f1", "claim": "c", "evidence": ["e"]}),
        ("FINDING_ADDED", "human", {"finding_id": "f2", "claim": "c", "evidence": ["f1"]}),
        ("DECISION_CREATED", "human", {"decision_id": "d", "decision": "x", "evidence": ["f2"]}),
    ]
    facts = make_facts(
        *told,
        question=Question(environment=environment({"data": "2"})),
        checkpoint_environment=environment({"data": "1"}),
    )

    assert [entry.name for entry in validate(facts).not_valid] == ["evidence:e", "finding:f1"]


def test_entries_follow_the_order_of_the_state_whichever_resource_moved():
    told: list[Told] = [
        STARTED,
        ("DEPENDENCY_DECLARED", "human", {"resource": "a"}),
        ("DEPENDENCY_DECLARED", "human", {"resource": "b"}),
        ("EVIDENCE_ADDED", "human", {"evidence_id": "e-b", "source": "b"}),
        ("EVIDENCE_ADDED", "human", {"evidence_id": "e-a", "source": "a"}),
        ("EVIDENCE_ADDED", "human", {"evidence_id": "e-b2", "source": "b"}),
        ("FINDING_ADDED", "human", {"finding_id": "f", "claim": "c", "evidence": ["e-b", "e-a"]}),
        ("DECISION_CREATED", "human", {"decision_id": "d2", "decision": "x", "evidence": ["e-a"]}),
        (
            "DECISION_CREATED",
            "human",
            {"decision_id": "d1", "decision": "x", "evidence": ["?", "f"]},
        ),
    ]
    facts = make_facts(
        *told,
        question=Question(environment=environment({"a": "2", "b": "__unknown__"})),
        checkpoint_environment=environment({"a": "1", "b": "1"}),
    )

    found = [(entry.name, str(entry.status)) for entry in validate(facts).not_valid]

    assert found == [
        ("external_dependency:a", "conflicted"),
        ("external_dependency:b", "unknown"),
        ("evidence:e-b", "unknown"),
        ("evidence:e-a", "stale"),
        ("evidence:e-b2", "unknown"),
        ("finding:f", "stale"),
        ("decision:d2", "stale"),
        ("decision:d1", "stale"),
        ("evidence", "unknown"),
    ]


def test_commands_in_advice_survive_hostile_names():
    declared = ("DEPENDENCY_DECLARED", "external_agent", {"resource": "a'; rm -rf /"})

    [entry] = validate(make_facts(STARTED, declared)).not_valid

    assert """--env 'a'"'"'; rm -rf /'=VERSION""" in entry.detail
