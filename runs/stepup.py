"""Asking for the password again before something grave, good for a quarter of an hour.

The time is kept in the session, so it ends with signing out. Wrong tries count
like those of signing in and lock in the same way.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import authenticate

if TYPE_CHECKING:
    from django.forms import Form

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


def stands_for(request: OperatorRequest, form: Form, now: datetime) -> bool:
    """Return whether the person gave their password lately, or did so in this form just now.

    What is missing or wrong is an error of the form's field `password`.
    """
    if stepped_up_until(request, now) is not None:
        return True
    password = form.cleaned_data["password"]
    if not password:
        form.add_error("password", "Give your password again; it is good for 15 minutes.")
        return False
    if not _step_up(request, password, now):
        form.add_error("password", "The password is wrong. After five tries sign-in is locked.")
        return False
    return True


def _step_up(request: OperatorRequest, password: str, now: datetime) -> bool:
    name = request.user.get_username()
    user = authenticate(request, username=name, password=password)
    if user is None or user.pk != request.user.pk:
        return False
    request.session[_KEPT] = now.isoformat()
    return True
