"""The gate: which calls may run, and what a registry must not hide."""

from __future__ import annotations

import pytest

from continuum.core.errors import ConfigurationError
from continuum.domain.actions import Action, ActionStatus, Slot
from continuum.ledger.gate import (
    GateCode,
    fork_neighbours,
    gate_from_registry,
    identify_call,
    judge_call,
)
from continuum.ledger.identity import key_spellings, ledger_key
from tests.vectors import load_vectors

RUN = "run-a"
REGISTRY = {
    "tools": {
        "send_mail": {"key_template": "mail:{id}", "action_type": "mail.send"},
        "noalias": {"key_template": "x:{id}"},
    }
}
CASES = load_vectors("gate")["cases"]
CODES = {
    None: GateCode.NO_CLAIM,
    "started": GateCode.LIVE,
    "completed": GateCode.DUPLICATE,
    "unknown": GateCode.UNCERTAIN,
    # Deviation gate-review-is-uncertain: a claim on it is refused, so none is advised.
    "requires_review": GateCode.UNCERTAIN,
    "failed": GateCode.CLOSED,
    "compensated": GateCode.CLOSED,
    "planned": GateCode.CLOSED,
    "expired": GateCode.CLOSED,
}


def recorded_slot(recorded):
    action = Action(
        "action_0000000",
        RUN,
        "mail.send",
        arguments=recorded["arguments"],
        status=ActionStatus(recorded["status"]),
        external_id=recorded["external_id"],
    )
    return Slot(recorded["key"], action, 2, 2)


def decide(tool, tool_input, slots=(), registry=REGISTRY):
    rule = gate_from_registry(registry, "/w/gate.json").rule_for(tool)
    if rule is None:
        return None
    call = identify_call(rule, RUN, tool_input)
    slot = next((one for one in slots if one.key in call.keys), None)
    return judge_call(call, slot, fork_neighbours(call, tool_input, slots))


@pytest.mark.parametrize("case", CASES)
def test_decisions_are_those_of_the_vectors(case):
    slots = [recorded_slot(case["recorded"])] if case["recorded"] else []

    try:
        decision = decide(case["tool_name"], case["tool_input"], slots)
    except ConfigurationError:
        assert not case["allow"] and "configuration" in case["reason"]
        return

    assert (decision is None or decision.allow) is case["allow"]
    if decision is None:
        assert "not gated" in case["reason"]
        return
    is_same = bool(slots) and "M-1" in case["tool_input"].values()
    assert decision.code is CODES[case["recorded"]["status"] if is_same else None]
    for tokens in case["fork_candidates"]:
        assert all(token in decision.reason for token in tokens)
        assert "continuum fork run-a" in decision.reason


def test_a_call_without_a_claim_is_told_how_to_claim():
    decision = decide("send_mail", {"id": "M-1"})

    for part in ("continuum_intercept_action", "run-a", "mail.send", "mail:M-1"):
        assert part in decision.reason


def test_a_done_effect_names_its_receipt():
    slot = recorded_slot(
        {
            "key": ledger_key("mail.send", None, scope=RUN, explicit_key="mail:M-1"),
            "status": "completed",
            "external_id": "smtp-1",
            "arguments": {},
        }
    )

    decision = decide("send_mail", {"id": "M-1"}, [slot])

    assert decision.code is GateCode.DUPLICATE
    assert "smtp-1" in decision.reason


@pytest.mark.parametrize("tool", ["send_mail", "mcp__billing__send_mail", "Send_Mail"])
def test_another_spelling_of_a_tool_is_gated_too(tool):
    assert decide(tool, {"id": "M-1"}).code is GateCode.NO_CLAIM


@pytest.mark.parametrize("text", ["M-1", " M-1 ", "cafe\u0301"])
def test_gate_and_ledger_derive_the_same_keys(text):
    registry = {"tools": {"pay": {"key_template": "{id}"}}}
    rule = gate_from_registry(registry, "/w/gate.json").rules["pay"]

    call = identify_call(rule, RUN, {"id": text})

    assert call.keys == tuple(
        ledger_key("pay", None, scope=RUN, explicit_key=one) for one in key_spellings(text)
    )


@pytest.mark.parametrize(
    ("template", "tool_input", "key"),
    [
        ("a:{n:03d}", {"n": 7}, "a:007"),
        ("a:{s!r}", {"s": "x"}, "a:'x'"),
        ("{{{s}}}", {"s": "x"}, "{x}"),
        ("{o[id]}-{l[1]}", {"o": {"id": "q"}, "l": [1, 2]}, "q-2"),
        ("{b}", {"b": True}, "True"),
        ("constant", {}, "constant"),
    ],
)
def test_templates_take_plain_values_of_the_call(template, tool_input, key):
    registry = {"tools": {"t": {"key_template": template}}}
    rule = gate_from_registry(registry, "/w/gate.json").rules["t"]

    assert identify_call(rule, RUN, tool_input).key_text == key


@pytest.mark.parametrize(
    ("template", "tool_input"),
    [
        ("{a}", {"a": {"b": 1}}),
        ("{a}", {"a": [1]}),
        ("{a}", {"a": None}),
        ("{a}", {"a": "  "}),
        ("{a[b]}", {"a": "text"}),
        ("{a[9]}", {"a": [1]}),
        ("{a:03d}", {"a": "text"}),
        ("{a}", {"a": "x" * 600}),
        ("{a}", {}),
    ],
)
def test_a_call_that_gives_no_key_is_a_configuration_error(template, tool_input):
    registry = {"tools": {"t": {"key_template": template}}}
    rule = gate_from_registry(registry, "/w/gate.json").rules["t"]

    with pytest.raises(ConfigurationError, match="key template"):
        identify_call(rule, RUN, tool_input)


@pytest.mark.parametrize(
    "registry",
    [
        {"send_mail": {"key_template": "x"}},
        {"tools": []},
        {"tools": {"t": "x"}},
        {"tools": {"t": {}}},
        {"tools": {"t": {"key_template": " "}}},
        {"tools": {"t": {"key_template": "x", "action_type": ""}}},
        {"tools": {"t": {"key_template": "x", "key_templates": "y"}}},
        {"tools": {}, "tool": {}},
        {"tools": {"t": {"key_template": "inv:{c"}}},
        {"tools": {"t": {"key_template": "inv:{}"}}},
        {"tools": {"t": {"key_template": "inv:{0}"}}},
        {"tools": {"t": {"key_template": "inv:}"}}},
        {"tools": {"t": {"key_template": "{a.__class__}"}}},
        {"tools": {"t": {"key_template": "{a:{b}}"}}},
    ],
)
def test_a_registry_that_could_leave_a_tool_ungated_is_refused(registry):
    with pytest.raises(ConfigurationError, match=r"^/w/gate\.json"):
        gate_from_registry(registry, "/w/gate.json")


def test_an_empty_registry_gates_nothing():
    assert gate_from_registry({}, "/w/gate.json").rule_for("send_mail") is None
