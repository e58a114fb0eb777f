"""What happens to people's access, noticed whoever does it: console, admin or command line.

A change of roles or password, and disabling, end every session of the person;
the one in which they changed their own password goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axes.signals import user_locked_out
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import m2m_changed, post_save, pre_save

from runs.trust import history, sessions
from runs.trust.models import AccessKind

if TYPE_CHECKING:
    from django.http import HttpRequest

_BEFORE = "_access_before"
_VERBS = {"post_add": "added", "post_remove": "taken away", "pre_clear": "taken away"}


def connect() -> None:
    """Start to notice; called once when the app is loaded."""
    user_logged_in.connect(_on_signed_in, dispatch_uid="trust.signed_in")
    user_logged_out.connect(_on_signed_out, dispatch_uid="trust.signed_out")
    user_login_failed.connect(_on_failed, dispatch_uid="trust.failed")
    user_locked_out.connect(_on_locked, dispatch_uid="trust.locked")
    pre_save.connect(_before_saving, sender=User, dispatch_uid="trust.before")
    post_save.connect(_on_saved, sender=User, dispatch_uid="trust.saved")
    m2m_changed.connect(_on_roles, sender=User.groups.through, dispatch_uid="trust.roles")
    m2m_changed.connect(_on_rights, sender=Group.permissions.through, dispatch_uid="trust.rights")


def _on_signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    sessions.begin(request, user)
    origin = history.origin_of(request)._replace(by=user.get_username())
    history.record(AccessKind.SIGNED_IN, user.get_username(), origin=origin)


def _on_signed_out(request: HttpRequest, user: User | None = None, **_: Any) -> None:
    sessions.end_of_request(request.session.session_key)
    if user is not None:
        history.record(
            AccessKind.SIGNED_OUT, user.get_username(), origin=history.origin_of(request)
        )


def _on_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    if request is None:
        return
    origin = history.origin_of(request)
    kind = AccessKind.STEP_UP_FAILED if origin.by else AccessKind.SIGN_IN_FAILED
    history.record_failure(kind, str(credentials.get("username") or ""), origin=origin)


def _on_locked(request: HttpRequest | None = None, username: str | None = None, **_: Any) -> None:
    if request is not None:
        origin = history.origin_of(request)
        history.record_failure(AccessKind.LOCKED_OUT, username or "", origin=origin)


def _before_saving(instance: User, update_fields: Any = None, **_: Any) -> None:
    """Note what is about to be replaced; signing in itself saves the person too."""
    instance.__dict__.pop(_BEFORE, None)
    named = None if update_fields is None else set(update_fields)
    if named is not None and not named & {"is_active", "is_superuser"}:
        return
    before = User.objects.filter(pk=instance.pk).values("is_active", "is_superuser").first()
    instance.__dict__[_BEFORE] = before


def _on_saved(instance: User, created: bool, **_: Any) -> None:
    name = instance.get_username()
    if created:
        history.record(AccessKind.ADDED, name)
        return
    # Set until the new password is saved; a hash that is only made stronger leaves it empty.
    if instance.__dict__.get("_password") is not None:
        history.record(AccessKind.PASSWORD_CHANGED, name)
        sessions.end_all(instance, but=_own_session(instance))
    before = instance.__dict__.pop(_BEFORE, None) or {}
    if before.get("is_active", instance.is_active) != instance.is_active:
        _on_switched(instance)
    if before.get("is_superuser", instance.is_superuser) != instance.is_superuser:
        word = "given" if instance.is_superuser else "taken away"
        _changed(instance, f"superuser {word} (it gives nothing in the console)")


def _on_switched(user: User) -> None:
    kind = AccessKind.ENABLED if user.is_active else AccessKind.DISABLED
    history.record(kind, user.get_username())
    if not user.is_active:
        sessions.end_all(user)


def _on_roles(instance: User | Group, action: str, pk_set: set[int] | None, **_: Any) -> None:
    verb = _VERBS.get(action)
    if verb is None:
        return
    if isinstance(instance, Group):
        everybody = User.objects.filter(groups=instance)
        people = everybody if pk_set is None else User.objects.filter(pk__in=pk_set)
        for user in people:
            _changed(user, f"role {instance} {verb}")
        return
    groups = instance.groups.all() if pk_set is None else Group.objects.filter(pk__in=pk_set)
    names = sorted(str(group) for group in groups)
    if names:
        _changed(instance, f"role {', '.join(names)} {verb}")


def _changed(user: User, detail: str) -> None:
    history.record(AccessKind.ROLES_CHANGED, user.get_username(), detail=detail)
    sessions.end_all(user)


def _on_rights(instance: Group, action: str, pk_set: set[int] | None, **_: Any) -> None:
    """Roles come with the console; somebody with its database changed one all the same."""
    verb = _VERBS.get(action)
    if verb is None or not pk_set:
        return
    detail = f"rights of role {instance} {verb}: {len(pk_set)}"
    history.record(AccessKind.RIGHTS_CHANGED, "", detail=detail)


def _own_session(user: User) -> str | None:
    """Return the key of the session in which somebody changes their own password."""
    request = history.current_request()
    if request is None or request.user.pk != user.pk:
        return None
    return request.session.session_key
