"""The one canonical JSON form and the hashes over it.

Rules (store.md 4.4): members sorted by code point at every level, no blanks,
ASCII only with `\\uXXXX` escapes (U+007F included), integers of any size,
floats as the shortest decimal that round-trips, NaN and infinities refused.
"""

from __future__ import annotations

import json
from json import encoder as _json
from json.encoder import encode_basestring_ascii

from continuum.core.errors import InvalidInput, TooLarge
from continuum.core.hashing import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

MAX_PAYLOAD_BYTES = 1024 * 1024
_MAX_DEPTH = 200

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
)
_SCALARS = (str, bool, int, type(None))
_CONTAINERS = (dict, list, tuple)
_SCALAR_TYPES = frozenset({str, bool, int, float, type(None)})
_TEXT = frozenset({str})

quote = encode_basestring_ascii
"""The canonical JSON text of one string, quotes included."""


def canonical_text(value: Any) -> str:
    """Return the canonical JSON of `value`.

    Raises:
        InvalidInput: NaN, an infinity, a value JSON cannot say, or a cycle.
    """
    try:
        return _encode(value)
    except (ValueError, TypeError, RecursionError) as exc:
        raise InvalidInput(f"not representable as JSON: {exc}") from exc


def digest_text(text: str) -> str:
    """Return the SHA-256 of `text` as 64 lowercase hex digits."""
    return hex_digest(text.encode("utf-8", "surrogatepass"))


def stable_hash(value: Any) -> str:
    """Return the SHA-256 over the canonical JSON of `value`."""
    return digest_text(canonical_text(value))


def canonical_payload(payload: Mapping[str, Any]) -> str:
    """Return the canonical JSON of an event payload, after checking it.

    Raises:
        InvalidInput: a member name is not text, or a value is not plain JSON.
        TooLarge: the text is longer than 1 MiB.
    """
    if not _has_text_names(payload, _MAX_DEPTH):
        _ensure_plain(payload, "payload", 0)
    try:
        text = canonical_text(payload)
    except InvalidInput:
        _ensure_plain(payload, "payload", 0)
        raise
    if len(text) > MAX_PAYLOAD_BYTES:
        raise TooLarge(
            f"payload is {len(text)} bytes, the limit is {MAX_PAYLOAD_BYTES}; "
            "store the content elsewhere and record its hash"
        )
    return text


def _encoding() -> Callable[[Any], str]:
    """Return what encodes by one encoder kept for all texts; `json` makes one for each of them.

    It keeps no marks against cycles: those end in a RecursionError.
    """
    make = vars(_json)["c_make_encoder"]
    if make is None:  # a Python without the faster one
        return _ENCODER.encode
    chunks = make(None, _ENCODER.default, quote, None, ":", ",", True, False, False)
    return lambda value: "".join(chunks(value, 0))


def _has_text_names(value: Any, depth: int) -> bool:
    """Return whether all names are text and nothing lies deeper than `depth`.

    The encoder sees the rest; it would turn other names into text unasked.
    """
    if depth < 0:
        return False
    if isinstance(value, dict):
        if not _are_texts(value):
            return False
        value = value.values()
    if _SCALAR_TYPES.issuperset(map(type, value)):
        return True
    return all(
        _has_text_names(member, depth - 1) for member in value if isinstance(member, _CONTAINERS)
    )


def _are_texts(names: Iterable[Any]) -> bool:
    return _TEXT.issuperset(map(type, names)) or all(isinstance(name, str) for name in names)


def _ensure_plain(value: Any, where: str, depth: int) -> None:
    if isinstance(value, _SCALARS):
        return
    if isinstance(value, float):
        if value - value != 0.0:
            raise InvalidInput(f"{where} is {value}, which JSON cannot say")
        return
    if depth > _MAX_DEPTH:
        raise InvalidInput(f"{where} is nested more than {_MAX_DEPTH} levels deep")
    for place, member in _members(value, where):
        _ensure_plain(member, place, depth + 1)


def _members(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str):
                raise InvalidInput(f"{where} has the member name {name!r}; names must be text")
            yield f"{where}.{name}", member
    elif isinstance(value, (list, tuple)):
        for index, member in enumerate(value):
            yield f"{where}[{index}]", member
    else:
        raise InvalidInput(f"{where} is a {type(value).__name__}, which JSON cannot say")


_encode = _encoding()
