"""The console's vocabulary: each mode, status and origin as a word, an icon and a tone.

The tone only repeats the word; nothing is said by colour alone.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from continuum.core.clock import parse_time
from continuum.core.errors import InvalidInput


class Word(NamedTuple):
    """How something is called on a page.

    Attributes:
        icon: a symbol of `components/icons.html`.
        tone: `ok`, `warn`, `bad`, `info`, or empty for neutral.
    """

    text: str
    icon: str
    tone: str = ""


_MODES = {
    "resume": Word("Resume", "done", "ok"),
    "repair_and_resume": Word("Repair and resume", "wrench", "info"),
    "replan": Word("Replan", "route", "info"),
    "wait": Word("Wait", "hourglass", "info"),
    "request_human": Word("Request human", "person", "warn"),
    "rollback": Word("Rollback", "undo", "bad"),
    "abort": Word("Abort", "octagon", "bad"),
}
_SURFACES = {"cli": "by CLI", "console": "in the console", "library": "by a program"}
_CLOSED = {
    "completed": Word("Completed", "check", "ok"),
    "aborted": Word("Aborted", "ban"),
}
_NOT_JUDGED = Word("Not judged", "question")
_ACTIONS = {
    "planned": Word("planned", "clock"),
    "started": Word("started, not settled", "question", "warn"),
    "unknown": Word("outcome unknown", "question", "warn"),
    "requires_review": Word("needs review", "eye", "warn"),
    "completed": Word("completed", "check", "ok"),
    "failed": Word("failed", "x", "bad"),
    "compensated": Word("compensated", "undo", "info"),
    "expired": Word("expired", "clock"),
}
_STATES = {
    "valid": Word("valid", "check", "ok"),
    "stale": Word("stale", "clock", "warn"),
    "conflicted": Word("conflicted", "split", "bad"),
    "unknown": Word("unknown", "question", "warn"),
    "invalid": Word("invalid", "x", "bad"),
    "requires_review": Word("review", "eye", "warn"),
    "expired": Word("expired", "clock", "bad"),
}
_FINDINGS = {
    "broken": Word("broken", "broken", "bad"),
    "invalid": Word("invalid", "x", "bad"),
    "conflict": Word("conflict", "split", "bad"),
    "review": Word("review", "eye", "warn"),
    "started": Word("open", "question", "bad"),
    "unknown": Word("unknown", "question", "bad"),
    "completed": Word("completed", "check", "ok"),
    "aborted": Word("aborted", "ban"),
    "human": Word("human", "person", "warn"),
    "repair": Word("repair", "wrench", "info"),
}
_ORIGINS = {
    "human": Word("human", "person", "accent"),
    "deterministic": Word("system", "terminal", "ok"),
    "llm": Word("model", "bot"),
    "external_agent": Word("agent", "bot"),
    "imported": Word("imported", "download"),
}
_ASKED = (
    Word("Integrity", "broken", "bad"),
    Word("Settle", "question", "bad"),
    Word("Decide", "flag", "warn"),
    Word("Confirm", "eye", "warn"),
)
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def via_words(via: str | None) -> str:
    """Say by which surface something was done."""
    return _SURFACES.get(via, f"by {via}") if via else ""


def mode_word(mode: str) -> Word:
    """Return the word of a verdict's mode; an unclassified one is shown as it is."""
    if not mode:
        return _NOT_JUDGED
    return _MODES.get(mode) or Word(mode.replace("_", " "), "alert", "bad")


def verdict_word(mode: str, status: str) -> Word:
    """Return the word a list shows: a closed run says how it ended, others their mode."""
    return _CLOSED.get(status) or mode_word(mode)


def action_word(status: str) -> Word:
    """Return the word of an action's status."""
    return _ACTIONS.get(status) or Word(status, "alert", "bad")


def state_word(status: str) -> Word:
    """Return the word of a component's status."""
    return _STATES.get(status) or Word(status, "alert", "bad")


def finding_word(status: str) -> Word:
    """Return the word of a finding."""
    return _FINDINGS.get(status) or state_word(status)


def origin_word(source: str) -> Word:
    """Return the word of who asserted something."""
    return _ORIGINS.get(source) or Word(source, "alert", "bad")


def asked_word(severity: int) -> Word:
    """Return what kind of answer an inbox item waits for."""
    return _ASKED[severity] if 0 <= severity < len(_ASKED) else _ASKED[2]


def instant(value: str | datetime | None) -> datetime | None:
    """Return a stored time as aware UTC; None for none, or for text that is no time."""
    if not value:
        return None
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    try:
        return parse_time(value)
    except InvalidInput:
        return None


def span(seconds: float) -> str:
    """Return a length of time in its two largest units: `3 h 12 min`, `just now`."""
    left = int(seconds)
    parts: list[str] = []
    for size, unit in _UNITS:
        if left >= size and len(parts) < 2:
            parts.append(f"{left // size} {unit}")
            left %= size
        elif parts:
            break
    return " ".join(parts) or "under 1 min"


def clock(at: datetime, now: datetime) -> str:
    """Return the time of day in the zone of both, with the date when that is not today's."""
    if at.date() == now.date():
        return f"{at:%H:%M}"
    if at.year == now.year:
        return f"{at.day} {at:%b %H:%M}"
    return f"{at:%Y-%m-%d}"
