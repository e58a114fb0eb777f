"""How often one person may act within a minute, whichever page or program they use.

The count is kept in people's database, so it holds over all processes. Ten a
second is no person; a loop with somebody's cookie is stopped before it has
decided everything.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from runs.roles import Right
from runs.trust.models import ActCount

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.contrib.auth.models import User
    from django.http import HttpRequest

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_KEPT = timedelta(hours=1)


class Limit(StrEnum):
    """What is counted apart."""

    DECISIONS = "decisions"
    EXPORTS = "exports"


def limit_of(request: HttpRequest, view: Callable[..., Any]) -> Limit | None:
    """Return what a request counts as; None for looking at pages."""
    marked: Limit | None = getattr(view, "limit", None)
    right = getattr(view, "right", None)
    match = request.resolver_match
    if marked is not None:
        return marked
    if match is not None and match.view_name in EXPORTS:
        return Limit.EXPORTS
    if request.method in _SAFE or right is None:
        return None
    return Limit.EXPORTS if right == Right.AUDIT else Limit.DECISIONS


EXPORTS = frozenset(
    {"runs:people-history-export", "runs:export", "runs:export-all", "runs:export-acts"}
)
"""Names of addresses that hand out much although they only read."""


def count(user: User, limit: Limit, now: datetime | None = None) -> bool:
    """Count one act; False when it is one too many and must not be done."""
    minute = (now or timezone.now()).replace(second=0, microsecond=0)
    with transaction.atomic():
        row, created = ActCount.objects.get_or_create(
            user_id=user.pk, kind=limit, minute=minute, defaults={"times": 1}
        )
        if created:
            return most(limit) >= 1
        if row.times >= most(limit):
            return False
        ActCount.objects.filter(pk=row.pk).update(times=F("times") + 1)
    return True


def most(limit: Limit) -> int:
    """Return how many acts of a kind one person may do in a minute."""
    allowed: dict[str, int] = settings.MOST_A_MINUTE
    return allowed[limit]


def drop_old(now: datetime) -> None:
    """Drop the counts of past hours."""
    ActCount.objects.filter(minute__lt=now - _KEPT).delete()
