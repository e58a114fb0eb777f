"""What a page that is open asks now and then: has anything changed since?

Small answers only: nothing (204), or a banner and the counts. It never swaps
what a person may be reading or typing in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from continuum.services import inbox as inbox_service
from runs.access import require
from runs.forms import SinceForm
from runs.pages import inbox as page
from runs.roles import Right

if TYPE_CHECKING:
    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def live(request: OperatorRequest) -> HttpResponse:
    """Answer 204 when nothing is new, else the banner of the page that asks."""
    asked = SinceForm(request.GET).valid_values()
    store, now = request.store, timezone.now()
    page.refresh(store, now)
    if asked["run"]:
        head = store.head(asked["run"]).sequence
        changed = head != int(asked["since"] or 0)
        context = {"new_events": head - int(asked["since"] or 0), "run_id": asked["run"]}
    else:
        counts = inbox_service.counts(store, request.user.get_username(), page.midnight(now))
        changed = page.mark_of(counts) != asked["mark"]
        context = {"new_items": counts.open - int(asked["open"] or 0)}
    if not changed:
        return HttpResponse(status=204)
    return render(request, "runs/_live.html", context | {"swap_oob": True})
