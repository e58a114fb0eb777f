"""Identity tokens: what names the thing an action is about (ledger.md 4.1).

Texts, whole numbers, base names and stems count; words that name nothing in
particular do not. The ledger compares tokens to recognise an action whose
arguments were spelled differently; a store may index `token_signature` to
find the candidates without reading every action.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

MIN_TOKEN_LENGTH = 3

_WEAK_WORDS = "bin etc false file home in log logs none null on out sent tmp true user usr var"
_STOP_WORDS = (
    "a about above account action add an and are be been below can close could create data "
    "delete description did do does error event field find for from get give had has have info "
    "into is item key kind list make may message might mode must name note of onto open over "
    "read remove request response result run send set shall should show start state status stop "
    "take text that the then this to type under update value was were what when which who will "
    "with would write"
)
NAMELESS = frozenset(f"{_WEAK_WORDS} {_STOP_WORDS}".split())
"""Lower-case words that are never a token."""


def identity_tokens(
    arguments: Mapping[str, Any] | None,
    *,
    external_id: str | None = None,
    volatile: Collection[str] = (),
) -> frozenset[str]:
    """Return all tokens of an argument object, top-level `volatile` names left out."""
    kept = [value for name, value in (arguments or {}).items() if name not in volatile]
    return value_tokens([*kept, external_id])


def value_tokens(value: Any) -> frozenset[str]:
    """Return the tokens of one JSON value, at any depth."""
    return frozenset(token for token in _spellings(value) if _names_something(token))


def leaf_tokens(tokens: Collection[str]) -> frozenset[str]:
    """Return the tokens that hold no slash of either kind."""
    return frozenset(token for token in tokens if "/" not in token and "\\" not in token)


def location_tokens(tokens: Collection[str]) -> frozenset[str]:
    """Return the tokens that hold a slash of either kind."""
    return frozenset(tokens) - leaf_tokens(tokens)


def run_tokens(run_id: str) -> frozenset[str]:
    """Return the leaf tokens of the run id, which identify no action within the run."""
    return leaf_tokens(value_tokens(run_id))


def token_signature(run_id: str, tokens: Collection[str]) -> frozenset[str]:
    """Return the case-folded stems of the leaf tokens, the run's own left out.

    Two actions can match only if their signatures are equal and not empty: of
    two matching token sets one contains the other, and every extra token has
    the stem of a token they share. An index over it is exact where an index
    over single tokens would return every action that shares a word.
    """
    return frozenset(
        split_name(one)[0].casefold() for one in leaf_tokens(tokens) - run_tokens(run_id)
    )


def split_name(name: str) -> tuple[str, str]:
    """Return (stem, extension without dot); a leading dot starts no extension."""
    dots = len(name) - len(name.lstrip("."))
    stem, dot, extension = name[dots:].rpartition(".")
    return (name[:dots] + stem, extension) if dot else (name, "")


def _spellings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _text_spellings(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict):
        for member in value.values():
            yield from _spellings(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _spellings(member)


def _text_spellings(text: str) -> Iterator[str]:
    yield text
    base = text.rstrip("/\\").rpartition("/")[2]
    yield base
    yield split_name(base)[0]


def _names_something(token: str) -> bool:
    return len(token) >= MIN_TOKEN_LENGTH and token.lower() not in NAMELESS
