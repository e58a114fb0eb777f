"""Who works on what: claim, release, assign, comment; one item or those that were ticked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from continuum.core.errors import InvalidInput
from continuum.services import desk
from continuum.services.acts import Act
from continuum.services.inbox import get_item
from runs import people
from runs.access import require
from runs.deciding import VIA
from runs.forms.acts import AssignForm, CommentForm
from runs.forms.inbox import InboxFilterForm
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from continuum.services.desk import Handled
    from continuum.store.modelport import Item
    from runs.http import OperatorRequest


@require_POST
@require(Right.DECIDE)
def claim(request: OperatorRequest, item_id: str) -> HttpResponse:
    """Take an item, so that others see who works on it."""
    return _back_to(request, desk.claim(request.store, item_id, _act(request)))


@require_POST
@require(Right.DECIDE)
def release(request: OperatorRequest, item_id: str) -> HttpResponse:
    """Give an item back."""
    return _back_to(request, desk.release(request.store, item_id, _act(request)))


@require_POST
@require(Right.DECIDE)
def comment(request: OperatorRequest, item_id: str) -> HttpResponse:
    """Say something about an item; it stays as it is."""
    form = CommentForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(map(str, form.errors["text"])))
    item = desk.comment(request.store, item_id, _act(request, form.cleaned_data["text"]))
    messages.success(request, "Your comment is kept with the item.")
    return _back_to(request, item)


@require_POST
@require(Right.DECIDE)
def claim_ticked(request: OperatorRequest) -> HttpResponse:
    """Take the items that were ticked on the page, whatever else matches by now."""
    handled = desk.claim_all(request.store, request.POST.getlist("item"), _act(request))
    _tell(request, handled, "claimed")
    return _to_list(request)


@require_http_methods(["GET", "HEAD", "POST"])
@require(Right.DECIDE)
def assign(request: OperatorRequest) -> HttpResponse:
    """Choose who gets the named items, then give them."""
    sent = request.POST if request.method == "POST" else request.GET
    ids = list(dict.fromkeys(sent.getlist("item")))[: desk.MAX_AT_ONCE + 1]
    form = AssignForm(request.POST if "person" in request.POST else None)
    if not form.is_bound or not form.is_valid():
        return _ask_who(request, ids, form)
    person, text = form.cleaned_data["person"], form.cleaned_data["text"]
    if person not in people.operators():
        form.add_error("person", "Nobody of this name may decide.")
        return _ask_who(request, ids, form)
    handled = desk.assign_all(request.store, ids, person, _act(request, text))
    _tell(request, handled, f"assigned to {person}")
    return _to_list(request)


def _ask_who(request: OperatorRequest, ids: list[str], form: AssignForm) -> HttpResponse:
    if not ids and request.method == "POST":
        raise InvalidInput("tick at least one item")
    context = {
        "section": "inbox",
        "form": form,
        "items": [get_item(request.store, item_id) for item_id in ids[: desk.MAX_AT_ONCE]],
        "operators": people.operators(),
        "query": _list_query(request),
    }
    return render(request, "runs/assign.html", context, status=422 if form.is_bound else 200)


def _act(request: OperatorRequest, reason: str = "") -> Act:
    return Act(request.user.get_username(), VIA, timezone.now(), reason)


def _tell(request: OperatorRequest, handled: Handled, done: str) -> None:
    if handled.done:
        messages.success(request, f"{len(handled.done)} {done}.")
    for _, why in handled.refused[:5]:
        messages.warning(request, f"One is as it was: {why}.")
    if len(handled.refused) > 5:
        messages.warning(request, f"{len(handled.refused) - 5} more are as they were.")


def _back_to(request: OperatorRequest, item: Item) -> HttpResponse:
    """Return to the page the button was on: the run's, or the inbox with this item."""
    if request.POST.get("back") == "run":
        return redirect("runs:run", item.run_id)
    tab = "mine" if item.claimed_by == request.user.get_username() else "all"
    response = redirect("runs:inbox")
    response["Location"] += f"?{_list_query(request, tab=tab)}&item={item.item_id}"
    return response


def _to_list(request: OperatorRequest) -> HttpResponse:
    response = redirect("runs:inbox")
    response["Location"] += f"?{_list_query(request)}"
    return response


def _list_query(request: OperatorRequest, **changes: str) -> str:
    """Return the list's own address as the page sent it, read and written anew."""
    sent = request.POST.get("query") or request.GET.get("query") or ""
    return InboxFilterForm(QueryDict(sent)).filters().query(**changes)
