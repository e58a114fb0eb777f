"""When to colour, and how: text is only ever wrapped, never changed."""

from __future__ import annotations

from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

_CODES = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "grey": "90",
    "bold": "1",
}

_STYLE_OF_MODE = {
    "resume": "green",
    "repair_and_resume": "yellow",
    "replan": "yellow",
    "wait": "yellow",
    "request_human": "yellow",
}


class Painted(NamedTuple):
    """A piece of text with a style; the terminal decides whether it shows."""

    text: str
    style: str


def wants_colour(stream: TextIO, environment: Mapping[str, str], forced: bool | None) -> bool:
    """Return whether to colour `stream`; an option given by the person wins."""
    if forced is not None:
        return forced
    if "NO_COLOR" in environment or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def wrap(text: str, style: str) -> str:
    """Return `text` between the codes of `style`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def ok_mark(good: bool) -> Painted:
    """Return `[ok]` or `[!!]`."""
    return Painted("[ok]", "green") if good else Painted("[!!]", "red")


def actor_mark(requires_human: bool) -> Painted:
    """Return `[human]` or `[auto]`, equally wide."""
    return Painted("[human]", "yellow") if requires_human else Painted("[auto] ", "grey")


def mode_name(mode: str) -> Painted:
    """Return a verdict's mode in capitals, coloured by kind."""
    return Painted(mode.upper(), _STYLE_OF_MODE.get(mode, "red"))
