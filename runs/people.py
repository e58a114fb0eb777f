"""Adding people and changing what they may do; used by the `users` command.

Sessions are ended, and the history is written, where the change is noticed
(`runs.trust.signals`), so that the admin site does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from continuum.core.errors import Conflict, InvalidInput, NotFound
from runs.roles import Right, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

_STAFF = frozenset({Role.REVIEWER, Role.ADMIN})


class Person(NamedTuple):
    """Somebody who may sign in, as listed."""

    name: str
    roles: tuple[str, ...]
    active: bool
    last_login: str | None


@transaction.atomic
def add_person(name: str, *, roles: Iterable[str], password: str) -> None:
    """Let somebody sign in.

    Raises:
        InvalidInput: the name or the password is not acceptable.
        Conflict: the name is taken.
    """
    user = User(username=name)
    if User.objects.filter(username__iexact=name).exists():
        raise Conflict(f"{name!r} exists already; `continuum users set-role` changes the role")
    _ensure_valid(user)
    _set_password(user, password)
    user.save()
    _set_roles(user, roles)


@transaction.atomic
def set_roles(name: str, *, roles: Iterable[str]) -> None:
    """Replace somebody's roles; their sessions end if that changes anything."""
    _set_roles(_find(name), roles)


@transaction.atomic
def set_password(name: str, *, password: str) -> None:
    """Replace somebody's password; their sessions end."""
    user = _find(name)
    _set_password(user, password)
    user.save(update_fields=["password"])


@transaction.atomic
def set_active(name: str, *, active: bool) -> None:
    """Let somebody sign in again, or stop them and end their sessions."""
    user = _find(name)
    user.is_active = active
    user.save(update_fields=["is_active"])


def list_people() -> list[Person]:
    """Return everybody, by name."""
    people = User.objects.order_by("username").prefetch_related("groups")
    return [
        Person(
            user.username,
            tuple(group.name for group in user.groups.all()),
            user.is_active,
            user.last_login.isoformat() if user.last_login else None,
        )
        for user in people
    ]


def operators() -> list[str]:
    """Return the names of those who may decide, and so may be given work."""
    deciding = User.objects.filter(
        is_active=True,
        groups__permissions__codename=Right.DECIDE,
        groups__permissions__content_type__app_label="runs",
    )
    return list(deciding.order_by("username").values_list("username", flat=True).distinct()[:500])


def _find(name: str) -> User:
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise NotFound(f"nobody is called {name!r}; `continuum users list` shows who is") from None


def _ensure_valid(user: User) -> None:
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as exc:
        raise InvalidInput(f"name {user.username!r}: {' '.join(exc.messages)}") from exc


def _set_password(user: User, password: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as exc:
        raise InvalidInput(f"password refused: {' '.join(exc.messages)}") from exc
    user.set_password(password)


def _set_roles(user: User, roles: Iterable[str]) -> None:
    wanted = {Role(role) for role in roles}
    user.groups.set(Group.objects.filter(name__in=wanted))
    user.is_staff = bool(wanted & _STAFF)
    user.save(update_fields=["is_staff"])
