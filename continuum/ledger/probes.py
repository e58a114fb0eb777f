"""Reconciliation probes: what is registered, and what a probe's output means.

Running the command is `continuum.host.probes`; here is only what can be said
without doing anything (ledger.md 10).
"""

from __future__ import annotations

import json

from continuum.core.records import NamedTuple
from continuum.ledger.registries import ensure_members, malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DEFAULT_TIMEOUT_SECONDS = 10.0
MAX_TIMEOUT_SECONDS = 86400.0

_MARK = "occurred="
_SHOWN_OUTPUT = 120
_SHOWN_ERROR = 200
_PROBE_MEMBERS = frozenset({"command", "timeout"})


class Probe(NamedTuple):
    """How the outcome of one action type is found out.

    Attributes:
        command: text for the system shell, or a tuple run without a shell.
    """

    command: str | tuple[str, ...]
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS


class ProbeReading(NamedTuple):
    """What a probe said.

    Attributes:
        occurred: None when it could not tell.
        detail: why it could not tell; empty when it could.
        external_id, result, note: the receipt a probe may hand over in JSON.
    """

    occurred: bool | None
    detail: str = ""
    external_id: str | None = None
    result: dict[str, Any] | None = None
    note: str = ""


def probes_from_registry(document: Mapping[str, Any], where: str) -> dict[str, Probe]:
    """Return the probes a registry document says, by action type.

    Raises:
        ConfigurationError: anything but `{"probes": {TYPE: {"command", "timeout"}}}`.
    """
    if document and "probes" not in document:
        raise malformed(where, "it has no member 'probes', so none of it would be used")
    probes = document.get("probes", {})
    if not isinstance(probes, dict):
        raise malformed(where, "probes has to be an object")
    return {name: _probe(name, rule, where) for name, rule in probes.items()}


def reading_of_output(output: str) -> ProbeReading:
    """Return what the output of a probe that ended with 0 means; its last line counts."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if not lines:
        return ProbeReading(None, "the probe printed nothing")
    last = lines[-1]
    reading = _of_mark(last) if last.lower().startswith(_MARK) else _of_json(last)
    if reading.occurred is None:
        detail = f"the probe's last line decides nothing: {last[:_SHOWN_OUTPUT]!r}"
        return reading._replace(detail=detail)
    return reading


def reading_of_failure(what: str, *, stdout: str = "", stderr: str = "") -> ProbeReading:
    """Return the reading of a probe that did not end well, with what it printed."""
    said = (stderr.strip() or stdout.strip())[:_SHOWN_ERROR]
    return ProbeReading(None, f"{what}: {said}" if said else what)


def _of_mark(line: str) -> ProbeReading:
    word = line[len(_MARK) :].casefold()
    return ProbeReading({"true": True, "false": False}.get(word))


def _of_json(line: str) -> ProbeReading:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ProbeReading(None)
    if isinstance(value, bool):
        return ProbeReading(value)
    if not isinstance(value, dict) or not isinstance(value.get("occurred"), bool):
        return ProbeReading(None)
    if not value["occurred"]:
        return ProbeReading(False, note=_member(value, "note", str) or "")
    return ProbeReading(
        True,
        external_id=_member(value, "external_id", str),
        result=_member(value, "result", dict),
        note=_member(value, "note", str) or "",
    )


def _member(value: dict[str, Any], name: str, kind: type) -> Any:
    member = value.get(name)
    return member if isinstance(member, kind) else None


def _probe(name: str, rule: Any, where: str) -> Probe:
    if not isinstance(rule, dict):
        raise malformed(where, f"the probe of {name!r} has to be an object")
    ensure_members(rule, _PROBE_MEMBERS, where, f"the probe of {name!r}")
    return Probe(_command(name, rule.get("command"), where), _timeout(name, rule, where))


def _command(name: str, command: Any, where: str) -> str | tuple[str, ...]:
    if isinstance(command, str) and command.strip():
        return command
    if isinstance(command, list) and command and all(isinstance(part, str) for part in command):
        return tuple(command)
    raise malformed(where, f"the probe of {name!r} has no command")


def _timeout(name: str, rule: dict[str, Any], where: str) -> float:
    seconds = rule.get("timeout", DEFAULT_TIMEOUT_SECONDS)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= MAX_TIMEOUT_SECONDS:
        raise malformed(where, f"the timeout of {name!r} has to be seconds above 0, at most a day")
    return float(seconds)
