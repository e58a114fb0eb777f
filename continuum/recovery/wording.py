"""Small parts of the sentences people read: counts, quoted names, one-line texts.

Names and reasons come from agents, so they are put on one line and cut; the
front ends escape them.
"""

from __future__ import annotations

MAX_QUOTED = 200
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@+=,%")


def one_line(text: object, limit: int = MAX_QUOTED) -> str:
    """Return `text` on one line and at most `limit` characters long."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def quoted(text: object) -> str:
    """Return a name as sentences carry it: on one line, between backticks."""
    return f"`{one_line(text)}`"


def argument(text: str) -> str:
    """Return `text` as one argument of a command line that a person may copy."""
    line = " ".join(text.split()) if "\n" in text else text
    if line and _PLAIN.issuperset(line) and not line.startswith("-"):
        return line
    inside = line.replace("'", "'\"'\"'")
    return f"'{inside}'"


def counted(number: int, noun: str) -> str:
    """Return `1 action`, `2 actions`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def sentence(text: str) -> str:
    """Return `text` ended with a full stop, unless it ends with one already."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
