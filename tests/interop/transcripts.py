"""Golden transcripts of the reference client: how they are replayed and compared.

A transcript is a list of steps in one empty folder. Commands we have are run
by ours, the others by the reference client on the same store. Compared are
exit codes, JSON structure and JSON values; wording is not (cli.md 8).
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import continuum
from continuum.cli.main import COMMANDS
from continuum.domain.events import Draft, EventType, Origin
from tests.commands import Answer as Answer
from tests.commands import run_ours

FOLDER = Path(__file__).parents[1] / "data" / "transcripts"

_PLACEHOLDER = re.compile(r"<([A-Z]+)(?:_(\d+))?(?::(\d+))?>")
_FIXED_TIME = "2026-11-30T22:00:00+00:00"
_WORDING = frozenset(
    {
        "contract.reason",
        "contract.evidence",
        "contract.integrity_hash",
        "rationale",
        "human_steps",
        "family_rationale",
        "verification",
        "detail",
        "projection_failed_at.reason",
        "unprojectable_reason",
        "informed_retry.avoid",
        "informed_retry.current_failures.detail",
        "unresolved.detail",
        "violations.detail",
        "entries.detail",
        "actions.last_error",
        "events.payload.action.last_error",
        "events.payload.plan.reason",
    }
)
"""Members whose texts are ours; only their types are compared."""


def load(name: str) -> list[dict[str, Any]]:
    """Return the steps of one transcript."""
    steps: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text())
    return steps


def names() -> list[str]:
    """Return every transcript's name."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def command_of(step: dict[str, Any]) -> str | None:
    """Return the command a step runs; None for help, version and preparations."""
    words = [word for word in step.get("argv", []) if not word.startswith("-")]
    if "--db" in step.get("argv", []):
        words.remove(step["argv"][step["argv"].index("--db") + 1])
    return words[0] if words else None


def has_ours(name: str) -> bool:
    """Say whether a transcript has any step with a command of ours."""
    return any(command_of(step) in COMMANDS for step in load(name))


def is_ours(step: dict[str, Any]) -> bool:
    """Say whether our command line runs the step."""
    command = command_of(step)
    return command is None or command in COMMANDS or command == "frobnicate"


