"""People and roles, for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from runs.roles import Right, holds

if TYPE_CHECKING:
    from django.http import HttpRequest

    AnyUserAdmin = UserAdmin[User]
else:
    AnyUserAdmin = UserAdmin


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
