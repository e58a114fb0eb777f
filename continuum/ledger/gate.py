"""The gate: may a host's tool run, given what the ledger says? (ledger.md 11)

A gated tool is allowed only on a live claim under the key its call renders
to. A registry that cannot be understood gates every tool, so all of it is
checked when it is read.
"""

from __future__ import annotations

import re
from enum import StrEnum

from continuum.core.errors import ConfigurationError, InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED, ActionStatus
from continuum.domain.tokens import identity_tokens
from continuum.ledger.identity import ensure_key, key_spellings, ledger_key
from continuum.ledger.registries import ensure_members, malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from continuum.domain.actions import Slot

_REGISTRY_MEMBERS = frozenset({"tools", "fail_closed_on_bad_payload"})
_RULE_MEMBERS = frozenset({"key_template", "action_type"})
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FIELD = re.compile(r"([^\[\]!:.]+)((?:\[[^\[\]]+\])*)(?:!([rsa]))?(?::(.*))?")
_INDEX = re.compile(r"\[([^\[\]]+)\]")
_CONVERSIONS: dict[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
_SHOWN_TOKENS = 3


class GateCode(StrEnum):
    """Why a call is allowed or denied."""

    NOT_GATED = "not_gated"
    LIVE = "live"
    NO_CLAIM = "no_claim"
    DUPLICATE = "duplicate"
    UNCERTAIN = "uncertain"
    CLOSED = "closed"
    CONFIGURATION = "config"


class GateRule(NamedTuple):
    """How the calls of one tool are identified."""

    tool: str
    key_template: str
    action_type: str


class Gate(NamedTuple):
    """A checked registry."""

    rules: Mapping[str, GateRule] = {}
    fail_closed_on_bad_payload: bool = False

    def rule_for(self, tool: str) -> GateRule | None:
        """Return the rule of a tool, however its host spells it.

        The exact name comes first, then the name without regard to case, then
        the part behind the last `__`, which is how hosts name a server's tools.
        """
        if tool in self.rules:
            return self.rules[tool]
        folded = {name.casefold(): rule for name, rule in self.rules.items()}
        whole = tool.casefold()
        return folded.get(whole) or folded.get(whole.rpartition("__")[2])


class GatedCall(NamedTuple):
    """A call of a gated tool, identified.

    Attributes:
        key_text: the explicit key as the agent has to claim it.
        keys: the ledger keys it may be recorded under.
    """

    run_id: str
    action_type: str
    key_text: str
    keys: tuple[str, ...]


class Neighbour(NamedTuple):
    """A recorded action that shares identity tokens with a call."""

    slot: Slot
    shared: tuple[str, ...]


class GateDecision(NamedTuple):
    """Whether the tool may run, and what to tell the agent."""

    allow: bool
    code: GateCode
    reason: str


NOT_GATED = GateDecision(True, GateCode.NOT_GATED, "this tool is not gated")


def gate_from_registry(document: Mapping[str, Any], where: str) -> Gate:
    """Return the gate a registry document says; an empty object gates nothing.

    Raises:
        ConfigurationError: anything that could leave a tool ungated by mistake.
    """
    if document and "tools" not in document:
        raise malformed(where, "it has no member 'tools', so none of it would gate anything")
    ensure_members(dict(document), _REGISTRY_MEMBERS, where, "the registry")
    tools, strict = document.get("tools", {}), document.get("fail_closed_on_bad_payload", False)
    if not isinstance(tools, dict) or not isinstance(strict, bool):
        raise malformed(
            where, "tools has to be an object, fail_closed_on_bad_payload true or false"
        )
    return Gate({name: _rule(name, rule, where) for name, rule in tools.items()}, strict)


def identify_call(rule: GateRule, run_id: str, tool_input: Mapping[str, Any]) -> GatedCall:
    """Return the call with the keys its claim may stand under.

    Raises:
        ConfigurationError: the template does not fit the call.
    """
    rendered = _render(rule, tool_input)
    try:
        key_text, spellings = ensure_key(rendered), key_spellings(rendered)
    except InvalidInput as exc:
        raise ConfigurationError(
            f"key template {rule.key_template!r} makes no key of this call: {exc}"
        ) from exc
    keys = [ledger_key(rule.action_type, None, scope=run_id, explicit_key=one) for one in spellings]
    return GatedCall(run_id, rule.action_type, key_text, tuple(keys))


def judge_call(
    call: GatedCall, slot: Slot | None, neighbours: Iterable[Neighbour] = ()
) -> GateDecision:
    """Return whether the call may run.

    Args:
        slot: what the ledger holds under one of the call's keys.
        neighbours: for the hint when there is no claim; best first.
    """
    if slot is None:
        return GateDecision(False, GateCode.NO_CLAIM, _no_claim(call, next(iter(neighbours), None)))
    name, action = f"{call.action_type!r} with key {call.key_text!r}", slot.action
    if action.status is ActionStatus.STARTED:
        return GateDecision(True, GateCode.LIVE, f"{name} is claimed and open")
    if action.status is ActionStatus.COMPLETED:
        receipt = f" with external id {action.external_id!r}" if action.external_id else ""
        reason = f"{name} is done already{receipt}; go on without repeating it"
        return GateDecision(False, GateCode.DUPLICATE, reason)
    if action.status in UNRESOLVED:
        reason = (
            f"nobody knows whether {name} happened (it is {action.status}); find out and call "
            f"continuum_reconcile_action for {slot.key} before anything else"
        )
        return GateDecision(False, GateCode.UNCERTAIN, reason)
    reason = (
        f"the last attempt of {name} is {action.status}; "
        f"{_claim_with(call)} to begin another, then repeat this call"
    )
    return GateDecision(False, GateCode.CLOSED, reason)


def fork_neighbours(
    call: GatedCall, tool_input: Mapping[str, Any], slots: Iterable[Slot]
) -> list[Neighbour]:
    """Return the recorded actions of the type that share tokens, most shared first."""
    ours = identity_tokens(tool_input)
    found = [
        Neighbour(slot, tuple(sorted(ours & _all_tokens(slot))))
        for slot in slots
        if slot.action.action_type == call.action_type
    ]
    alike = [one for one in found if one.shared]
    return sorted(alike, key=lambda one: (-len(one.shared), one.slot.key))


def _rule(name: str, rule: Any, where: str) -> GateRule:
    if not isinstance(rule, dict):
        raise malformed(where, f"the rule of tool {name!r} has to be an object")
    ensure_members(rule, _RULE_MEMBERS, where, f"the rule of tool {name!r}")
    template, action_type = rule.get("key_template"), rule.get("action_type", name)
    if not isinstance(template, str) or not template.strip():
        raise malformed(where, f"the rule of tool {name!r} has no key_template")
    if not isinstance(action_type, str) or not action_type.strip():
        raise malformed(where, f"the rule of tool {name!r} has a blank action_type")
    problem = _template_problem(template)
    if problem:
        raise malformed(where, f"the key_template of tool {name!r} {problem}")
    return GateRule(name, template, action_type)


def _template_problem(template: str) -> str:
    for brace in _BRACES.finditer(template):
        if brace[0] in ("{", "}"):
            return f"has an unpaired {brace[0]!r} (write it twice to mean itself)"
        if brace[1] is not None and not _is_field(brace[1]):
            return f"has {brace[0]!r}, which names no member of the call"
    return ""


def _is_field(text: str) -> bool:
    field = _FIELD.fullmatch(text)
    return field is not None and bool(field[1].strip()) and not field[1].isdigit()


def _render(rule: GateRule, tool_input: Mapping[str, Any]) -> str:
    missing: list[str] = []

    def replace(brace: re.Match[str]) -> str:
        if brace[1] is None:
            return brace[0][0]
        field = _FIELD.fullmatch(brace[1])
        name = field[1] if field else ""
        if field is None or name not in tool_input:
            missing.append(name)
            return ""
        return _field_text(rule, field, tool_input[name])

    text = _BRACES.sub(replace, rule.key_template)
    if missing:
        raise ConfigurationError(
            f"key template {rule.key_template!r} needs {sorted(missing)}, and the call of "
            f"{rule.tool!r} has {sorted(tool_input)}; correct the template or the call"
        )
    return text


def _field_text(rule: GateRule, field: re.Match[str], value: Any) -> str:
    """Return the text of one placeholder.

    Raises:
        ConfigurationError: the value is no plain text, number or truth value.
    """
    try:
        for step in _INDEX.findall(field[2]):
            value = value[int(step)] if isinstance(value, list) else value[step]
        if value is None or isinstance(value, (dict, list)):
            raise TypeError("it holds no plain value")
        converted = _CONVERSIONS[field[3]](value) if field[3] else value
        return format(converted, field[4] or "")
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        raise ConfigurationError(
            f"key template {rule.key_template!r} cannot take {field[0]!r} from the call of "
            f"{rule.tool!r}: {exc}"
        ) from exc


def _no_claim(call: GatedCall, neighbour: Neighbour | None) -> str:
    reason = (
        f"nobody has claimed {call.action_type!r} with key {call.key_text!r}; "
        f"{_claim_with(call)}, then repeat this call"
    )
    if neighbour is None:
        return reason
    action = neighbour.slot.action
    return (
        f"{reason}. It looks like action {action.action_id[:14]}, which is {action.status} "
        f"(both name {', '.join(neighbour.shared[:_SHOWN_TOKENS])}); if this is meant to go "
        f"another way, `continuum fork {call.run_id} --reason WHY --child NEW_RUN`"
    )


def _claim_with(call: GatedCall) -> str:
    return (
        f"claim it by calling continuum_intercept_action with run_id={call.run_id!r}, "
        f"action_type={call.action_type!r}, key={call.key_text!r}"
    )


def _all_tokens(slot: Slot) -> frozenset[str]:
    return identity_tokens(slot.action.arguments, external_id=slot.action.external_id)
