"""Polls of open pages, answered by a short way.

Two hundred open pages ask several dozen times a second whether anything is
new. Who asks was found out in full when their page was made; for half a minute
each process remembers that, and then only looks whether the session is still
there. Whatever ends a session (signing out, a new role or password, being
disabled) deletes it, so a poll after that takes the long way and is refused.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from continuum.core.errors import ContinuumError
from runs.engine import current_store
from runs.personal import zone_of
from runs.views.live import answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from django.http import HttpRequest, HttpResponse

    from runs.http import OperatorRequest

    GetResponse = Callable[[HttpRequest], HttpResponse]

REMEMBERED_SECONDS = 30.0
PATH = "/live/"
_MOST_REMEMBERED = 10_000


class Reader(NamedTuple):
    """Somebody who may look, as found out in full at `known_at`."""

    name: str
    zone: tzinfo | None
    known_at: float


class PollMiddleware:
    """Answers polls of readers this process has seen lately; lets everything else pass."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._readers: dict[str, Reader] = {}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer by the short way where that is possible, else by the long one."""
        if request.path_info != PATH or request.method != "GET":
            return self.get_response(request)
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        response = self._short(request, key)
        if response is not None:
            return response
        self._readers.pop(key, None)
        response = self.get_response(request)
        if response.status_code in (200, 204):
            self._remember(key, request)  # type: ignore[arg-type]  # it was let in
        return response

    def _short(self, request: HttpRequest, key: str) -> HttpResponse | None:
        reader = self._readers.get(key)
        if reader is None or monotonic() - reader.known_at > REMEMBERED_SECONDS:
            return None
        now = timezone.now()
        if not Session.objects.filter(session_key=key, expire_date__gt=now).exists():
            return None
        try:
            store = current_store(settings.CONTINUUM_DB)
            with timezone.override(reader.zone):
                return answer(request, store, reader.name)
        except ContinuumError:
            return None  # the long way says what is wrong

    def _remember(self, key: str, request: OperatorRequest) -> None:
        if len(self._readers) >= _MOST_REMEMBERED:
            self._readers.clear()
        user = request.user
        self._readers[key] = Reader(user.get_username(), zone_of(user), monotonic())
