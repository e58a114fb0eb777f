"""The runs list and the run page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms.inbox import RunFilterForm
from runs.forms.reading import read_wanted
from runs.http import render_either
from runs.pages import run as run_page
from runs.pages import run_list as list_page
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def run_list(request: OperatorRequest) -> HttpResponse:
    """List runs, newest first."""
    form = RunFilterForm(request.GET)
    screen = list_page.build(request.store, form.filters(), now=timezone.now())
    return render_either(
        request,
        page="runs/run_list.html",
        fragment="runs/_run_table.html",
        context={"section": "runs", "screen": screen, "form": form, "filters": screen.filters},
    )


@require_safe
@require(Right.VIEW)
def run(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Show one run: why it stands as it does, what can be decided, and its record."""
    wanted = read_wanted(request.GET)
    screen = run_page.build(request.store, run_id, wanted, now=timezone.now())
    return render_either(
        request,
        page="runs/run.html",
        fragment="runs/_run_tabs.html",
        context={
            "section": "runs",
            "screen": screen,
            "standing": screen.standing,
        },
    )
