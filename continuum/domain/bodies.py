"""Reading and writing JSON bodies: readers of single values and of whole objects.

Bodies are closed. An unknown member, a missing required one or a value of
another type makes a body unreadable; a member with a default may be left out,
order does not matter, and times are brought to the written form. The seal or
fingerprint is checked over the result, so nothing here can change a meaning.
"""

from __future__ import annotations

import json

from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.domain.conversions import body_instant, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Reader = Callable[[Any], Any]
    Shape = dict[str, tuple[Reader] | tuple[Reader, Any]]


def load_object(text: str) -> dict[str, Any]:
    """Return the JSON object of a body column.

    Raises:
        ValueError: the text is no JSON, or no object.
    """
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(f"the body is {shown(value)}, not an object")
    return value


def read_shape(shape: Shape, document: Any) -> Any:
    """Return `document` with every member of `shape`, in its order, read and defaulted.

    Raises:
        ValueError: a member is unknown, missing or of a wrong kind; the text
            says where.
    """
    if not isinstance(document, dict):
        raise ValueError(f"{shown(document)} is not an object")
    unknown = document.keys() - shape.keys()
    if unknown:
        raise ValueError(f"unknown member {shown(min(unknown))}")
    return {name: _member(document, name, *rule) for name, rule in shape.items()}


_MISSING = object()


def _member(document: dict[str, Any], name: str, reader: Reader, default: Any = _MISSING) -> Any:
    value = document.get(name, default)
    if value is _MISSING:
        raise ValueError(f"member {name!r} is missing")
    try:
        return reader(value)
    except (ValueError, InvalidInput) as exc:
        raise ValueError(f"{name}: {exc}") from exc


def compact_text(document: Any) -> str:
    """Return the JSON text of a body column: compact, UTF-8, members in their order.

    Raises:
        InvalidInput: the document holds NaN, or half a surrogate pair, which a
            column cannot hold.
    """
    try:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode("utf-8")
    except ValueError as exc:
        raise InvalidInput(f"the state cannot be stored: {exc}") from exc
    return text


def unreadable(what: str, exc: Exception) -> UnreadableRecord:
    """Return the error for a body that cannot be read."""
    return UnreadableRecord(f"{what} is unreadable: {exc}")


# -- readers of single values


def text(value: Any) -> str:
    """Return `value`, which must be text."""
    if isinstance(value, str):
        return value
    raise ValueError(f"{shown(value)} is not text")


def text_or_null(value: Any) -> str | None:
    """Return `value`, which must be text or null."""
    return None if value is None else text(value)


def texts(value: Any) -> list[str]:
    """Return `value`, which must be a list of texts."""
    return [text(item) for item in _list(value)]


def whole(value: Any) -> int:
    """Return `value`, which must be an integer."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{shown(value)} is not an integer")


def count(value: Any) -> int:
    """Return `value`, which must be an integer not below 0."""
    if whole(value) < 0:
        raise ValueError(f"{value} is negative")
    return int(value)


def count_or_null(value: Any) -> int | None:
    """Return `value`, which must be a count or null."""
    return None if value is None else count(value)


def instant(value: Any) -> str:
    """Return a time in the written form."""
    return body_instant(text(value))


def instant_or_null(value: Any) -> str | None:
    """Return a time in the written form, or null."""
    return None if value is None else instant(value)


def json_object(value: Any) -> dict[str, Any]:
    """Return `value`, which must be an object of anything."""
    if isinstance(value, dict):
        return value
    raise ValueError(f"{shown(value)} is not an object")


def objects(shape: Shape) -> Reader:
    """Return a reader for a list of objects of `shape`."""
    return lambda value: [read_shape(shape, item) for item in _list(value)]


def mapping(shape: Shape) -> Reader:
    """Return a reader for an object whose members are objects of `shape`."""
    return lambda value: {
        name: read_shape(shape, item) for name, item in json_object(value).items()
    }


def one(shape: Shape) -> Reader:
    """Return a reader for one object of `shape`."""
    return lambda value: read_shape(shape, value)


def one_or_null(shape: Shape) -> Reader:
    """Return a reader for one object of `shape`, or null."""
    return lambda value: None if value is None else read_shape(shape, value)


def word(words: Iterable[str]) -> Reader:
    """Return a reader for one text out of `words`."""
    known = frozenset(map(str, words))

    def read(value: Any) -> str:
        if text(value) not in known:
            raise ValueError(f"{shown(value)} is not one of {', '.join(sorted(known))}")
        return str(value)

    return read


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    raise ValueError(f"{shown(value)} is not a list")
