"""Version pinning: under which prompt, tools, model and policy an action began.

Drift is information; it changes no verdict (ledger.md 8).
"""

from __future__ import annotations

from continuum.core.errors import InvalidInput, TooLarge
from continuum.domain.events import EventType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from continuum.domain.events import Event

PINS = frozenset({"prompt_sha256", "tool_schema_sha256", "model_id", "policy_version"})
MAX_PIN_LENGTH = 256
_SHOWN = 16


def normalise_pinning(pinning: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the pins as recorded: text, empty ones left out.

    Raises:
        InvalidInput: an unknown name.
        TooLarge: a value longer than 256 characters.
    """
    if pinning is None:
        return {}
    if not isinstance(pinning, dict):
        raise InvalidInput("pinning has to be an object")
    unknown = sorted(set(pinning) - PINS)
    if unknown:
        raise InvalidInput(f"{unknown[0]!r} cannot be pinned; known are {', '.join(sorted(PINS))}")
    pins = {name: str(value) for name, value in pinning.items() if value not in (None, "")}
    for name, text in pins.items():
        if len(text) > MAX_PIN_LENGTH:
            raise TooLarge(
                f"the pin {name!r} has {len(text)} of at most {MAX_PIN_LENGTH} characters"
            )
    return pins


def pinning_of(event: Event) -> dict[str, Any]:
    """Return the pins an event carries, empty if none."""
    pins = event.payload.get("pinning")
    return pins if event.type is EventType.ACTION_RECORDED and isinstance(pins, dict) else {}


def latest_pinning(newest_first: Iterable[Event]) -> dict[str, Any]:
    """Return the newest pins that were recorded, empty if none ever were."""
    return next((pins for pins in map(pinning_of, newest_first) if pins), {})


def drift_lines(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> list[str]:
    """Return one line per pin that changed, appeared or went, sorted by name."""
    lines = (_line(name, recorded.get(name), current.get(name)) for name in sorted(PINS))
    return [f"pinning drift: {line}" for line in lines if line]


def _line(name: str, before: Any, after: Any) -> str:
    if before == after:
        return ""
    if not before:
        return f"{name} newly pinned ({_start(after)})"
    if not after:
        return f"{name} unpinned (was {_start(before)})"
    return f"{name} changed ({_start(before)} -> {_start(after)})"


def _start(value: Any) -> str:
    return f"{str(value)[:_SHOWN]}..."
