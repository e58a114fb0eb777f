"""The admin's pages: people and roles for admins, the engine's rows read-only for reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html

from continuum.core.errors import ContinuumError
from continuum.domain.runs import RunStatus
from continuum.services.standings import StandingState, standing
from runs.chainwords import OUTCOMES, STATES
from runs.engine import current_store
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

    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyPaginator = Paginator[Any]
    AnyUserAdmin = UserAdmin[User]
else:
    AnyModelAdmin = admin.ModelAdmin
    AnyPaginator = Paginator
    AnyUserAdmin = UserAdmin

_CUT = 400
_MOST_ROWS = 5_000


class BoundedPaginator(AnyPaginator):
    """Pages of the first rows only, so that a big table is never counted."""

    @cached_property
    def count(self) -> int:
        """Return how many rows there are, looking at `_MOST_ROWS` and no more."""
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[:_MOST_ROWS].count())


class ChoiceFilter(admin.SimpleListFilter):
    """Fixed choices of a column; asking the table for them would read all of it."""

    words: tuple[str, ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Offer every value there is."""
        return [(word, word) for word in self.words]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the chosen one."""
        value = self.value()
        return queryset.filter(**{str(self.parameter_name): value}) if value else queryset


class StatusFilter(ChoiceFilter):
    """Statuses of runs."""

    title = parameter_name = "status"
    words = tuple(str(status) for status in RunStatus)


class OutcomeFilter(ChoiceFilter):
    """What verifications came to."""

    title = parameter_name = "outcome"
    words = tuple(OUTCOMES)


class RecordAdmin(AnyModelAdmin):
    """A table of the store, to look at and nothing else."""

    actions = None
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50
    view_on_site = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the tables to whoever may look at records."""
        return holds(request.user, Right.RECORDS)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Show a row to whoever may look at records."""
        return holds(request.user, Right.RECORDS)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is ever added here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is ever changed here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is ever deleted here."""
        return False

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Show a row; sending one back is refused before Django opens a transaction."""
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied("Stored rows are never changed here.")
        return super().changeform_view(request, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Refuse, for the same reason."""
        raise PermissionDenied("Stored rows are never deleted here.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Read the store through the alias that cannot write."""
        rows: QuerySet[Any] = self.model._default_manager.using("store")
        return rows.order_by(*self.get_ordering(request))


def shortened(member: str, title: str) -> Any:
    """Return a column that shows the beginning of a long text."""

    @admin.display(description=title)
    def column(record: Any) -> str:
        text = str(getattr(record, member))
        return text if len(text) <= _CUT else f"{text[:_CUT]} … ({len(text):,} characters)"

    return column


def chain_link(run_id: str, text: str = "Chain") -> str:
    """Return a link to the page of a run's chain."""
    return format_html('<a href="{}">{}</a>', reverse("runs:chain", args=[run_id]), text[:80])


def chain_standing(run_id: str, sequence: int | None = None) -> str:
    """Say what is known about a run's chain right now, and lead to its page; nothing is walked.

    Args:
        sequence: of an event that is shown; one behind a break is not to be trusted.
    """
    try:
        known = standing(current_store(settings.CONTINUUM_DB), run_id)
    except ContinuumError as exc:
        return format_html("It cannot be told: {}", str(exc)[:_CUT])
    text = STATES[known.state].text
    if known.state is StandingState.BROKEN and known.bad_sequence is not None:
        text = f"{text} at event {known.bad_sequence}"
        if sequence is not None and sequence >= known.bad_sequence:
            text = f"{text}; this event is not to be trusted"
    link = chain_link(run_id, text)
    return format_html("{}: {}", link, known.reason[:_CUT]) if known.reason else link


@admin.register(RunRecord)
class RunAdmin(RecordAdmin):
    """Rows of `runs`."""

    list_display = ("run_id", "status", "created_at", "updated_at", "parent_run_id", "chain")
    list_filter = (StatusFilter,)
    ordering = ("-created_at", "-run_id")
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"
    readonly_fields = ("standing",)

    @admin.display(description="chain")
    def chain(self, record: RunRecord) -> str:
        """Lead to the page that says how the run's chain stands."""
        return chain_link(record.run_id)

    @admin.display(description="chain")
    def standing(self, record: RunRecord) -> str:
        """Say how the run's chain stands."""
        return chain_standing(record.run_id)


class EventColumnsAdmin(RecordAdmin):
    """Rows of either event table, reached by run."""

    list_display = ("run_id", "sequence", "type", "source", "timestamp", "hash")
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

    @admin.display(description="chain")
    def standing(self, record: EventRecord | ArchivedEventRecord) -> str:
        """Say how the chain of this event stands, and whether it can be trusted."""
        return chain_standing(record.run_id, record.sequence)


@admin.register(EventRecord)
class EventAdmin(EventColumnsAdmin):
    """Rows of `events`."""


@admin.register(ArchivedEventRecord)
class ArchivedEventAdmin(EventColumnsAdmin):
    """Rows of `events_archive`."""

    fields: ClassVar[Any] = (*EventColumnsAdmin.fields, "archived_at")
    readonly_fields: ClassVar[Any] = fields


@admin.register(VerificationRecord)
class VerificationAdmin(RecordAdmin):
    """Rows of `cx_verifications`, newest first."""

    list_display = ("number", "outcome", "kind", "chain", "head_sequence", "by_name", "finished_at")
    list_filter = (OutcomeFilter,)
    ordering = ("-number",)
    search_fields = ("run_id__exact",)
    search_help_text = "Exact run id"

    readonly_fields = ("standing",)

    @admin.display(description="run")
    def chain(self, record: VerificationRecord) -> str:
        """Name the run and lead to its chain."""
        return chain_link(record.run_id, record.run_id) if record.run_id else "all runs"

    @admin.display(description="chain now")
    def standing(self, record: VerificationRecord) -> str:
        """Say what the result is worth now."""
        return chain_standing(record.run_id) if record.run_id else "see the run"


@admin.register(CheckpointRecord)
class CheckpointAdmin(RecordAdmin):
    """Rows of `checkpoints`."""

    list_display = ("run_id", "version", "trigger", "created_at", "integrity_hash")
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


class PeopleAdmin:
    """Rights of the pages that manage people; mixed into Django's own."""

    def _may(self, request: HttpRequest) -> bool:
        return holds(request.user, Right.MANAGE_PEOPLE)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Admins only."""
        return self._may(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins only."""
        return self._may(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins only."""
        return self._may(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Admins only."""
        return self._may(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: events name people, so people are disabled and not deleted."""
        return False


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class ConsoleUserAdmin(PeopleAdmin, AnyUserAdmin):
    """People: name, password, active, roles. No superusers, no single rights."""

    list_display = ("username", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    filter_horizontal = ("groups",)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Role", {"fields": ("is_active", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")


@admin.register(Group)
class RoleAdmin(PeopleAdmin, GroupAdmin):
    """Roles are fixed; they can be looked at."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Roles come with the console."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Roles come with the console."""
        return False
