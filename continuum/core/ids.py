"""New identifiers: a word, an underscore and 32 lowercase hex digits."""

from __future__ import annotations

from os import urandom


def new_id(word: str) -> str:
    """Return a fresh identifier such as `event_0f…`, from 16 random bytes."""
    return f"{word}_{urandom(16).hex()}"
