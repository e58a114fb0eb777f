"""Open sessions: who is signed in where, and ending that.

`last seen` is exact to a minute. Each process remembers when it wrote it, so
that a page view writes nothing most of the time; polls of an open page are
nobody's act and do not count.
"""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from runs.trust.history import Origin, origin_of
from runs.trust.models import PersonSession

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

SEEN_SECONDS = 60.0
MOST_LISTED = 200
_MOST_REMEMBERED = 10_000
_USER_KEY = "_auth_user_id"


class Listed(NamedTuple):
    """A session as shown. `is_current` is the one that asks."""

    pk: int
    person: str
    started_at: datetime
    last_seen_at: datetime
    address: str
    agent: str
    is_current: bool


class Seen:
    """Remembers for this process when a session was last written as seen."""

    def __init__(self) -> None:
        self._at: dict[str, float] = {}

    def is_due(self, key: str) -> bool:
        """Return whether it is time to write again, and remember that it was."""
        now = monotonic()
        written = self._at.get(key)
        if written is not None and now - written < SEEN_SECONDS:
            return False
        if len(self._at) >= _MOST_REMEMBERED:
            self._at.clear()
        self._at[key] = now
        return True

    def forget(self, key: str) -> None:
        """Write at the next request again."""
        self._at.pop(key, None)


SEEN = Seen()


def begin(request: HttpRequest, user: User) -> None:
    """Keep that somebody signed in with this request."""
    if request.session.session_key is None:
        request.session.save()
    _keep(str(request.session.session_key), user, origin_of(request))


def touch(request: HttpRequest) -> None:
    """Keep that the session of this request is in use."""
    key = request.session.session_key
    if key is None or not request.user.is_authenticated or not SEEN.is_due(key):
        return
    seen = PersonSession.objects.filter(session_key=key).update(last_seen_at=timezone.now())
    if not seen:  # it began before sessions were kept, or got a new key
        _keep(key, request.user, origin_of(request))


def end_of_request(key: str | None) -> None:
    """Keep that a session was signed out of."""
    PersonSession.objects.filter(session_key=key or "").delete()


def end_all(user: User, *, but: str | None = None) -> int:
    """End every session of somebody, but the one of key `but`; return how many.

    Sessions are found by what they hold, so none is missed that was never kept.
    """
    keys = [
        session.session_key
        for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator()
        if session.session_key != but and session.get_decoded().get(_USER_KEY) == str(user.pk)
    ]
    return _end(keys)


def end_one(pk: int, *, of: User | None) -> PersonSession | None:
    """End one session and return what it was; None when there is none, or not of `of`."""
    rows = PersonSession.objects.select_related("user").filter(pk=pk)
    found = (rows if of is None else rows.filter(user=of)).first()
    if found is not None:
        _end([found.session_key])
    return found


def listed(current: str | None, *, of: User | None = None) -> list[Listed]:
    """Return open sessions, the one last seen first; of one person, or of all."""
    rows = _open().select_related("user").order_by("-last_seen_at", "-id")
    rows = rows if of is None else rows.filter(user=of)
    return [
        Listed(
            row.pk,
            row.user.get_username(),
            row.started_at,
            row.last_seen_at,
            row.address,
            row.agent,
            row.session_key == current,
        )
        for row in rows[:MOST_LISTED]
    ]


def drop_expired(now: datetime) -> None:
    """Drop sessions that have run out, and what was kept of them."""
    Session.objects.filter(expire_date__lte=now).delete()
    old = PersonSession.objects.filter(started_at__lt=now - timedelta(minutes=5))
    old.exclude(session_key__in=Session.objects.values("session_key")).delete()


def _open() -> QuerySet[PersonSession]:
    alive = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return PersonSession.objects.filter(session_key__in=alive, user__is_active=True)


def _keep(key: str, user: User, origin: Origin) -> None:
    now = timezone.now()
    SEEN.is_due(key)
    PersonSession.objects.update_or_create(
        session_key=key,
        defaults={
            "user": user,
            "started_at": now,
            "last_seen_at": now,
            "address": origin.address,
            "agent": origin.agent,
        },
    )


def _end(keys: Iterable[str]) -> int:
    keys = list(keys)
    ended = Session.objects.filter(session_key__in=keys).delete()[0]
    PersonSession.objects.filter(session_key__in=keys).delete()
    for key in keys:
        SEEN.forget(key)
    return ended
