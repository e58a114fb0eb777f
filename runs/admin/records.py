"""The engine's rows, read-only, for reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin

from continuum.domain.runs import RunStatus
from runs.admin.chains import ChainedAdmin, chain_link
from runs.admin.tables import ChoiceFilter, RecordAdmin, shortened
from runs.chainwords import OUTCOMES
from runs.models import (
    ArchivedEventRecord,
    CallerEntryRecord,
    CallerRecord,
    CheckpointRecord,
    EventRecord,
    RunRecord,
    VerificationRecord,
)
from runs.roles import Right, holds

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest


class StatusFilter(ChoiceFilter):
    """Statuses of runs."""

    title = parameter_name = "status"
    words = tuple(str(status) for status in RunStatus)


class OutcomeFilter(ChoiceFilter):
    """What verifications came to."""

    title = parameter_name = "outcome"
    words = tuple(OUTCOMES)


@admin.register(RunRecord)
class RunAdmin(ChainedAdmin):
    """Rows of `runs`."""

    list_display = ("run_id", "status", "chain", "created_at", "updated_at", "parent_run_id")
    list_filter = (StatusFilter,)
    ordering = ("-created_at", "-run_id")
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"
    readonly_fields = ("standing",)


class EventColumnsAdmin(ChainedAdmin):
    """Rows of either event table, reached by run."""

    list_display = ("run_id", "sequence", "chain", "type", "source", "timestamp", "hash")
    ordering = ("run_id", "-sequence")
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"
    readonly_payload = shortened("payload", "payload")
    fields: ClassVar[Any] = (
        "event_id",
        "run_id",
        "sequence",
        "type",
        "timestamp",
        "source",
        readonly_payload,
        "causer_event_id",
        "prev_hash",
        "hash",
        "standing",
    )
    readonly_fields: ClassVar[Any] = fields


@admin.register(EventRecord)
class EventAdmin(EventColumnsAdmin):
    """Rows of `events`."""


@admin.register(ArchivedEventRecord)
class ArchivedEventAdmin(EventColumnsAdmin):
    """Rows of `events_archive`."""

    fields: ClassVar[Any] = (*EventColumnsAdmin.fields, "archived_at")
    readonly_fields: ClassVar[Any] = fields


@admin.register(VerificationRecord)
class VerificationAdmin(ChainedAdmin):
    """Rows of `cx_verifications`, newest first."""

    list_display = (
        "number",
        "outcome",
        "kind",
        "subject",
        "chain",
        "head_sequence",
        "by_name",
        "finished_at",
    )
    list_filter = (OutcomeFilter,)
    ordering = ("-number",)
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"
    readonly_fields = ("standing",)

    @admin.display(description="run")
    def subject(self, record: VerificationRecord) -> str:
        """Name the run and lead to its chain."""
        return chain_link(record.run_id, record.run_id) if record.run_id else "all runs"


@admin.register(CheckpointRecord)
class CheckpointAdmin(ChainedAdmin):
    """Rows of `checkpoints`."""

    list_display = ("run_id", "version", "chain", "trigger", "created_at", "integrity_hash")
    ordering = ("run_id", "-version")
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"
    body_start = shortened("body", "body")
    fields = (
        "checkpoint_id",
        "run_id",
        "version",
        "trigger",
        "created_at",
        "integrity_hash",
        body_start,
        "standing",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave the large bodies where they are until one is asked for."""
        return super().get_queryset(request).defer("body")


class CallerRowsAdmin(RecordAdmin):
    """Rows of the allowlist, for whoever manages it; changes are made on the callers' pages."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Those who manage callers only."""
        return holds(request.user, Right.MANAGE_CALLERS)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Those who manage callers only."""
        return holds(request.user, Right.MANAGE_CALLERS)


@admin.register(CallerRecord)
class CallerAdmin(CallerRowsAdmin):
    """Rows of `cx_callers`, without the seals of their secrets."""

    list_display = ("name", "kind", "enabled", "tools", "run_pattern", "expires_at", "version")
    ordering = ("name",)
    search_fields = ("name__exact",)
    search_help_text = "Exact name"


@admin.register(CallerEntryRecord)
class CallerEntryAdmin(CallerRowsAdmin):
    """Rows of `cx_caller_entries`."""

    list_display = ("sequence", "type", "caller", "timestamp", "hash")
    ordering = ("-sequence",)
    search_fields = ("caller__exact",)
    search_help_text = "Exact name of a caller"
