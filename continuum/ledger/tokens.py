"""Recognition of an action whose arguments were spelled differently.

Used only for a claim without an explicit key (ledger.md 4). Beyond the
reference client's rule, two calls are one only if nothing changed places: a
transfer from A to B is not the transfer from B to A, although both have the
same tokens.
"""

from __future__ import annotations

import posixpath

from continuum.core.canonical import canonical_text
from continuum.core.records import NamedTuple
from continuum.domain.actions import PROBED, ActionStatus
from continuum.domain.tokens import (
    identity_tokens,
    leaf_tokens,
    location_tokens,
    run_tokens,
    split_name,
    value_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from continuum.domain.actions import Slot
    from continuum.ledger.identity import ExpandHome

__all__ = [
    "identity_tokens",
    "is_derived_superset",
    "leaf_tokens",
    "location_tokens",
    "match",
    "same_location",
    "same_places",
]

_SUFFIX_WORDS = (
    "7z arrow avro bak bin bz2 cfg conf csv dat db eml feather gif gz htm html ini jpeg jpg json "
    "jsonl log md mov mp3 mp4 msg ndjson old orc out parquet part pdf pickle pkl png pq rar sent "
    "sql sqlite svg tar tgz tmp toml tsv txt wav webp xls xlsx xml yaml yml zip"
)
KNOWN_SUFFIXES = frozenset(_SUFFIX_WORDS.split())
"""Extensions that make a token another rendering of the same thing."""


class _Subject(NamedTuple):
    """What a call is about: its tokens and where in the arguments each value stands."""

    leaves: frozenset[str]
    locations: frozenset[str]
    places: dict[tuple[str, ...], list[Any]]


def match(
    run_id: str,
    action_type: str,
    arguments: Mapping[str, Any] | None,
    slots: Iterable[Slot],
    *,
    volatile: Collection[str] = (),
    expand_home: ExpandHome = posixpath.expanduser,
) -> Slot | None:
    """Return the recorded action this call most likely repeats, or None.

    Of the candidates, exactly one completed wins; with none completed exactly
    one started or unknown. Anything else is ambiguous and matches nothing.
    """
    own = run_tokens(run_id)
    kept = {name: value for name, value in (arguments or {}).items() if name not in volatile}
    call = _subject(kept, own)
    if not call.leaves:
        return None
    alike = [
        slot
        for slot in slots
        if slot.action.action_type == action_type
        and _is_alike(call, _subject(slot.action.arguments, own), expand_home)
    ]
    return _only(alike)


def same_location(left: str, right: str, *, expand_home: ExpandHome = posixpath.expanduser) -> bool:
    """Return whether two path-like tokens may name the same file."""
    parts = sorted((_path_parts(left, expand_home), _path_parts(right, expand_home)), key=len)
    shorter, longer = parts
    return bool(shorter) and longer[-len(shorter) :] == shorter


def is_derived_superset(subset: Collection[str], superset: Collection[str]) -> bool:
    """Return whether every extra token is a known rendering of a token of `subset`."""
    stems = {split_name(token)[0].casefold() for token in subset}
    return all(_is_rendering(token, stems) for token in frozenset(superset) - frozenset(subset))


def same_places(
    call: Mapping[tuple[str, ...], list[Any]],
    recorded: Mapping[tuple[str, ...], list[Any]],
    *,
    expand_home: ExpandHome = posixpath.expanduser,
) -> bool:
    """Return whether no value changed places between two argument objects.

    Members present in both under one name must not hold each other's values,
    and their tokens must be contained one way, the same way for all members.
    """
    shared = [place for place in call if place in recorded]
    if _are_swapped([(call[place], recorded[place]) for place in shared]):
        return False
    pairs = [(value_tokens(call[place]), value_tokens(recorded[place])) for place in shared]
    leaves = [(leaf_tokens(ours), leaf_tokens(theirs)) for ours, theirs in pairs]
    one_way = all(ours <= theirs for ours, theirs in leaves) or all(
        ours >= theirs for ours, theirs in leaves
    )
    return one_way and all(
        _locations_agree(location_tokens(ours), location_tokens(theirs), expand_home)
        for ours, theirs in pairs
    )


def _subject(arguments: Mapping[str, Any], own: frozenset[str]) -> _Subject:
    tokens = identity_tokens(arguments)
    places: dict[tuple[str, ...], list[Any]] = {}
    _collect_places(arguments, (), places)
    return _Subject(leaf_tokens(tokens) - own, location_tokens(tokens), places)


def _collect_places(value: Any, place: tuple[str, ...], into: dict[Any, list[Any]]) -> None:
    """Group the plain values by the names that lead to them; a list is one place."""
    if isinstance(value, dict):
        for name, member in value.items():
            _collect_places(member, (*place, name), into)
    elif isinstance(value, (list, tuple)):
        for member in value:
            _collect_places(member, place, into)
    else:
        into.setdefault(place, []).append(value)


def _is_alike(call: _Subject, recorded: _Subject, expand_home: ExpandHome) -> bool:
    if not recorded.leaves:
        return False
    if not _locations_agree(call.locations, recorded.locations, expand_home):
        return False
    smaller, larger = sorted((call.leaves, recorded.leaves), key=len)
    if not smaller <= larger or not is_derived_superset(smaller, larger):
        return False
    return same_places(call.places, recorded.places, expand_home=expand_home)


def _only(alike: list[Slot]) -> Slot | None:
    completed = [slot for slot in alike if slot.action.status is ActionStatus.COMPLETED]
    unresolved = [slot for slot in alike if slot.action.status in PROBED]
    best = completed or unresolved
    return best[0] if len(best) == 1 else None


def _locations_agree(ours: frozenset[str], theirs: frozenset[str], expand_home: ExpandHome) -> bool:
    if not ours or not theirs:
        return True
    return any(
        same_location(left, right, expand_home=expand_home) for left in ours for right in theirs
    )


def _path_parts(text: str, expand_home: ExpandHome) -> list[str]:
    normal = posixpath.normpath(expand_home(text)).replace("\\", "/")
    return [part for part in normal.split("/") if part not in ("", ".")]


def _is_rendering(token: str, stems: Collection[str]) -> bool:
    stem, extension = split_name(token)
    return extension.casefold() in KNOWN_SUFFIXES and stem.casefold() in stems


def _are_swapped(pairs: list[tuple[list[Any], list[Any]]]) -> bool:
    """Return whether the members that differ hold the same values in other places."""
    texts = [
        (sorted(map(canonical_text, ours)), sorted(map(canonical_text, theirs)))
        for ours, theirs in pairs
    ]
    differing = [(ours, theirs) for ours, theirs in texts if ours != theirs]
    ours_all = sorted(text for ours, _ in differing for text in ours)
    theirs_all = sorted(text for _, theirs in differing for text in theirs)
    return bool(differing) and ours_all == theirs_all
