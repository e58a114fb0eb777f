"""Asking for the password again before something grave, good for a quarter of an hour.

The time is kept in the session, so it ends with signing out. Wrong tries count
like those of signing in and lock in the same way.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import authenticate

if TYPE_CHECKING:
    from runs.http import OperatorRequest

GOOD_FOR = timedelta(minutes=15)
_KEPT = "stepped_up_at"


def stepped_up_until(request: OperatorRequest, now: datetime) -> datetime | None:
    """Return until when the person needs no password, or None when it is asked for."""
    kept = request.session.get(_KEPT)
    if not isinstance(kept, str):
        return None
    until = datetime.fromisoformat(kept) + GOOD_FOR
    return until if now < until else None


def step_up(request: OperatorRequest, password: str, now: datetime) -> bool:
    """Check the password of whoever is signed in; True when it is theirs."""
    name = request.user.get_username()
    user = authenticate(request, username=name, password=password)
    if user is None or user.pk != request.user.pk:
        return False
    request.session[_KEPT] = now.isoformat()
    return True
