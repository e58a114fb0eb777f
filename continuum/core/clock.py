"""Times: aware UTC inside, three written forms at the edges.

Columns and event hashes use `+00:00` (store.md 1.5), bodies use `Z`
(state.md 1). Both carry six fraction digits, or none when the microsecond is
zero.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from continuum.core.errors import InvalidInput


def utc_now() -> datetime:
    """Return the time of the edge that asks; inner code takes it as an argument."""
    return datetime.now(UTC)


def column_time(at: datetime) -> str:
    """Return `at` as columns and event hashes write it: `…+00:00`."""
    return as_utc(at).isoformat()


def body_time(at: datetime) -> str:
    """Return `at` as state, checkpoint and action bodies write it: `…Z`."""
    return as_utc(at).isoformat()[:-6] + "Z"


def column_to_body(text: str) -> str:
    """Return a column time as a body writes it, without parsing where possible."""
    if text.endswith("+00:00"):
        return text[:-6] + "Z"
    return body_time(parse_time(text))


def is_column_time(text: str) -> bool:
    """Return whether `text` is exactly what `column_time` writes, without formatting it.

    Raises:
        ValueError: it has the shape of a column time, but is no time.
    """
    separators = text[4:20:3]
    if separators == "--T::.":
        shaped = len(text) == 32 and text[26:] == "+00:00" and text[20:26] != "000000"
    else:
        shaped = separators == "--T::+" and len(text) == 25 and text[19:] == "+00:00"
    return shaped and _from_iso(text) is not None


def as_utc(at: datetime) -> datetime:
    """Return `at` in UTC; a time without zone counts as UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def parse_time(text: str) -> datetime:
    """Return the instant of a stored time text.

    Accepts `T` or a blank between date and time, `Z`, `±hh:mm` or no zone
    (UTC), any number of fraction digits (cut to six), a bare date, and Unix
    seconds.

    Raises:
        InvalidInput: the text is no time.
    """
    text = text.strip()
    if not _is_iso_shaped(text):
        return _from_unix(text)
    try:
        return as_utc(datetime.fromisoformat(_six_digits(text)))
    except ValueError as exc:
        raise InvalidInput(f"{text!r} is not a time") from exc


def _is_iso_shaped(text: str) -> bool:
    """Python takes any character between date and time; the format knows two."""
    return text[4:5] == "-" == text[7:8] and text[10:11] in ("T", " ", "")


def _six_digits(text: str) -> str:
    head, dot, tail = text.partition(".")
    if not dot:
        return text
    digits = len(tail) - len(tail.lstrip("0123456789"))
    return f"{head}.{tail[:digits][:6].ljust(6, '0')}{tail[digits:]}"


def _from_unix(text: str) -> datetime:
    try:
        return datetime.fromtimestamp(0, UTC) + timedelta(seconds=float(text))
    except (ValueError, OverflowError) as exc:
        raise InvalidInput(f"{text!r} is not a time") from exc


_from_iso = datetime.fromisoformat
