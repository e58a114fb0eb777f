"""Families: runs with children, and how each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms import RunFilterForm
from runs.http import render_either
from runs.pages import family as page
from runs.pages.inbox import refresh
from runs.pages.run_list import read_cursor
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def families(request: OperatorRequest) -> HttpResponse:
    """List families, newest first."""
    filters = RunFilterForm(request.GET).filters()
    refresh(request.store, timezone.now())
    before = read_cursor(filters.before)
    listed = page.list_families(request.store, text=filters.text, before=before)
    return render_either(
        request,
        page="runs/families.html",
        fragment="runs/_families.html",
        context={"section": "families", "screen": listed, "filters": filters},
    )
