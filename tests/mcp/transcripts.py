"""Recorded MCP sessions of the reference client: how they are replayed and compared.

Compared are shape and values; wording is not, but the identifiers that a text
has to mention are. Members of our own may stand beside recorded ones only
where `ADDED` names them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "mcp"

ADDED = {
    "continuum_resume": {"open_claims"},
    "continuum_intercept_action": {"attempt", "attempts_remaining"},
    "continuum_list_actions": {"attempts", "started_at", "completed_at"},
    "continuum_reconcile_action": {"previous_status"},
}
"""Tool → members its answers have beyond the recorded ones, at any depth."""

_PLACEHOLDER = re.compile(r"<([a-z_]+?)_\d+>|<timestamp>")
_SHAPES = {
    "action": r"action_[0-9a-f]{32}",
    "checkpoint": r"checkpoint_[0-9a-f]{32}",
    "event": r"event_[0-9a-f]{32}",
    "integrity_hash": r"[0-9a-f]{64}",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z",
}


def names() -> list[str]:
    """Return every transcript's name."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load(name: str) -> dict[str, Any]:
    """Return one transcript."""
    transcript: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return transcript


class Comparison:
    """Compares answers of one transcript; equal placeholders are equal values."""

    def __init__(self) -> None:
        self._bound: dict[str, str] = {}

    def filled(self, value: Any) -> Any:
        """Return a client message with what the placeholders stand for."""
        if isinstance(value, dict):
            return {name: self.filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        return self._bound.get(value, value) if isinstance(value, str) else value

    def differences(self, expected: Any, actual: Any, tool: str | None) -> list[str]:
        """Return how an answer differs from the recorded one, empty if it does not."""
        own = ADDED.get(tool or "", set()) | {"_meta", "data"}
        return self._compare(expected, actual, own, "")

    def _compare(self, expected: Any, actual: Any, own: set[str], path: str) -> list[str]:
        if isinstance(expected, dict) and "$prose" in expected:
            return self._mentions(expected["$prose"]["mentions"], actual, path)
        if isinstance(expected, dict) and "$json" in expected:
            return self._compare_text(expected["$json"], actual, own, path)
        if isinstance(expected, dict) and isinstance(actual, dict):
            return self._compare_objects(expected, actual, own, path)
        if isinstance(expected, list) and isinstance(actual, list):
            if len(expected) != len(actual):
                return [f"{path}: {len(actual)} entries, recorded {len(expected)}"]
            return [
                line
                for place, (one, other) in enumerate(zip(expected, actual, strict=True))
                for line in self._compare(one, other, own, f"{path}[{place}]")
            ]
        if isinstance(expected, str) and _PLACEHOLDER.fullmatch(expected):
            return self._bind(expected, actual, path)
        wanted = self._named(expected) if isinstance(expected, str) else expected
        same = type(wanted) is type(actual) and wanted == actual
        return [] if same else [f"{path}: {actual!r}, recorded {wanted!r}"]

    def _compare_text(self, expected: Any, actual: Any, own: set[str], path: str) -> list[str]:
        try:
            document = json.loads(actual)
        except ValueError:
            return [f"{path}: no JSON but {actual!r}"]
        if actual != json.dumps(document, indent=2, sort_keys=True):
            return [f"{path}: not written with two blanks and sorted names"]
        return self._compare(expected, document, own, path)

    def _compare_objects(
        self, expected: dict[str, Any], actual: dict[str, Any], own: set[str], path: str
    ) -> list[str]:
        found = [f"{path}.{name}: missing" for name in sorted(set(expected) - set(actual))]
        extra = set(actual) - set(expected) - own
        found += [f"{path}.{name}: not recorded" for name in sorted(extra)]
        for name in sorted(set(expected) & set(actual)):
            found += self._compare(expected[name], actual[name], own, f"{path}.{name}")
        return found

    def _mentions(self, mentions: list[str], actual: Any, path: str) -> list[str]:
        if not isinstance(actual, str) or not actual:
            return [f"{path}: {actual!r} is no text"]
        wanted = [self._bound.get(word, word) for word in mentions]
        return [f"{path}: {word!r} is not mentioned" for word in wanted if word not in actual]

    def _named(self, text: str) -> str:
        """Return a recorded text with the values of placeholders inside it."""
        return _PLACEHOLDER.sub(lambda match: self._bound.get(match[0], match[0]), text)

    def _bind(self, placeholder: str, actual: Any, path: str) -> list[str]:
        match = _PLACEHOLDER.fullmatch(placeholder)
        kind = (match and match[1]) or "timestamp"
        if not isinstance(actual, str) or not re.fullmatch(_SHAPES[kind], actual):
            return [f"{path}: {actual!r} is no {kind}"]
        if kind != "timestamp" and self._bound.setdefault(placeholder, actual) != actual:
            return [f"{path}: {actual!r} is not the value of {placeholder} before"]
        return []
