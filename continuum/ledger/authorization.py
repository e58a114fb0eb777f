"""Authorization identity: what an approval is bound to (ledger.md 14)."""

from __future__ import annotations

from continuum.core.canonical import stable_hash
from continuum.ledger.tokens import identity_tokens, is_derived_superset, leaf_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def authorization_id(
    action_type: str, *, key: str | None = None, arguments: Mapping[str, Any] | None = None
) -> str | None:
    """Return the identity, 64 hex digits, or None when nothing names the thing."""
    if key:
        return stable_hash({"key": key, "type": action_type})
    leaves = leaf_tokens(identity_tokens(arguments))
    tokens = sorted(one for one in leaves if not _is_rendering_of_another(one, leaves))
    return stable_hash({"tokens": tokens, "type": action_type}) if tokens else None


def _is_rendering_of_another(token: str, tokens: frozenset[str]) -> bool:
    others = tokens - {token}
    return bool(others) and is_derived_superset(others, tokens)
