"""The four decisions, and the page that tells what came of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from continuum.core.errors import NotFound
from continuum.services import decisions, desk
from continuum.services.actions import Settlement, find_slot
from runs.access import require
from runs.deciding import Question, Verb, decide
from runs.forms.acts import CompensateForm, CompleteForm, ConfirmForm, SettleForm
from runs.pages import events, inbox
from runs.pages.run import stand
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from continuum.services.acts import Act
    from continuum.services.decisions import Decision
    from continuum.store.base import Store
    from runs.http import OperatorRequest

_ALL_OPEN = inbox.InboxFilters(tab="all")
_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@require(Right.DECIDE)
def confirm(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Vouch for what an agent reported about itself."""
    return decide(request, _CONFIRM, Question(run_id))


@require_http_methods(_METHODS)
@require(Right.DECIDE)
def complete(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Close a run."""
    return decide(request, _COMPLETE, Question(run_id))


@require_http_methods(_METHODS)
@require(Right.DECIDE)
def settle(request: OperatorRequest, run_id: str, key: str) -> HttpResponse:
    """Say whether an action's effect happened."""
    return decide(request, _SETTLE, Question(run_id, key))


@require_http_methods(_METHODS)
@require(Right.DECIDE)
def compensate(request: OperatorRequest, run_id: str, key: str) -> HttpResponse:
    """Record that an action's effect was undone."""
    return decide(request, _COMPENSATE, Question(run_id, key))


@require_safe
@require(Right.VIEW)
def result(request: OperatorRequest, run_id: str, request_id: str) -> HttpResponse:
    """Tell which event a decision wrote, and how the run stands now."""
    row = request.store.decision(request_id)
    if row is None or row.run_id != run_id:
        raise NotFound(f"run {run_id!r} has no decision {request_id!r}")
    now = timezone.now()
    person = request.user.get_username()
    context = {
        "section": "runs",
        "decision": row,
        "event": events.line_of(events.one_event(request.store, run_id, row.sequence)),
        "standing": stand(request.store, run_id, now=now),
        "next_item": inbox.next_item(request.store, _ALL_OPEN, person=person, beside="", now=now),
    }
    return render(request, "runs/result.html", context)


def _confirm(store: Store, question: Question, act: Act, values: dict[str, Any]) -> Decision:
    return decisions.confirm(store, question.run_id, act, scope=values["scope"].split(","))


def _complete(store: Store, question: Question, act: Act, values: dict[str, Any]) -> Decision:
    return decisions.complete(
        store,
        question.run_id,
        act,
        summary=values["summary"],
        over_open_items=values["over_open_items"],
    )


def _settle(store: Store, question: Question, act: Act, values: dict[str, Any]) -> Decision | None:
    if values["outcome"] == "open":
        if act.reason:
            slot = find_slot(store, question.run_id, str(question.key))
            desk.comment_on_action(store, question.run_id, slot.key, act)
        return None
    found = Settlement(
        occurred=values["outcome"] == "occurred",
        external_id=values["external_id"] or None,
        correction=values["correction"],
    )
    return decisions.settle(store, question.run_id, str(question.key), act, found)


def _compensate(store: Store, question: Question, act: Act, values: dict[str, Any]) -> Decision:
    return decisions.compensate(store, question.run_id, str(question.key), act)


_CONFIRM = Verb("confirm", ConfirmForm, "runs/confirm.html", _confirm)
_COMPLETE = Verb("complete", CompleteForm, "runs/complete.html", _complete)
_SETTLE = Verb("settle", SettleForm, "runs/settle.html", _settle, "runs/settle_review.html")
_COMPENSATE = Verb("compensate", CompensateForm, "runs/compensate.html", _compensate)
