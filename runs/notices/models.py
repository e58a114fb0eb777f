"""What people chose, where programs listen, what was noticed, and what was sent."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

MAX_URL = 500
MAX_NAME = 80
MAX_ERROR = 300
MAX_PAYLOAD_TEXT = 600


class NoticeKind(models.TextChoices):
    """What there is to tell about an item."""

    APPEARED = "appeared", "appeared"
    REMINDER = "reminder", "still waits"
    SETTLED = "settled", "settled"
    TEST = "test", "test"


class Wishes(models.Model):
    """Columns that say which notices somebody wants."""

    appeared = models.BooleanField(default=False)
    reminder = models.BooleanField(default=False)
    settled = models.BooleanField(default=False)
    grave_only = models.BooleanField(default=False)

    class Meta:
        """Columns only."""

        abstract = True

    @property
    def words(self) -> str:
        """What is wanted, for people."""
        named = (("appeared", self.appeared), ("still waits", self.reminder))
        chosen = [word for word, given in (*named, ("settled", self.settled)) if given]
        text = ", ".join(chosen) or "nothing"
        return f"{text}; only what is grave" if self.grave_only else text

    def wants(self, kind: str, severity: int) -> bool:
        """Return whether a notice of this kind is wanted."""
        if kind == NoticeKind.TEST:
            return True
        return bool(getattr(self, kind)) and not (self.grave_only and severity > MOST_GRAVE)


MOST_GRAVE = 1
"""Severities up to this are grave: the record is in doubt, or an effect may have happened."""


class MailWish(Wishes):
    """What one person wants by mail, and where to."""

    objects: ClassVar[models.Manager[MailWish]]

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="mail_wish",
    )
    address = models.EmailField(max_length=254)

    class Meta(Wishes.Meta):
        """Nobody changes them through the admin."""

        abstract = False
        default_permissions = ()

    def __str__(self) -> str:
        return f"mail for {self.user}"


class Webhook(Wishes):
    """A program that is told, and how its messages are signed.

    Attributes:
        nonce: the secret is made from it and the console's key, so that the
            table alone signs nothing.
        old_nonce: of the secret before, which signs as well until `old_until`.
        allow_private: it lies in one's own network, or on this machine.
    """

    objects: ClassVar[models.Manager[Webhook]]

    name = models.CharField(max_length=MAX_NAME, unique=True)
    url = models.CharField(max_length=MAX_URL)
    enabled = models.BooleanField(default=True)
    allow_private = models.BooleanField(default=False)
    nonce = models.CharField(max_length=64)
    old_nonce = models.CharField(max_length=64, default="", blank=True)
    old_until = models.DateTimeField(null=True)
    added_by = models.CharField(max_length=150)
    added_at = models.DateTimeField()

    class Meta(Wishes.Meta):
        """Changed on its own page, with a reason."""

        abstract = False
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class ItemMark(models.Model):
    """An inbox item as it was last noticed; what makes one message of one change.

    Attributes:
        times: how often it has appeared.
        reminded: how many ages were passed and told.
    """

    objects: ClassVar[models.Manager[ItemMark]]

    item_id = models.CharField(max_length=64, primary_key=True)
    is_open = models.BooleanField()
    appeared_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)
    times = models.PositiveIntegerField(default=1)
    reminded = models.PositiveIntegerField(default=0)
    severity = models.IntegerField(default=9)

    class Meta:
        """Open ones are compared with the inbox."""

        default_permissions = ()
        indexes: ClassVar = [models.Index(fields=["is_open"], name="mark_by_open")]

    def __str__(self) -> str:
        return f"{self.item_id} {'open' if self.is_open else 'left'}"


class Watch(models.Model):
    """Since when the inbox is watched; what was open before is nobody's news."""

    objects: ClassVar[models.Manager[Watch]]

    store = models.CharField(max_length=64, primary_key=True)
    since = models.DateTimeField()

    class Meta:
        """One row for each store."""

        default_permissions = ()

    def __str__(self) -> str:
        return f"watched since {self.since}"


class Notice(models.Model):
    """Something to tell. `uid` names the change of state, so it is told once."""

    objects: ClassVar[models.Manager[Notice]]

    uid = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=10, choices=NoticeKind.choices)
    severity = models.IntegerField()
    at = models.DateTimeField()
    content = models.JSONField()

    class Meta:
        """Dropped by age."""

        default_permissions = ()
        indexes: ClassVar = [models.Index(fields=["at"], name="notice_by_time")]

    def __str__(self) -> str:
        return self.uid


class State(models.TextChoices):
    """How far a delivery has come."""

    WAITING = "waiting", "waiting"
    SENDING = "sending", "being sent"
    SENT = "sent", "sent"
    FAILED = "failed", "given up"
    DROPPED = "dropped", "not wanted any more"


class Delivery(models.Model):
    """One notice for one receiver: the outbox, and afterwards the log.

    Attributes:
        uid: what receivers know it by; the same at every try.
        claimed_until: whoever sends it has until then; after that it is tried
            again, since nobody knows whether it arrived.
    """

    objects: ClassVar[models.Manager[Delivery]]

    uid = models.CharField(max_length=40, unique=True)
    notice = models.ForeignKey(Notice, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, null=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    said = models.CharField(max_length=MAX_ERROR, default="", blank=True)

    class Meta:
        """One of each; the due ones are found by time."""

        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notice", "user"], name="one_mail_a_notice"),
            models.UniqueConstraint(fields=["notice", "webhook"], name="one_call_a_notice"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "next_at"], name="delivery_by_due"),
        ]

    def __str__(self) -> str:
        return f"{self.uid} {self.state}"
