"""One event with its whole payload, and the payload alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import require
from runs.pages import events as page
from runs.roles import Right

if TYPE_CHECKING:
    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def event(request: OperatorRequest, run_id: str, sequence: int) -> HttpResponse:
    """Show one event: its place in the chain, and its payload up to a limit."""
    paged = page.one_event(request.store, run_id, sequence)
    payload, is_cut = page.whole_payload(paged.row.payload)
    context = {
        "section": "runs",
        "run_id": run_id,
        "line": page.line_of(paged),
        "payload": payload,
        "is_cut": is_cut,
        "causer": paged.row.causer_event_id,
        "head": request.store.head(run_id).sequence,
    }
    return render(request, "runs/event.html", context)


@require_safe
@require(Right.VIEW)
def payload(request: OperatorRequest, run_id: str, sequence: int) -> HttpResponse:
    """Hand out a stored payload as a file, exactly as it is kept; never shown as a page."""
    row = page.one_event(request.store, run_id, sequence).row
    response = HttpResponse(
        row.payload.encode("utf-8", "surrogatepass"), content_type="application/octet-stream"
    )
    response["Content-Disposition"] = f'attachment; filename="event-{sequence}.json"'
    return response
