"""The reference client's stores and its own answers, and how ours are compared.

Two measures. A *difference* is any other exit status, structure or value,
wording aside. *Less careful* is worse: an exit status nearer to "go on", a
milder mode, `safe` where the reference client says no, a finding less.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from tests.commands import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parents[1] / "data" / "stores"

COMMANDS = frozenset(
    {
        "status",
        "inspect",
        "validate",
        "resume",
        "verify",
        "actions",
        "events",
        "history",
        "replay",
        "show-contract",
        "tree",
        "diff",
    }
)
"""Commands about one run that both clients have; `runs` and `resume` without id besides."""

MODES = ("resume", "repair_and_resume", "replan", "wait", "request_human", "rollback", "abort")
"""From the mildest to the most careful."""

_CARE_OF_EXIT = {0: 0, 10: 1, 20: 2}
_REFUSED = 3
_WORDING = frozenset(
    {
        "reason",
        "evidence",
        "integrity_hash",
        "created_at",
        "rationale",
        "human_steps",
        "family_rationale",
        "verification",
        "detail",
        "unprojectable_reason",
        "avoid",
    }
)
_SPOKEN_IN = re.compile(
    r"(contract|projection_failed_at|violations|informed_retry|current_failures|^$)"
)
_STATUS = re.compile(
    r"run: +(?P<run_id>.*)\ngoal: +(?P<goal>.*) \(v(?P<goal_version>\d+)\)\n"
    r"version: +v(?P<version>\d+)\n"
    r"progress: (?P<completed>\d+) completed, (?P<pending>\d+) pending, (?P<failed>\d+) failed\n"
    r"decisions: (?P<valid>\d+)/(?P<total>\d+) valid\n",
    re.DOTALL,
)


class Case(NamedTuple):
    """One command line on one store, and what the reference client answered."""

    store: str
    run_id: str
    command: str
    expected: dict[str, Any]

    @property
    def argv(self) -> list[str]:
        """The words behind `--db STORE --json`."""
        if self.command == "resume_without_id":
            return ["resume"]
        if not self.run_id:
            return [self.command]
        name, *rest = self.command.split()
        return [name, self.run_id, *rest]


def store_names() -> list[str]:
    """Return every SQLite store's name."""
    return sorted(path.stem for path in FOLDER.glob("*.db"))


def cases_of(store: str) -> list[Case]:
    """Return what is compared on a store, in the order it was recorded."""
    text = (FOLDER / f"{store}.expected.json").read_text(encoding="utf-8")
    recorded = json.loads(text)
    found = [
        Case(store, "", name, recorded["commands"][name])
        for name in ("runs", "resume_without_id")
        if name in recorded["commands"]
    ]
    for run_id, commands in recorded["runs"].items():
        found += [
            Case(store, run_id, command, expected)
            for command, expected in commands.items()
            if command.split()[0] in COMMANDS and not command.endswith("(text)")
        ]
    return found


def differences(case: Case, answer: Answer) -> list[str]:
    """Return how an answer differs from the recorded one, wording aside."""
    found = []
    if answer.exit_code != case.expected["exit"]:
        found.append(f"exit {case.expected['exit']} → {answer.exit_code}")
    expected, value = _documents(case, answer)
    if (expected is None) is not (value is None):
        found.append("one of the two printed no document")
    elif expected is not None:
        found += _compare(expected, value, "")
    return found


def less_careful(case: Case, answer: Answer) -> list[str]:
    """Return where an answer is less careful than the recorded one; no table excuses that."""
    found = []
    if _care(answer.exit_code) < _care(case.expected["exit"]):
        found.append(f"exit {case.expected['exit']} → {answer.exit_code}")
    expected, value = _documents(case, answer)
    if expected is None or value is None:
        return found
    return found + [
        f"{name}: {expected[name]!r} → {value[name]!r}"
        for name, is_milder in _MILDER.items()
        if name in expected and name in value and is_milder(expected[name], value[name])
    ]


def _documents(case: Case, answer: Answer) -> tuple[Any, Any]:
    try:
        value = json.loads(answer.stdout)
    except ValueError:
        value = None
    expected = case.expected.get("json")
    if expected is None and case.command == "status":
        expected, value = _standing(case.expected["text"]), _figures(value)
    return expected, value


def _standing(text: str) -> dict[str, str] | None:
    """Return the figures of the reference client's `status`, which only prints text."""
    match = _STATUS.match(text)
    return match.groupdict() if match else None


def _figures(document: Any) -> dict[str, str] | None:
    if document is None:
        return None
    progress, decisions = document["progress"], document["decisions"]
    flat = {
        **{name: document[name] for name in ("run_id", "goal", "goal_version", "version")},
        **{name: progress[name] for name in ("completed", "pending", "failed")},
        "valid": decisions["valid"],
        "total": decisions["total"],
    }
    return {name: str(value) for name, value in flat.items()}


def _care(exit_code: int) -> int:
    return _CARE_OF_EXIT.get(exit_code, _REFUSED)


def _is_milder_mode(expected: str, value: str) -> bool:
    return MODES.index(value) < MODES.index(expected)


def _is_newly_true(expected: bool | None, value: bool | None) -> bool:
    return bool(value) and not expected


def _lacks_violation(expected: list[dict[str, Any]], value: list[dict[str, Any]]) -> bool:
    def places(found: list[dict[str, Any]]) -> set[tuple[str, int]]:
        return {(one["kind"], one["sequence"]) for one in found}

    return not places(expected) <= places(value)


def _trusts_more(expected: dict[str, int], value: dict[str, int]) -> bool:
    return any(value[run_id] > sequence for run_id, sequence in expected.items())


def _verifies_more(expected: dict[str, Any], value: dict[str, Any]) -> bool:
    return not set(value["verified"]) <= set(expected["verified"])


def _is_surer(expected: Any, value: Any) -> bool:
    """`verified` is a yes, no or unknown in a replay, a list of components in a contract."""
    if isinstance(expected, list):
        return not set(value) <= set(expected)
    return expected is False and value is not False


_MILDER: dict[str, Callable[[Any, Any], bool]] = {
    "mode": _is_milder_mode,
    "safe": _is_newly_true,
    "ok": _is_newly_true,
    "projectable": _is_newly_true,
    "verified": _is_surer,
    "violations": _lacks_violation,
    "trusted_through": _trusts_more,
    "contract": _verifies_more,
}


def _compare(expected: Any, value: Any, path: str) -> list[str]:
    if isinstance(expected, dict) and isinstance(value, dict):
        return _compare_objects(expected, value, path)
    if isinstance(expected, list) and isinstance(value, list):
        if len(expected) != len(value):
            return [f"{path}: {len(expected)} → {len(value)} entries"]
        pairs = zip(expected, value, strict=True)
        return [line for one, other in pairs for line in _compare(one, other, path)]
    if type(expected) is type(value) and expected == value:
        return []
    return [f"{path}: {expected!r} → {value!r}"]


def _compare_objects(expected: dict[str, Any], value: dict[str, Any], path: str) -> list[str]:
    found = [f"{path}.{name}: missing" for name in sorted(set(expected) - set(value))]
    if path:
        found += [f"{path}.{name}: added" for name in sorted(set(value) - set(expected))]
    speaks = bool(_SPOKEN_IN.search(path.rpartition(".")[2]))
    for name in sorted(set(expected) & set(value)):
        if speaks and name in _WORDING:
            if type(expected[name]) is not type(value[name]):
                found.append(f"{path}.{name}: another type")
            continue
        found += _compare(expected[name], value[name], f"{path}.{name}" if path else name)
    return found
