"""The identity of an action: its ledger key and the hash of its arguments.

A key is the stable hash of type, scope and either an explicit key or the
normalised arguments (ledger.md 3). Scope is the run id, or None for an
identity that holds across the whole store. No file system and no working
folder is consulted; only `~` reads the home folder, through `expand_home`.
"""

from __future__ import annotations

import posixpath
from unicodedata import normalize

from continuum.core.canonical import stable_hash
from continuum.core.errors import InvalidInput, TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    ExpandHome = Callable[[str], str]

MAX_KEY_LENGTH = 512
_MAX_DEPTH = 200


def ledger_key(
    action_type: str,
    arguments: Mapping[str, Any] | None,
    *,
    scope: str | None,
    explicit_key: str | None = None,
    volatile: Collection[str] = (),
    expand_home: ExpandHome = posixpath.expanduser,
) -> str:
    """Return the ledger key, 64 hex digits.

    An explicit key is taken as it is spelled; `key_spellings` gives the ones
    to look under. With one, the arguments do not count.

    Raises:
        InvalidInput: a blank type, an empty key, or arguments JSON cannot say.
    """
    ensure_action_type(action_type)
    if explicit_key is not None:
        if not explicit_key:
            raise InvalidInput("the key is empty; leave it out or name the operation")
        return stable_hash({"key": explicit_key, "scope": scope, "type": action_type})
    normal = normalise_arguments(arguments, volatile=volatile, expand_home=expand_home)
    return stable_hash({"arguments": normal, "scope": scope, "type": action_type})


def arguments_hash(
    arguments: Mapping[str, Any] | None,
    volatile: Collection[str] = (),
    *,
    expand_home: ExpandHome = posixpath.expanduser,
) -> str:
    """Return the stable hash of the normalised arguments alone."""
    return stable_hash(normalise_arguments(arguments, volatile=volatile, expand_home=expand_home))


def normalise_arguments(
    arguments: Mapping[str, Any] | None,
    *,
    volatile: Collection[str] = (),
    expand_home: ExpandHome = posixpath.expanduser,
) -> dict[str, Any]:
    """Return the arguments without top-level `volatile` names, path-like texts reduced.

    Raises:
        InvalidInput: the arguments are no object or nested too deeply.
    """
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise InvalidInput("arguments have to be an object")
    kept = {name: value for name, value in arguments.items() if name not in volatile}
    normal: dict[str, Any] = _normalise(kept, expand_home, 0)
    return normal


def normalise_path(text: str, expand_home: ExpandHome = posixpath.expanduser) -> str:
    """Return a path-like text with `~` expanded and reduced lexically; others as they are."""
    if "://" in text or ("/" not in text and "\\" not in text):
        return text
    return posixpath.normpath(expand_home(text))


def ensure_action_type(action_type: object) -> str:
    """Return the type unchanged.

    Raises:
        InvalidInput: it is no text, or blank.
    """
    if not isinstance(action_type, str) or not action_type.strip():
        raise InvalidInput("the action type is blank; name the kind of effect")
    return action_type


def ensure_key(text: object) -> str:
    """Return an explicit key as it is recorded: trimmed, composed (Unicode NFC).

    Raises:
        InvalidInput: no text, or empty after trimming.
        TooLarge: longer than 512 characters.
    """
    if not isinstance(text, str):
        raise InvalidInput("the key has to be text")
    trimmed = text.strip()
    if not trimmed:
        raise InvalidInput("the key is empty; leave it out or name the operation")
    if len(trimmed) > MAX_KEY_LENGTH:
        raise TooLarge(
            f"the key has {len(trimmed)} characters, the limit is {MAX_KEY_LENGTH}; "
            "use a short name or a hash"
        )
    return normalize("NFC", trimmed)


def key_spellings(text: str) -> tuple[str, ...]:
    """Return the spellings under which an explicit key may be recorded, ours first.

    The reference client takes a key as it is spelled, so a record of its own
    may stand under the raw text or the decomposed form.

    Raises:
        InvalidInput: as `ensure_key`.
    """
    key = ensure_key(text)
    if key == text and key.isascii():
        return (key,)
    return tuple(dict.fromkeys((key, text, text.strip(), normalize("NFD", key))))


def _normalise(value: Any, expand_home: ExpandHome, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise InvalidInput(f"arguments are nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return normalise_path(value, expand_home)
    if isinstance(value, dict):
        return {name: _normalise(one, expand_home, depth + 1) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_normalise(one, expand_home, depth + 1) for one in value]
    return value
