"""Actions of all runs, and one action with its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms import InboxFilterForm
from runs.http import render_either
from runs.pages import actions as page
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def action_list(request: OperatorRequest) -> HttpResponse:
    """List the effects nobody has settled, then those settled today."""
    text = InboxFilterForm(request.GET).filters().text
    screen = page.list_open(request.store, text=text, now=timezone.now())
    return render_either(
        request,
        page="runs/action_list.html",
        fragment="runs/_action_table.html",
        context={"section": "actions", "screen": screen},
    )


@require_safe
@require(Right.VIEW)
def action(request: OperatorRequest, run_id: str, key: str) -> HttpResponse:
    """Show what the agent meant to do, what is known, and what came before."""
    screen = page.build(request.store, run_id, key, now=timezone.now())
    context = {"section": "actions", "screen": screen, "standing": screen.standing}
    return render(request, "runs/action.html", context)
