"""How much a new call looks like a recorded one (ledger.md 13)."""

from __future__ import annotations

import re
from enum import StrEnum
from math import sqrt

from continuum.domain.actions import ActionStatus
from continuum.ledger.identity import ledger_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from continuum.domain.actions import Action

REPLAY_SCORE = 0.90
FORK_SCORE = 0.50

_WORD = re.compile(r"[a-z0-9_]{2,}")


class Likeness(StrEnum):
    """What to do with a call that resembles a recorded one."""

    REPLAY = "replay"
    FORK = "fork"
    FRESH = "fresh"


def exact_similarity(candidate: Mapping[str, Any], prior: Mapping[str, Any]) -> float:
    """Return 1.0 for the same text, else 0.0."""
    return float(call_text(candidate) == call_text(prior))


def fuzzy_similarity(candidate: Mapping[str, Any], prior: Mapping[str, Any]) -> float:
    """Return the Jaccard index of the words of both texts."""
    ours = set(_WORD.findall(call_text(candidate).lower()))
    theirs = set(_WORD.findall(call_text(prior).lower()))
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def embedding_similarity(
    embed: Callable[[str], Sequence[float]],
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], float]:
    """Return a similarity by the cosine of what `embed` says, within 0 and 1."""

    def similarity(candidate: Mapping[str, Any], prior: Mapping[str, Any]) -> float:
        return _cosine(embed(call_text(candidate)), embed(call_text(prior)))

    return similarity


def call_text(arguments: Mapping[str, Any]) -> str:
    """Return the values of an argument object in member order, as one text."""
    return " ".join(str(value) for value in arguments.values())


def classify(
    run_id: str,
    action_type: str,
    key: str,
    arguments: Mapping[str, Any],
    *,
    recorded: Mapping[str, Action],
    similarity: Callable[[Mapping[str, Any], Mapping[str, Any]], float] = exact_similarity,
) -> Likeness:
    """Return what a call under an explicit key is, compared with recorded actions.

    Args:
        recorded: the run's actions by ledger key.
    """
    exact = recorded.get(ledger_key(action_type, None, scope=run_id, explicit_key=key))
    if exact is not None:
        return Likeness.REPLAY if exact.status is ActionStatus.COMPLETED else Likeness.FRESH
    same_type = (one for one in recorded.values() if one.action_type == action_type)
    return _by_score(similarity(arguments, one.arguments) for one in same_type)


def _by_score(scores: Iterable[float]) -> Likeness:
    best = max(scores, default=0.0)
    if best >= REPLAY_SCORE:
        return Likeness.REPLAY
    return Likeness.FORK if best >= FORK_SCORE else Likeness.FRESH


def _cosine(ours: Sequence[float], theirs: Sequence[float]) -> float:
    length = sqrt(sum(x * x for x in ours)) * sqrt(sum(x * x for x in theirs))
    if not length:
        return 0.0
    return min(1.0, max(0.0, sum(x * y for x, y in zip(ours, theirs, strict=True)) / length))
