"""Tables of the store in the admin: to look at, a page at a time, never counted whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.utils.functional import cached_property

from runs.roles import Right, holds

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest

    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyPaginator = Paginator[Any]
else:
    AnyModelAdmin = admin.ModelAdmin
    AnyPaginator = Paginator

CUT = 400
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
        return text if len(text) <= CUT else f"{text[:CUT]} … ({len(text):,} characters)"

    return column
