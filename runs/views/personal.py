"""One's own preferences, saved views, and the list of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from runs import personal
from runs.access import require
from runs.forms.personal import PreferencesForm, SavedViewForm, WhichListForm
from runs.http import render_either
from runs.keymap import KEYS
from runs.roles import Right, taste_of

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest

_LISTS = {"inbox": "runs:inbox", "runs": "runs:run-list"}


@require_http_methods(["GET", "HEAD", "POST"])
@require(Right.VIEW)
def preferences(request: OperatorRequest) -> HttpResponse:
    """Show and keep how pages look to whoever asks."""
    form = PreferencesForm(request.POST or None, initial=taste_of(request.user)._asdict())
    if request.method == "POST" and form.is_valid():
        personal.save_preferences(request.user, **form.cleaned_data)
        messages.success(request, "Kept.")
        return redirect("runs:preferences")
    context = {"section": "preferences", "form": form, "zones": personal.zone_names()}
    status = 422 if request.method == "POST" else 200
    return render(request, "runs/preferences.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@require(Right.VIEW)
def views(request: OperatorRequest) -> HttpResponse:
    """List the saved views of a page; keep the list one came from as another."""
    which = WhichListForm(request.GET if request.method != "POST" else request.POST).valid_values()
    page = which["page"] or "inbox"
    form = SavedViewForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        view = personal.save_view(request.user, page, query=which["list"], **form.cleaned_data)
        messages.success(request, f"Saved as “{view.name}”.")
        return redirect(f"{reverse(_LISTS[page])}?{view.query}")
    context = {
        "section": page,
        "page": page,
        "page_name": personal.PAGES[page],
        "list_url": reverse(_LISTS[page]),
        "query": personal.kept_query(which["list"]),
        "views": personal.views_for(request.user, page),
        "form": form,
    }
    return render_either(
        request,
        page="runs/views.html",
        fragment="runs/_views.html",
        context=context,
        status=422 if form.is_bound else 200,
    )


@require_POST
@require(Right.VIEW)
def delete_view(request: OperatorRequest, number: int) -> HttpResponse:
    """Forget a saved view."""
    view = personal.delete_view(request.user, number)
    messages.success(request, f"“{view.name}” is gone.")
    return redirect(f"{reverse('runs:views')}?page={view.page}")


@require_safe
@require(Right.VIEW)
def keys(request: OperatorRequest) -> HttpResponse:
    """List the keys; the page also fills the dialog that `?` opens."""
    context = {"section": "keys", "keys": KEYS}
    return render_either(
        request, page="runs/keys.html", fragment="runs/_keys.html", context=context
    )
