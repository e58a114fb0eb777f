"""The fingerprint of a state: equal exactly when two states mean the same.

It leaves out what changes without meaning: the version, how far the log was
read, when the state was made, and the bookkeeping of the fold (state.md 4).
"""

from __future__ import annotations

from continuum.core.canonical import canonical_text, digest_text
from continuum.domain.state import BOOKKEEPING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_WITHOUT_MEANING = BOOKKEEPING | {"version", "source_sequence", "created_at", "updated_at"}


def fingerprint(state: Mapping[str, Any]) -> str:
    """Return the SHA-256 over the meaning of `state`, 64 lowercase hex digits."""
    return digest_text(fingerprint_text(state))


def fingerprint_text(state: Mapping[str, Any]) -> str:
    """Return the canonical text the fingerprint is taken over."""
    return canonical_text(
        {name: value for name, value in state.items() if name not in _WITHOUT_MEANING}
    )
