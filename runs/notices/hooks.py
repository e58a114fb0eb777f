"""Webhooks: added, changed and removed by admins, each change with a reason in the history."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from continuum.core.errors import Conflict, NotFound
from runs.notices.models import Webhook
from runs.notices.outside import ensure_address
from runs.notices.signing import new_nonce, secret_of
from runs.trust import history
from runs.trust.models import AccessKind

if TYPE_CHECKING:
    from datetime import datetime

OVERLAP = timedelta(hours=24)
"""How long the secret before signs as well after a rotation."""

MOST = 50


class Changed(NamedTuple):
    """A webhook after a change, and its secret where there is a new one."""

    webhook: Webhook
    secret: str | None = None


def find(pk: int) -> Webhook:
    """Return a webhook.

    Raises:
        NotFound: there is none.
    """
    found = Webhook.objects.filter(pk=pk).first()
    if found is None:
        raise NotFound("there is no such webhook; it may have been removed")
    return found


@transaction.atomic
def add(values: dict[str, Any], *, reason: str, by: str, now: datetime) -> Changed:
    """Add a webhook; its secret is in the answer and nowhere else.

    Raises:
        InvalidInput: its address may not be called.
        Conflict: the name is taken, or there are too many.
    """
    ensure_address(values["url"], allow_private=values["allow_private"])
    _ensure_free(values["name"], None)
    if Webhook.objects.count() >= MOST:
        raise Conflict(f"there are {MOST} webhooks already; remove one first")
    webhook = Webhook.objects.create(**values, nonce=new_nonce(), added_by=by, added_at=now)
    _note(webhook, "added", reason)
    return Changed(webhook, secret_of(webhook.nonce))


@transaction.atomic
def change(webhook: Webhook, values: dict[str, Any], *, reason: str) -> Changed:
    """Change where a webhook is and what it is told.

    Raises:
        InvalidInput: its address may not be called.
        Conflict: the name is taken.
    """
    ensure_address(values["url"], allow_private=values["allow_private"])
    _ensure_free(values["name"], webhook.pk)
    for name, value in values.items():
        setattr(webhook, name, value)
    webhook.save()
    _note(webhook, "changed", reason)
    return Changed(webhook)


@transaction.atomic
def rotate(webhook: Webhook, *, reason: str, now: datetime) -> Changed:
    """Make a new secret; for a day the old one signs as well."""
    webhook.old_nonce, webhook.old_until = webhook.nonce, now + OVERLAP
    webhook.nonce = new_nonce()
    webhook.save(update_fields=["nonce", "old_nonce", "old_until"])
    _note(webhook, "new secret", reason)
    return Changed(webhook, secret_of(webhook.nonce))


@transaction.atomic
def switch(webhook: Webhook, *, enabled: bool, reason: str) -> Changed:
    """Stop calling a webhook, or call it again."""
    webhook.enabled = enabled
    webhook.save(update_fields=["enabled"])
    _note(webhook, "enabled" if enabled else "disabled", reason)
    return Changed(webhook)


@transaction.atomic
def remove(webhook: Webhook, *, reason: str) -> None:
    """Remove a webhook, and what was sent to it from the log."""
    _note(webhook, "removed", reason)
    webhook.delete()


def _ensure_free(name: str, pk: int | None) -> None:
    alike = Webhook.objects.filter(name=name)
    if (alike if pk is None else alike.exclude(pk=pk)).exists():
        raise Conflict(f"a webhook is called {name!r} already; choose another name")


def _note(webhook: Webhook, what: str, reason: str) -> None:
    person = history.current_origin().by
    detail = f"{webhook.name} {what}: {reason}"
    history.record(AccessKind.WEBHOOK_CHANGED, person, detail=detail)
