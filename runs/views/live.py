"""What a page that is open asks now and then: has anything changed since?

Small answers only: nothing (204), or a banner and the counts. It never swaps
what a person may be reading or typing in, judges no run and writes nothing;
the console's background loop keeps the lists current (`runs.keeper`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import require
from runs.forms import SinceForm
from runs.pages.live import news
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpRequest

    from continuum.store.base import ReadStore
    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def live(request: OperatorRequest) -> HttpResponse:
    """Answer 204 when nothing is new, else the banner of the page that asks."""
    return answer(request, request.store, request.user.get_username())


def answer(request: HttpRequest, store: ReadStore, person: str) -> HttpResponse:
    """Answer a poll of somebody who may look."""
    form = SinceForm(request.GET)
    seen = form.seen()
    found = news(store, seen, person=person, now=timezone.now())
    if found.mark == form.cleaned_data.get("mark"):
        return HttpResponse(status=204)
    return HttpResponse(render_to_string("runs/_live.html", {"news": found, "seen": seen}))
