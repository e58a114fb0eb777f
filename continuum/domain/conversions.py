"""Conversions of payload members and of times, as the fold needs them.

Payloads are written by many programs, so the fold takes what Python's own
`int`, `float`, `bool` and `str` would take (state.md 2.3). Both clients must
convert alike: the results are part of the fingerprint.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from continuum.core.clock import parse_time
from continuum.core.errors import Unprojectable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SHOWN = 80
_ZERO = timedelta(0)


def whole(value: Any, name: str) -> int:
    """Return `value` as an integer: floats cut toward zero, texts read, booleans 1 or 0.

    Raises:
        Unprojectable: null, a container, or a text that is no integer.
    """
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as exc:
        raise Unprojectable(f"`{name}` is {shown(value)}, not a whole number") from exc


def decimal(value: Any, name: str) -> float:
    """Return `value` as a float.

    Raises:
        Unprojectable: null, a container, or a text that is no number.
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as exc:
        raise Unprojectable(f"`{name}` is {shown(value)}, not a number") from exc


def required_text(payload: Mapping[str, Any], name: str) -> str:
    """Return a member as text.

    Raises:
        Unprojectable: it is absent or null.
    """
    value = payload.get(name)
    if value is None:
        raise Unprojectable(f"the payload has no `{name}`")
    return value if type(value) is str else str(value)


def text_or(payload: Mapping[str, Any], name: str, default: str) -> str:
    """Return a member as text, `default` only when it is absent (null prints as `None`)."""
    value = payload.get(name, default)
    return value if type(value) is str else str(value)


def optional_text(payload: Mapping[str, Any], name: str) -> str | None:
    """Return a member as text, or None when it is absent or null."""
    value = payload.get(name)
    return value if value is None or type(value) is str else str(value)


def filled_text(payload: Mapping[str, Any], name: str) -> str | None:
    """Return a member as text, or None when it is absent, null, zero or empty."""
    value = payload.get(name)
    return str(value) if value else None


def texts(value: Any) -> list[str]:
    """Return a list of ids: a list's items, an object's keys, or the value alone."""
    if value is None:
        return []
    if isinstance(value, (list, tuple, dict)):
        return [str(item) for item in value]
    return [str(value)]


def shown(value: Any) -> str:
    """Return `value` as a message shows it, shortened."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def zoned_text(at: datetime) -> str:
    """Return a time as bodies write it, keeping its offset: `Z`, `±hh:mm` or nothing."""
    offset = at.utcoffset()
    text = at.replace(tzinfo=None).isoformat()
    if offset is None:
        return text
    if offset == _ZERO:
        return text + "Z"
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{text}{'-' if offset < _ZERO else '+'}{minutes // 60:02}:{minutes % 60:02}"


def body_instant(text: str) -> str:
    """Return a time found in a body as the client writes it.

    `+00:00` becomes `Z`; another offset stays, and so does a missing one.

    Raises:
        InvalidInput: the text is no time.
    """
    try:
        return zoned_text(datetime.fromisoformat(text))
    except ValueError:
        return zoned_text(parse_time(text))


def printed_time(text: str) -> str:
    """Return a body time as Python prints it: `2026-02-01 00:00:00+00:00`."""
    return str(datetime.fromisoformat(text))
