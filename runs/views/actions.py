"""Actions of all runs, and one action with its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms.lists import ActionFilterForm
from runs.http import render_either
from runs.pages import action_list as list_page
from runs.pages import actions as page
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def action_list(request: OperatorRequest) -> HttpResponse:
    """List the effects of all runs, what nobody has settled first."""
    form = ActionFilterForm(request.GET)
    screen = list_page.build(request.store, form.filters(), now=timezone.now())
    return render_either(
        request,
        page="runs/action_list.html",
        fragment="runs/_action_table.html",
        context={"section": "actions", "screen": screen, "form": form, "filters": screen.filters},
    )


@require_safe
@require(Right.VIEW)
def action(request: OperatorRequest, run_id: str, key: str) -> HttpResponse:
    """Show what the agent meant to do, what is known, and what came before."""
    screen = page.build(request.store, run_id, key, now=timezone.now())
    context = {"section": "actions", "screen": screen, "standing": screen.standing}
    return render(request, "runs/action.html", context)
