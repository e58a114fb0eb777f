"""New identifiers: a word, an underscore and 32 lowercase hex digits."""

from __future__ import annotations

from os import urandom

_BYTES = 16


def new_id(word: str) -> str:
    """Return a fresh identifier such as `event_0f…`, from 16 random bytes."""
    return f"{word}_{urandom(_BYTES).hex()}"


def new_ids(word: str, count: int) -> list[str]:
    """Return several fresh identifiers; asking for random bytes once is far cheaper."""
    digits, size = urandom(_BYTES * count).hex(), 2 * _BYTES
    return [f"{word}_{digits[at : at + size]}" for at in range(0, size * count, size)]