class Replay:
    """One transcript at work in the current folder."""

    def __init__(self, peer: str | None) -> None:
        self._peer = peer
        self._bound: dict[str, str] = {}

    def prepare(self, step: dict[str, Any]) -> None:
        """Do what a preparation step says."""
        getattr(self, f"_{step['op']}")(step)

    def run(self, step: dict[str, Any]) -> Answer:
        """Run a command step, ours or the reference client's."""
        if is_ours(step):
            argv = [self._filled(word) for word in step["argv"]]
            return run_ours(*argv, environment=step.get("env"))
        return self.run_peer(step)

    def run_peer(self, step: dict[str, Any]) -> Answer:
        """Run a command step with the reference client."""
        argv = [self._filled(word) for word in step["argv"]]
        stdin = self._filled(step.get("stdin", ""))
        assert self._peer, "the reference client is not installed"
        done = subprocess.run(
            [self._peer, *argv],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **step.get("env", {})},
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def differences(self, step: dict[str, Any], answer: Answer) -> list[str]:
        """Return how an answer differs from the recorded one, empty if it does not."""
        found = []
        if answer.exit_code != step["exit_code"]:
            found.append(f"exit code {answer.exit_code}, recorded {step['exit_code']}")
        if "stdout_json" in step:
            is_contract = command_of(step) == "show-contract"
            found += self._compare_text(
                step["stdout_json"], answer.stdout, "contract" if is_contract else ""
            )
        elif "stdout_jsonl" in step:
            lines = answer.stdout.splitlines()
            for expected, line in zip(step["stdout_jsonl"], lines, strict=False):
                found += self._compare_text(expected, line)
        elif not step["stdout_text"] and answer.stdout:
            found.append(f"printed {answer.stdout[:80]!r}, recorded nothing")
        elif answer.stdout.startswith("{"):
            found.append("printed JSON, recorded text")
        return found

    def _compare_text(self, expected: Any, text: str, path: str = "") -> list[str]:
        try:
            value = json.loads(text)
        except ValueError:
            return [f"stdout is no JSON: {text[:80]!r}"]
        return self._compare(expected, value, path)

    def _compare(self, expected: Any, value: Any, path: str) -> list[str]:
        if isinstance(expected, dict) and isinstance(value, dict):
            return self._compare_objects(expected, value, path)
        if _is_wording(path) and type(expected) is type(value):
            return []
        if isinstance(expected, list) and isinstance(value, list):
            if len(expected) != len(value):
                return [f"{path}: {len(value)} entries, recorded {len(expected)}"]
            pairs = zip(expected, value, strict=True)
            return [line for one, other in pairs for line in self._compare(one, other, path)]
        if isinstance(expected, str) and isinstance(value, str):
            return [] if self._matches(expected, value) else [f"{path}: {value!r} ≠ {expected!r}"]
        return [] if expected == value else [f"{path}: {value!r}, recorded {expected!r}"]

    def _compare_objects(
        self, expected: dict[str, Any], value: dict[str, Any], path: str
    ) -> list[str]:
        missing, extra = sorted(set(expected) - set(value)), sorted(set(value) - set(expected))
        found = [f"{path}.{name}: missing" for name in missing]
        found += [f"{path}.{name}: not recorded" for name in extra]
        for name in sorted(set(expected) & set(value)):
            inner = f"{path}.{name}" if path else name
            found += self._compare(expected[name], value[name], inner)
        return found

    def _matches(self, expected: str, value: str) -> bool:
        pattern, groups = self._pattern(expected)
        match = re.fullmatch(pattern, value, re.DOTALL)
        if match is None:
            return False
        self._bound.update(
            {name: match[group] for name, group in groups.items() if name not in self._bound}
        )
        return True

    def _pattern(self, expected: str) -> tuple[str, dict[str, str]]:
        """Return a regular expression for a text, and which group binds which placeholder."""
        parts, groups, last = [], {}, 0
        for index, match in enumerate(_PLACEHOLDER.finditer(expected)):
            parts.append(re.escape(expected[last : match.start()]))
            last = match.end()
            word, number, cut = match.groups()
            name = f"{word}_{number}"
            if number and name in self._bound:
                parts.append(re.escape(self._bound[name][: int(cut) if cut else None]))
            elif number and not cut and name not in groups:
                groups[name] = f"g{index}"
                parts.append(f"(?P<g{index}>.+?)")
            else:
                parts.append(".+?")
        parts.append(re.escape(expected[last:]))
        return "".join(parts), groups

    def _filled(self, text: str) -> str:
        """Return a text with what the placeholders stand for."""

        def value(match: re.Match[str]) -> str:
            word, number, cut = match.groups()
            if word == "TS":
                return _FIXED_TIME
            return self._bound.get(f"{word}_{number}", match[0])[: int(cut) if cut else None]

        return _PLACEHOLDER.sub(value, text)

    def _write_file(self, step: dict[str, Any]) -> None:
        path = Path(step["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step["content"])

    def _remove_file(self, step: dict[str, Any]) -> None:
        Path(step["path"]).unlink()

    def _sql(self, step: dict[str, Any]) -> None:
        connection = sqlite3.connect(step["db"])
        with connection:
            for statement in step["statements"]:
                connection.execute(self._filled(statement))
        connection.close()

    def _append_event(self, step: dict[str, Any]) -> None:
        payload = json.loads(self._filled(json.dumps(step["payload"])))
        draft = Draft(EventType(step["type"]), payload, Origin(step["source"]), datetime.now(UTC))
        with continuum.open_store("continuum.db") as store, store.writing(step["run_id"]) as writer:
            writer.append(step["run_id"], [draft])


def _is_wording(path: str) -> bool:
    return path in _WORDING or path.removeprefix("contract.") in _WORDING
