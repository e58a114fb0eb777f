"""Families: runs with children, and how each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms.lists import FamilyFilterForm
from runs.http import render_either
from runs.pages import family as page
from runs.pages.inbox import refresh
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def families(request: OperatorRequest) -> HttpResponse:
    """List families, newest first."""
    filters = FamilyFilterForm(request.GET).filters()
    refresh(request.store, timezone.now())
    screen = page.list_families(request.store, filters)
    return render_either(
        request,
        page="runs/families.html",
        fragment="runs/_families.html",
        context={"section": "families", "screen": screen, "filters": filters},
    )


@require_safe
@require(Right.VIEW)
def family(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Show everything below one run, its children in pages."""
    filters = FamilyFilterForm(request.GET).filters()
    refresh(request.store, timezone.now())
    screen = page.one_family(request.store, run_id, filters)
    return render_either(
        request,
        page="runs/family.html",
        fragment="runs/_family.html",
        context={"section": "families", "screen": screen, "filters": filters},
    )
