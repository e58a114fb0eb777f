"""Envelopes: what is read, and what is refused."""

from __future__ import annotations

import json

import pytest

from continuum.core.errors import InvalidInput
from continuum.domain.contract import contract_document, verify_contract
from continuum.recovery.facts import Question
from continuum.recovery.interchange import (
    Kind,
    Restored,
    contract_from_data,
    decision_data,
    envelope_text,
    make_envelope,
    marked_state,
    open_envelope,
)
from continuum.recovery.validation import validate
from continuum.recovery.verdict import judge
from tests.recovery.cases import AGENT_STARTED, NOON, STARTED, action, environment, make_facts
from tests.vectors import load_vectors

CASES = {case.get("mutation", "whole"): case for case in load_vectors("interchange")["cases"]}
WHOLE = CASES["whole"]["envelope"]


@pytest.mark.parametrize("name", sorted(CASES))
def test_contract_envelopes_are_read_as_by_the_reference_client(name):
    case = CASES[name]

    if not case["accepted"]:
        with pytest.raises(InvalidInput):
            open_envelope(case["envelope"], Kind.RECOVERY_CONTRACT)
        return
    data = open_envelope(case["envelope"], Kind.RECOVERY_CONTRACT)

    assert verify_contract(data) is case.get("seal_verifies", True)
    assert contract_document(contract_from_data(data)) == data


def test_envelope_with_extra_members_around_the_data_is_read():
    assert open_envelope({**WHOLE, "signed_by": "x"}, Kind.RECOVERY_CONTRACT) == WHOLE["data"]


@pytest.mark.parametrize("version", [True, 1.0, "1", None])
def test_version_is_the_integer_one(version):
    with pytest.raises(InvalidInput, match="version"):
        open_envelope({**WHOLE, "version": version}, Kind.RECOVERY_CONTRACT)


@pytest.mark.parametrize("envelope", [None, [], "text", 1])
def test_what_is_no_object_is_no_envelope(envelope):
    with pytest.raises(InvalidInput):
        open_envelope(envelope, Kind.RECOVERY_CONTRACT)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("recovery_status", "fine"),
        ("verified", "goal"),
        ("checkpoint_version", -1),
        ("post_checkpoint_observations", ["x"]),
        ("created_at", "yesterday"),
    ],
)
def test_contract_with_a_wrong_value_is_refused(member, value):
    data = {**WHOLE["data"], member: value}

    with pytest.raises(InvalidInput, match=member):
        open_envelope({**WHOLE, "data": data}, Kind.RECOVERY_CONTRACT)


def test_decision_survives_the_journey():
    facts = make_facts(AGENT_STARTED, action("unknown"))
    verdict = judge(facts)
    data = decision_data(verdict, Restored(None, (), 2))

    text = envelope_text(make_envelope(Kind.RECOVERY_DECISION, data, at=NOON))
    read = open_envelope(json.loads(text), Kind.RECOVERY_DECISION)

    assert read["mode"] == "request_human"
    assert read["contract"] == contract_document(verdict.contract)
    assert verify_contract(read["contract"])
    assert [step["kind"] for step in read["plan"]["steps"]] == ["reconcile_action", "human_review"]
    assert read["validation"]["report"]["recovery_mode"] is None
    assert read["uncertain_actions"][0]["action_id"] == "action_1"


def test_decision_with_an_unknown_member_in_its_contract_is_refused():
    data = decision_data(judge(make_facts(STARTED)), Restored(None, (), 1))
    data["contract"]["extra"] = 1

    with pytest.raises(InvalidInput, match="extra"):
        open_envelope(make_envelope(Kind.RECOVERY_DECISION, data, at=NOON), Kind.RECOVERY_DECISION)


def test_state_survives_the_journey_and_refuses_what_it_does_not_know():
    state = make_facts(STARTED).state

    envelope = make_envelope(Kind.SEMANTIC_STATE, state, at=NOON)
    assert open_envelope(envelope, Kind.SEMANTIC_STATE) == state

    envelope["data"]["mood"] = "good"
    with pytest.raises(InvalidInput, match="mood"):
        open_envelope(envelope, Kind.SEMANTIC_STATE)


def test_files_are_indented_and_sorted():
    text = envelope_text(WHOLE)

    assert text.startswith('{\n  "data": {\n    "checkpoint_version": 2,')


def test_marked_state_carries_what_validation_found_and_leaves_the_original():
    facts = make_facts(
        STARTED,
        ("EVIDENCE_ADDED", "human", {"evidence_id": "e", "source": "data"}),
        question=Question(environment=environment({"data": "2"})),
        checkpoint_environment=environment({"data": "1"}),
    )

    marked = marked_state(facts.state, validate(facts).entries)

    assert marked["evidence"][0]["status"] == "stale"
    assert facts.state["evidence"][0]["status"] == "valid"
