"""Registry files: strict reading of the JSON files below `.continuum/`.

A registry decides what may happen, so a broken one is never taken for an
empty one: no duplicate member, no NaN, nothing but an object.
"""

from __future__ import annotations

import json

from continuum.core.errors import ConfigurationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def registry_from_bytes(content: bytes, where: str) -> dict[str, Any]:
    """Return the object a registry file holds.

    Args:
        where: the absolute path of the file, for the message.

    Raises:
        ConfigurationError: not UTF-8, not JSON, not an object, or a member twice.
    """
    try:
        document = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_unique_members,
            parse_constant=_refuse_constant,
        )
    except (ValueError, RecursionError) as exc:
        raise malformed(where, str(exc)) from exc
    if not isinstance(document, dict):
        raise malformed(where, f"it holds a {type(document).__name__}, not an object")
    return document


def malformed(where: str, problem: str) -> ConfigurationError:
    """Return the error for a registry that cannot be used."""
    return ConfigurationError(f"{where} cannot be used: {problem}; correct the file and retry")


def ensure_members(rule: dict[str, Any], known: frozenset[str], where: str, what: str) -> None:
    """Refuse members nobody reads, since they would be ignored silently.

    Raises:
        ConfigurationError: `rule` has a member that is not in `known`.
    """
    unknown = sorted(set(rule) - known)
    if unknown:
        raise malformed(
            where, f"{what} has the member {unknown[0]!r}; known are {', '.join(sorted(known))}"
        )


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} appears twice")
    return members


def _refuse_constant(name: str) -> float:
    raise ValueError(f"it holds {name}, which JSON cannot say")
