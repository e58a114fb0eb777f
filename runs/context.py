"""What the frame of every page shows: who is signed in, and what waits.

The counts come from the same rows and the same query as the inbox itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from continuum.core.errors import ContinuumError
from continuum.services import inbox
from runs.pages.inbox import midnight
from runs.roles import Right, Taste, rights_of, role_words, taste_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest


def console(request: HttpRequest) -> dict[str, Any]:
    """Return the frame's context, filled on first use; a failing store leaves it bare."""
    return {"frame": _Frame(request)}


class _Frame:
    """Values a template may ask for; each is worked out at most once."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = _VALUES[name](self._request)
        return self._known[name]


def _may(request: HttpRequest) -> dict[str, bool]:
    user = getattr(request, "user", None)
    rights = rights_of(user) if user else frozenset()
    return {str(right): right in rights for right in Right}


def _roles(request: HttpRequest) -> str:
    return role_words(request.user)


def _taste(request: HttpRequest) -> Taste:
    user = getattr(request, "user", None)
    return taste_of(user) if user else Taste()


def _store(request: HttpRequest) -> str:
    try:
        return str(request.store.description())  # type: ignore[attr-defined]
    except ContinuumError:
        return "store unavailable"


def _read_only(request: HttpRequest) -> bool:
    try:
        return bool(request.store.read_only)  # type: ignore[attr-defined]
    except ContinuumError:
        return True


def _counts(request: HttpRequest) -> Any:
    if not _may(request)[Right.VIEW]:
        return None
    known = getattr(request, "item_counts", None)
    if known is not None:  # a page that lists items counted them for itself
        return known
    try:
        return inbox.counts(
            request.store,  # type: ignore[attr-defined]
            request.user.get_username(),
            midnight(timezone.now()),
        )
    except ContinuumError:
        return None


_VALUES: dict[str, Callable[[HttpRequest], Any]] = {
    "may": _may,
    "roles": _roles,
    "store": _store,
    "read_only": _read_only,
    "counts": _counts,
    "taste": _taste,
}
