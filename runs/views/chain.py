"""The chain pages, and the jobs that verify. No page walks a chain; a job does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from continuum.core.errors import Conflict
from continuum.domain.events import EventType, Origin
from continuum.services.verifications import Order
from continuum.services.verifyjobs import stop_job
from runs import jobs
from runs.access import require
from runs.forms.audit import ChainListForm, WalkForm
from runs.http import wants_fragment
from runs.pages import chain as page
from runs.pages import walk as walk_of
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest
    from runs.pages.chain import ShownJob

_SECTION = {"section": "chain"}
_vary = vary_on_headers("HX-Request", "HX-Boosted", "HX-History-Restore-Request")


@_vary
@require_safe
@require(Right.AUDIT)
def chains(request: OperatorRequest) -> HttpResponse:
    """List chains, the broken ones first; an id or hash in the address leads to its page."""
    form = ChainListForm(request.GET)
    wanted = form.wanted()
    values = form.valid_values()
    if values["run"]:
        return redirect("runs:chain", values["run"])
    if values["q"]:
        found = page.find(request.store, values["q"])
        if found is not None:
            return _to_found(*found)
        wanted = wanted._replace(asked=values["q"])
    if wants_fragment(request):
        panel = page.store_panel(request.store, now=timezone.now())
        response = render(request, "runs/_chain_store.html", {"panel": panel})
        return _followed(response, panel.job)
    screen = page.build_list(request.store, wanted, now=timezone.now())
    return render(request, "runs/chains.html", {**_SECTION, "screen": screen})


@_vary
@require_safe
@require(Right.AUDIT)
def chain(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Show how one chain stands, the job that walks it, and where it breaks."""
    screen = page.build(request.store, run_id, now=timezone.now())
    context = {**_SECTION, "screen": screen}
    if wants_fragment(request):
        return _followed(render(request, "runs/_chain_state.html", context), screen.job)
    return render(request, "runs/chain.html", context)


@require_safe
@require(Right.AUDIT)
def walk(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Show a chain link by link."""
    form = WalkForm(request.GET)
    query = form.query()
    asked = form.valid_values()["q"]
    screen = walk_of.build(request.store, run_id, query, asked)
    context = {
        **_SECTION,
        "screen": screen,
        "form": form,
        "event_types": list(EventType),
        "origins": list(Origin),
    }
    return render(request, "runs/walk.html", context)


@require_POST
@require(Right.AUDIT)
def verify(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Start walking one chain in the background."""
    _start(request, run_id)
    return redirect("runs:chain", run_id)


@require_POST
@require(Right.AUDIT)
def verify_all(request: OperatorRequest) -> HttpResponse:
    """Start walking every chain in the background."""
    _start(request, None)
    return redirect("runs:chains")


@require_POST
@require(Right.AUDIT)
def stop(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Have the job of one chain give up."""
    _stop(request, run_id)
    return redirect("runs:chain", run_id)


@require_POST
@require(Right.AUDIT)
def stop_all(request: OperatorRequest) -> HttpResponse:
    """Have the job of the whole store give up."""
    _stop(request, None)
    return redirect("runs:chains")


def _followed(response: HttpResponse, job: ShownJob | None) -> HttpResponse:
    """Answer a page that follows a job; when that has ended, the whole page is out of date."""
    if job is None or not job.is_alive:
        response["HX-Refresh"] = "true"
    return response


def _start(request: OperatorRequest, run_id: str | None) -> None:
    order = Order(run_id, request.user.get_username(), "console")
    try:
        jobs.start(request.store, settings.CONTINUUM_DB, order, at=timezone.now())
    except Conflict as exc:
        messages.warning(request, f"{str(exc)[:1].upper()}{str(exc)[1:]}.")


def _stop(request: OperatorRequest, run_id: str | None) -> None:
    who = request.user.get_username()
    if not stop_job(request.store, run_id, by=who, at=timezone.now()):
        messages.info(request, "No verification goes on; it may have ended just now.")


def _to_found(run_id: str, sequence: int) -> HttpResponse:
    if not sequence:
        return redirect("runs:chain", run_id)
    return redirect_to_event(run_id, sequence)


def redirect_to_event(run_id: str, sequence: int) -> HttpResponse:
    """Lead to an event among its neighbours."""
    response = redirect("runs:walk", run_id)
    response["Location"] += f"?q={sequence}#e-{sequence}"
    return response
