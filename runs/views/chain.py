"""The chain page: walk a run's whole chain on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms import VerifyForm
from runs.pages import chain as page
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest


@require_safe
@require(Right.AUDIT)
def chain(request: OperatorRequest) -> HttpResponse:
    """Show the form; with a run in the address, walk its chain now."""
    form = VerifyForm(request.GET)
    run_id = form.cleaned_data["run"] if form.is_valid() else ""
    now = timezone.now()
    screen = page.verify(request.store, run_id, now=now) if run_id else page.unasked()
    return render(request, "runs/chain.html", {"section": "chain", "screen": screen})
