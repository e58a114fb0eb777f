"""Django's admin behind the console's own sign-in and rights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied

from runs.roles import Right, holds

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class ConsoleAdmin(AdminSite):
    """People for admins, the stored rows for reviewers, nothing for others."""

    site_header = "Continuum records"
    site_title = "Continuum"
    index_title = "People and stored rows"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Let in whoever may look at rows or manage people."""
        return holds(request.user, Right.RECORDS) or holds(request.user, Right.MANAGE_PEOPLE)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Use the one sign-in page; a person without the right gets 403, not a second form."""
        if request.user.is_authenticated:
            raise PermissionDenied("This needs the right: can look at the stored rows.")
        return redirect_to_login(request.GET.get("next") or request.get_full_path())
