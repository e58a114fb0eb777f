"""The reference client's verdicts on 83 logs: equal to ours, or less careful by name."""

from __future__ import annotations

from typing import Any

import pytest

from continuum.domain.contract import contract_digest, contract_document, verify_contract
from continuum.domain.runfacts import RunFacts
from continuum.recovery.facts import Question
from continuum.recovery.modes import CAUTION, Mode
from continuum.recovery.verdict import Verdict, judge, permits
from continuum.services.observations import observation_rows
from tests.recovery.cases import RUN, Told, environment, make_events, make_facts
from tests.vectors import load_vectors

CASES = {case["name"]: case for case in load_vectors("decisions")["cases"]}

MORE_CAREFUL = {
    "confirmed, then more self-reports": ("request_human", "human_review:progress"),
    "confirmation naming only goal": ("request_human", "human_review:progress"),
    "confirmation written by an agent is honoured too": ("request_human", "human_review:goal"),
    "completed run still assessed": ("abort", None),
    "aborted run still assessed": ("abort", None),
}
"""Where we are more careful on purpose (deviations D-02 and D-03): our mode and next step."""

EQUAL = sorted(CASES.keys() - MORE_CAREFUL.keys())


def told_by(ops: list[dict[str, Any]]) -> list[Told]:
    return [
        (op["type"], op["source"], op["payload"])
        if op["op"] == "event"
        else ("STATE_CHECKPOINTED", "deterministic", {"checkpoint_id": "cp", "version": 0})
        for op in ops
    ]


def judge_case(case: dict[str, Any], **overrides: Any) -> Verdict:
    asked = case["assess"]
    checkpoints = [op for op in case["ops"] if op["op"] == "checkpoint"]
    pinned = checkpoints[-1]["env"] if checkpoints else None
    scope = asked.get("scope")
    question = Question(
        environment=environment(asked["env"], asked.get("meta")) if "env" in asked else None,
        expected_model=asked.get("expected_model"),
        strict=asked["strict_unknown"],
        scope=None if scope is None else frozenset(scope),
    )
    facts = make_facts(
        *told_by(case["ops"]),
        question=question,
        checkpoint_environment=None if pinned is None else environment(pinned),
        observations=observations(case),
        **overrides,
    )
    return judge(facts)


def observations(case: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    seen, omitted = RunFacts(RUN).apply_all(make_events(told_by(case["ops"]))).observed_after(0)
    return observation_rows(seen, omitted, directory="/nonexistent", limit=50)


@pytest.mark.parametrize("name", EQUAL)
def test_verdict_equals_the_reference_client(name):
    expected = CASES[name]["expected"]

    verdict = judge_case(CASES[name])

    assert {
        "mode": verdict.mode,
        "safe": verdict.safe,
        "exit_code": verdict.exit_status,
        "next_allowed_action": verdict.next_allowed_action,
        "validation_safe": verdict.validation.safe_to_resume,
        "uncertain_actions": [one.action_id for one in verdict.uncertain],
        "self_report_note_present": verdict.self_report_only,
    } == {
        name: expected[name]
        for name in (
            "mode",
            "safe",
            "exit_code",
            "next_allowed_action",
            "validation_safe",
            "uncertain_actions",
            "self_report_note_present",
        )
    }
    assert len(verdict.rationale) == len(expected["rationale"])


@pytest.mark.parametrize("name", EQUAL)
def test_components_and_plan_equal_the_reference_client(name):
    expected = CASES[name]["expected"]

    verdict = judge_case(CASES[name])

    assert [
        (entry.component, entry.component_id, entry.status) for entry in verdict.validation.entries
    ] == [(one["component"], one["component_id"], one["status"]) for one in expected["components"]]
    assert [
        (step.kind, step.target, step.blocking, step.requires_human) for step in verdict.plan
    ] == [
        (one["kind"], one["target"], one["blocking"], one["requires_human"])
        for one in expected["plan"]
    ]


@pytest.mark.parametrize("name", EQUAL)
def test_contract_terms_equal_the_reference_client(name):
    expected = CASES[name]["expected"]["contract"]

    contract = contract_document(judge_case(CASES[name]).contract)

    worded = {"evidence", "reason", "integrity_hash", "created_at"}
    assert {key: one for key, one in contract.items() if key not in worded} == {
        key: one for key, one in expected.items() if key not in worded
    }
    assert len(contract["evidence"]) == len(expected["evidence"])
    assert verify_contract(contract)


@pytest.mark.parametrize("name", EQUAL)
def test_guidance_and_retry_have_the_shape_of_the_reference_client(name):
    expected = CASES[name]["expected"]
    probes = frozenset({"pay", "mail"})

    plain = judge_case(CASES[name])
    guided = judge_case(CASES[name], probes=probes, gate_active=True)

    assert len(plain.human_steps) == len(expected["human_steps"])
    assert len(guided.human_steps) == len(expected["human_steps_with_probe_and_gate"])
    assert _without_wording(plain.informed_retry) == _without_wording(expected["informed_retry"])


def _without_wording(block: dict[str, Any] | None) -> dict[str, Any] | None:
    if block is None:
        return None
    failures = [{**one, "detail": bool(one["detail"])} for one in block["current_failures"]]
    subjects = [rule.split(": ")[0] for rule in block["avoid"]]
    return {**block, "current_failures": failures, "avoid": subjects}


@pytest.mark.parametrize("name", EQUAL)
def test_same_steps_are_permitted(name):
    expected = CASES[name]["expected"]["permits"]

    verdict = judge_case(CASES[name])

    assert {step: permits(verdict, step) for step in expected} == expected


@pytest.mark.parametrize("name", sorted(MORE_CAREFUL))
def test_named_deviations_are_more_careful(name):
    expected = CASES[name]["expected"]
    mode, next_step = MORE_CAREFUL[name]

    verdict = judge_case(CASES[name])

    assert (verdict.mode, verdict.next_allowed_action) == (mode, next_step)
    assert CAUTION[verdict.mode] > CAUTION[Mode(expected["mode"])]
    assert not verdict.safe
    assert verdict.findings


@pytest.mark.parametrize("name", sorted(CASES))
def test_contracts_of_the_reference_client_are_verified(name):
    contract = {**CASES[name]["expected"]["contract"], "created_at": "2026-01-01T00:00:00Z"}

    assert contract_digest(contract) == contract["integrity_hash"]
    assert verify_contract(contract)


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_unsafe_verdict_says_why(name):
    verdict = judge_case(CASES[name])

    assert bool(verdict.findings) is not verdict.safe
    assert all(finding.text.endswith((".", "!", "?", "…")) for finding in verdict.findings)
