"""What is kept of people's access: open sessions, what happened, how often somebody acted."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

MAX_ADDRESS = 64
MAX_AGENT = 200
MAX_DETAIL = 300
MAX_NAME = 150


class PersonSession(models.Model):
    """A browser in which somebody is signed in; the key itself never leaves the database."""

    objects: ClassVar[models.Manager[PersonSession]]

    session_key = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    address = models.CharField(max_length=MAX_ADDRESS)
    agent = models.CharField(max_length=MAX_AGENT)

    class Meta:
        """Listed newest first."""

        default_permissions = ()
        indexes: ClassVar = [models.Index(fields=["-last_seen_at", "-id"], name="session_by_seen")]

    def __str__(self) -> str:
        return f"session {self.pk} of {self.user}"


class AccessKind(models.TextChoices):
    """What may happen to somebody's access."""

    SIGNED_IN = "signed_in", "signed in"
    SIGN_IN_FAILED = "sign_in_failed", "sign-in failed"
    LOCKED_OUT = "locked_out", "sign-in paused"
    SIGNED_OUT = "signed_out", "signed out"
    SESSION_ENDED = "session_ended", "session ended"
    STEP_UP_FAILED = "step_up_failed", "password asked again, wrong"
    ADDED = "added", "added"
    ROLES_CHANGED = "roles_changed", "roles changed"
    PASSWORD_CHANGED = "password_changed", "password changed"
    DISABLED = "disabled", "disabled"
    ENABLED = "enabled", "enabled"
    RIGHTS_CHANGED = "rights_changed", "rights changed"
    WEBHOOK_CHANGED = "webhook_changed", "webhook changed"


class AccessEntry(models.Model):
    """One entry of the history of sign-ins and permissions. Rows are added, and dropped by age.

    Attributes:
        person: about whom; empty where nobody of the name given exists.
        by: who did it: a person of the console, or the account on the host.
        via: `console`, `cli`, or `python` for anything else in the process.
        times: how often within one minute; only failures are gathered.
    """

    objects: ClassVar[models.Manager[AccessEntry]]

    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=AccessKind.choices)
    person = models.CharField(max_length=MAX_NAME)
    by = models.CharField(max_length=MAX_NAME)
    via = models.CharField(max_length=10)
    address = models.CharField(max_length=MAX_ADDRESS)
    agent = models.CharField(max_length=MAX_AGENT)
    detail = models.CharField(max_length=MAX_DETAIL)
    times = models.PositiveIntegerField(default=1)

    class Meta:
        """Looked up by person, by kind and by age."""

        default_permissions = ()
        indexes: ClassVar = [
            models.Index(fields=["person", "id"], name="access_by_person"),
            models.Index(fields=["kind", "id"], name="access_by_kind"),
            models.Index(fields=["at"], name="access_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.at} {self.kind} {self.person}"


class ActCount(models.Model):
    """How often somebody did one kind of thing within one minute."""

    objects: ClassVar[models.Manager[ActCount]]

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    kind = models.CharField(max_length=20)
    minute = models.DateTimeField()
    times = models.PositiveIntegerField()

    class Meta:
        """One row each."""

        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "kind", "minute"], name="one_count_a_minute")
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.kind} {self.minute}"
