"""What each person set for themselves: how pages look to them, and lists they come back to.

People's data, in Django's `default` database; nothing of it is in the store.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.http import QueryDict

from continuum.core.errors import Conflict, InvalidInput, NotFound
from runs.roles import Right, holds, taste_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from django.contrib.auth.models import User

    from runs.roles import AnyUser

MAX_VIEWS = 100
MAX_VIEW_NAME = 80
MAX_QUERY = 2000
THEMES = (("auto", "As the system says"), ("light", "Light"), ("dark", "Dark"))
PAGES = {"inbox": "Inbox", "runs": "Runs"}
_NOT_KEPT = ("before", "after", "item", "beside")


class Preferences(models.Model):
    """How pages look to one person; without a row, as to everybody."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="preferences",
    )
    theme = models.CharField(max_length=5, choices=THEMES, default="auto")
    zone = models.CharField(max_length=64, default="", blank=True)
    single_keys = models.BooleanField(default=True)

    class Meta:
        """Nobody changes them through the admin."""

        default_permissions = ()

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"


class SavedView(models.Model):
    """A list as somebody narrowed it, under a name; the link to it is its address."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views"
    )
    page = models.CharField(max_length=16)
    name = models.CharField(max_length=MAX_VIEW_NAME)
    query = models.CharField(max_length=MAX_QUERY)
    shared = models.BooleanField(default=False)

    class Meta:
        """One name once for each person and page."""

        default_permissions = ()
        constraints = (
            models.UniqueConstraint(fields=("owner", "page", "name"), name="runs_view_once"),
        )

    def __str__(self) -> str:
        return self.name


def save_preferences(user: User, *, theme: str, zone: str, single_keys: bool) -> None:
    """Keep how pages look to somebody."""
    values = {"theme": theme, "zone": zone, "single_keys": single_keys}
    Preferences.objects.update_or_create(user=user, defaults=values)


def zone_of(user: AnyUser) -> tzinfo | None:
    """Return the zone somebody wants times in; None for UTC, or one that is no longer known."""
    name = taste_of(user).zone
    return _zone(name) if name else None


@lru_cache(maxsize=1)
def zone_names() -> tuple[str, ...]:
    """Return the zones a person may choose; reads the system's folder once."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


def views_for(user: User, page: str) -> list[SavedView]:
    """Return one's own views of a page and the team's, by name."""
    own_or_shared = models.Q(owner=user) | models.Q(shared=True)
    found = SavedView.objects.filter(own_or_shared, page=page).select_related("owner")
    return list(found.order_by("shared", "name", "pk")[: 2 * MAX_VIEWS])


@transaction.atomic
def save_view(user: User, page: str, *, name: str, query: str, shared: bool) -> SavedView:
    """Keep a list's address under a name; the same name again replaces it.

    Raises:
        PermissionDenied: a view for everybody, by somebody who manages no people.
        InvalidInput: the address is too long.
        Conflict: there are too many already.
    """
    if shared and not holds(user, Right.MANAGE_PEOPLE):
        raise PermissionDenied("Views for the team are saved by admins.")
    kept = kept_query(query)
    if len(kept) > MAX_QUERY:
        raise InvalidInput(f"this view is longer than {MAX_QUERY} characters")
    if SavedView.objects.filter(owner=user).count() >= MAX_VIEWS:
        raise Conflict(f"you have {MAX_VIEWS} saved views; delete one first")
    values = {"query": kept, "shared": shared}
    view, _ = SavedView.objects.update_or_create(owner=user, page=page, name=name, defaults=values)
    return view


def delete_view(user: User, number: int) -> SavedView:
    """Forget one's own view, or as an admin one of the team's; return it.

    Raises:
        NotFound: there is none that the person may delete.
    """
    view = SavedView.objects.filter(pk=number).first()
    may = view is not None and (
        view.owner_id == user.pk or (view.shared and holds(user, Right.MANAGE_PEOPLE))
    )
    if view is None or not may:
        raise NotFound("you have no such saved view")
    view.delete()
    return view


def kept_query(query: str) -> str:
    """Return a list's address without what belongs to one moment: a page, an open item."""
    kept = QueryDict(query.lstrip("?"), mutable=True)
    for name in _NOT_KEPT:
        kept.pop(name, None)
    return kept.urlencode()


@lru_cache(maxsize=64)
def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None
