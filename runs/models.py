"""Models: the console's permissions, and read-only views of the engine's tables.

None of the tables below is made or changed by Django; they exist for the admin
site alone, over the alias `store`, which refuses writes. Pages use services.
"""

from __future__ import annotations

from django.db import models

from runs.notices.models import (
    Delivery,
    ItemMark,
    MailWish,
    Notice,
    Watch,
    Webhook,
)
from runs.personal import Preferences, SavedView
from runs.roles import RIGHT_NAMES
from runs.trust.models import AccessEntry, ActCount, PersonSession

__all__ = [
    "AccessEntry",
    "ActCount",
    "ArchivedEventRecord",
    "CallerEntryRecord",
    "CallerRecord",
    "CheckpointRecord",
    "Console",
    "Delivery",
    "EventRecord",
    "ItemMark",
    "MailWish",
    "Notice",
    "PersonSession",
    "Preferences",
    "RunRecord",
    "SavedView",
    "Watch",
    "Webhook",
]


class Console(models.Model):
    """Carries the console's permissions; it has no table."""

    class Meta:
        """No table, no default permissions: only our own."""

        managed = False
        default_permissions = ()
        permissions = tuple((str(right), name) for right, name in RIGHT_NAMES.items())


class Record(models.Model):
    """A row of the store that Django only reads."""

    class Meta:
        """Shared by every table below."""

        abstract = True
        managed = False
        default_permissions = ()


class RunRecord(Record):
    """A row of `runs`."""

    run_id = models.TextField(primary_key=True)
    goal = models.TextField()
    status = models.TextField()
    created_at = models.TextField()
    updated_at = models.TextField()
    metadata = models.TextField()
    parent_run_id = models.TextField(null=True)

    class Meta(Record.Meta):
        """The engine's table."""

        db_table = "runs"
        verbose_name = "run"

    def __str__(self) -> str:
        return self.run_id


class EventColumns(Record):
    """The columns live and archived events share; `event_id` is unique in each table."""

    event_id = models.TextField(primary_key=True)
    run_id = models.TextField()
    sequence = models.IntegerField()
    type = models.TextField()
    timestamp = models.TextField()
    payload = models.TextField()
    causer_event_id = models.TextField(null=True)
    source = models.TextField()
    prev_hash = models.TextField(null=True)
    hash = models.TextField()

    class Meta(Record.Meta):
        """Columns only."""

        abstract = True

    def __str__(self) -> str:
        return f"{self.run_id} #{self.sequence} {self.type}"


class EventRecord(EventColumns):
    """A row of `events`."""

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "events"
        verbose_name = "event"


class ArchivedEventRecord(EventColumns):
    """A row of `events_archive`."""

    archived_at = models.TextField()

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "events_archive"
        verbose_name = "archived event"


class CallerRecord(Record):
    """A row of `cx_callers`; the columns with seals of secrets are not read."""

    name = models.TextField(primary_key=True)
    kind = models.TextField()
    enabled = models.IntegerField()
    tools = models.TextField()
    run_pattern = models.TextField()
    expires_at = models.TextField(null=True)
    confirm_override = models.TextField()
    note = models.TextField()
    version = models.IntegerField()
    entry_sequence = models.IntegerField()
    added_by = models.TextField()
    added_at = models.TextField()
    changed_at = models.TextField()
    last_seen_at = models.TextField(null=True)

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "cx_callers"
        verbose_name = "caller"

    def __str__(self) -> str:
        return self.name


class CallerEntryRecord(Record):
    """A row of `cx_caller_entries`."""

    sequence = models.IntegerField(primary_key=True)
    entry_id = models.TextField()
    type = models.TextField()
    caller = models.TextField()
    timestamp = models.TextField()
    payload = models.TextField()
    prev_hash = models.TextField(null=True)
    hash = models.TextField()

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "cx_caller_entries"
        verbose_name = "entry of the callers’ history"
        verbose_name_plural = "entries of the callers’ history"

    def __str__(self) -> str:
        return f"{self.sequence} {self.type} {self.caller}"


class VerificationRecord(Record):
    """A row of `cx_verifications`: what a verification found; of all runs without a run id."""

    number = models.IntegerField(primary_key=True)
    verification_id = models.TextField()
    run_id = models.TextField(null=True)
    kind = models.TextField()
    outcome = models.TextField()
    head_sequence = models.IntegerField()
    head_hash = models.TextField(null=True)
    events = models.IntegerField()
    runs = models.IntegerField()
    broken_runs = models.IntegerField()
    bad_run_id = models.TextField(null=True)
    bad_sequence = models.IntegerField(null=True)
    bad_kind = models.TextField(null=True)
    detail = models.TextField()
    by_name = models.TextField()
    via = models.TextField()
    started_at = models.TextField()
    finished_at = models.TextField()

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "cx_verifications"
        verbose_name = "verification"

    def __str__(self) -> str:
        return f"{self.number} {self.outcome} {self.run_id or 'all runs'}"


class CheckpointRecord(Record):
    """A row of `checkpoints`."""

    checkpoint_id = models.TextField(primary_key=True)
    run_id = models.TextField()
    version = models.IntegerField()
    trigger = models.TextField()
    created_at = models.TextField()
    integrity_hash = models.TextField()
    body = models.TextField()

    class Meta(Record.Meta):
        """The engine's table."""

        abstract = False
        db_table = "checkpoints"
        verbose_name = "checkpoint"

    def __str__(self) -> str:
        return f"{self.run_id} v{self.version}"
