"""The inbox: what needs a person, and taking or giving back one item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from continuum.services import inbox as inbox_service
from runs.access import require
from runs.deciding import context_on
from runs.forms import InboxFilterForm
from runs.http import render_either
from runs.pages import events
from runs.pages import inbox as page
from runs.pages.run import stand
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from continuum.store.base import Item
    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def inbox(request: OperatorRequest) -> HttpResponse:
    """List what waits; beside it the item the address names, ready to be decided."""
    form = InboxFilterForm(request.GET)
    now = timezone.now()
    person = request.user.get_username()
    screen = page.build(request.store, form.filters(), person=person, now=now)
    context = {"section": "inbox", "screen": screen, "form": form, "person": person}
    return render_either(
        request,
        page="runs/inbox.html",
        fragment="runs/_inbox.html",
        context=context | _beside(request, request.GET.get("item", "")),
    )


@require_POST
@require(Right.DECIDE)
def claim(request: OperatorRequest, item_id: str) -> HttpResponse:
    """Take an item, so that others see who works on it."""
    person = request.user.get_username()
    item = inbox_service.claim(request.store, item_id, person, at=timezone.now())
    return _back_to(request, item)


@require_POST
@require(Right.DECIDE)
def release(request: OperatorRequest, item_id: str) -> HttpResponse:
    """Give an item back."""
    person = request.user.get_username()
    item = inbox_service.release(request.store, item_id, person, at=timezone.now())
    return _back_to(request, item)


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
    }
    if standing.assessed is not None and item.kind == "action" and not item.closed_at:
        context |= context_on(store, "settle", standing, standing.assessed, item.target)
    return context | {"section": "inbox"}


def _back_to(request: OperatorRequest, item: Item) -> HttpResponse:
    """Return to the page the button was on: the run's, or the inbox with this item."""
    if request.POST.get("back") == "run":
        return redirect("runs:run", item.run_id)
    response = redirect("runs:inbox")
    tab = "mine" if item.claimed_by else "unclaimed"
    response["Location"] += f"?tab={tab}&item={item.item_id}"
    return response
