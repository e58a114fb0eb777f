"""The inbox: what needs a person, and beside it the item that is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from continuum.services import desk
from continuum.services import inbox as inbox_service
from continuum.services.standings import last_check
from runs.access import require
from runs.deciding import context_on
from runs.forms.inbox import InboxFilterForm
from runs.http import render_either
from runs.pages import events
from runs.pages import inbox as page
from runs.pages.live import seen_of_inbox
from runs.pages.rowstates import claims_mark
from runs.pages.run import stand
from runs.roles import Right, holds

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest
    from runs.pages.inbox import InboxFilters, InboxScreen
    from runs.pages.run import Standing

NEXT = "next"
"""What stands for an item's id where the next one is wanted."""


@require_safe
@require(Right.VIEW)
def inbox(request: OperatorRequest) -> HttpResponse:
    """List what waits; beside it the item the address names, ready to be decided."""
    form = InboxFilterForm(request.GET)
    filters = form.filters()
    now = timezone.now()
    person = request.user.get_username()
    wanted = request.GET.get("item", "")
    if wanted == NEXT:
        return _to_next(request, filters)
    screen = page.build(request.store, filters, person=person, now=now)
    request.item_counts = screen.counts
    context: dict[str, Any] = {"section": "inbox", "screen": screen, "form": form, "person": person}
    context["can_tick"] = screen.can_tick and holds(request.user, Right.DECIDE)
    context["checked"] = last_check(request.store)
    context |= _beside(request, wanted)
    context |= _followed(screen, context.get("standing"))
    return render_either(
        request, page="runs/inbox.html", fragment="runs/_inbox_swap.html", context=context
    )


def _followed(screen: InboxScreen, standing: Standing | None) -> dict[str, Any]:
    """Return what the page asks for news with, and what it has seen."""
    judged = standing is not None and standing.assessed is not None
    run, head = (standing.run_id, standing.head) if standing and judged else ("", 0)
    return {
        "seen": seen_of_inbox(screen.counts, run, head),
        "seen_mark": f"{screen.mark}|{head}|{claims_mark(screen.counts)}",
    }


def _to_next(request: OperatorRequest, filters: InboxFilters) -> HttpResponse:
    """Go to the worst item of the list that nobody else works on, after the one just seen."""
    person = request.user.get_username()
    beside = request.GET.get("beside", "")
    item = page.next_item(request.store, filters, person=person, beside=beside, now=timezone.now())
    response = redirect("runs:inbox")
    response["Location"] += f"?{filters.query()}"
    if item is not None:
        response["Location"] += f"&item={item.item_id}"
    else:
        messages.info(request, "No other item waits in this list.")
    return response


def _beside(request: OperatorRequest, item_id: str) -> dict[str, Any]:
    """Return what the right side shows: the item's run, and the form that answers it."""
    if not item_id:
        return {"item": None}
    item = inbox_service.get_item(request.store, item_id)
    store, now = request.store, timezone.now()
    standing = stand(store, item.run_id, now=now)
    context = {
        "item": item,
        "standing": standing,
        "strip": events.strip_of(store, item.run_id),
        "mark": store.head_mark(item.run_id),
        "item_notes": desk.notes_on(store, item_id),
    }
    if standing.assessed is not None and item.kind == "action" and not item.closed_at:
        context |= context_on(store, "settle", standing, standing.assessed, item.target)
    return context | {"section": "inbox"}
