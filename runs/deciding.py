"""One way to decide, whichever the verb: show, check, write once, tell the truth.

A form is shown with a fresh request id and what the person sees; sent back, it
is written, or answered with what changed and everything the person typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone

from continuum.core.errors import Conflict, InvalidInput, Refused
from continuum.core.ids import new_id
from continuum.services.acts import Act
from continuum.services.offers import prepare
from runs.pages import actions, changes
from runs.pages.run import stand

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django import forms
    from django.http import HttpResponse

    from continuum.services.decisions import Decision
    from continuum.services.offers import Prepared
    from continuum.store.base import Store
    from runs.http import OperatorRequest

VIA = "console"


class Question(NamedTuple):
    """A run, or one action of it."""

    run_id: str
    key: str | None = None


class Verb(NamedTuple):
    """One kind of decision.

    Attributes:
        perform: does it through the service; None when the person left it open.
    """

    name: str
    form: type[forms.Form]
    template: str
    perform: Callable[[Store, Question, Act, dict[str, Any]], Decision | None]


def decide(request: OperatorRequest, verb: Verb, question: Question) -> HttpResponse:
    """Show the form on GET; on POST write the decision, or say why not."""
    if request.method != "POST":
        return _show(request, verb, question, verb.form(initial=request.GET.dict()), status=200)
    form = verb.form(request.POST)
    if not form.is_valid():
        return _show(request, verb, question, form, status=422)
    act = _act(request, form.cleaned_data)
    try:
        decision = verb.perform(request.store, question, act, form.cleaned_data)
    except InvalidInput as exc:
        form.add_error(None, str(exc))
        return _show(request, verb, question, form, status=exc.http_status)
    except (Conflict, Refused) as exc:
        return _show_conflict(request, verb, question, form, exc)
    return _answer(request, question, act, decision)


def _act(request: OperatorRequest, values: dict[str, Any]) -> Act:
    return Act(
        by=request.user.get_username(),
        via=VIA,
        at=timezone.now(),
        reason=values.get("reason", ""),
        request_id=values["request_id"],
        seen_sequence=values["seen_sequence"],
        seen_digest=values["seen_digest"],
    )


def _answer(
    request: OperatorRequest, question: Question, act: Act, decision: Decision | None
) -> HttpResponse:
    if decision is None:
        messages.info(request, "Left open. Nothing was written; the item stays in the inbox.")
        return redirect("runs:run", question.run_id)
    if not decision.events:
        messages.info(request, "The run was closed already. Nothing was written.")
        return redirect("runs:run", question.run_id)
    return redirect("runs:result", question.run_id, act.request_id)


def _show(
    request: OperatorRequest, verb: Verb, question: Question, form: forms.Form, *, status: int
) -> HttpResponse:
    context = form_context(request.store, verb.name, question, now=timezone.now())
    return render(request, verb.template, {**context, "form": form}, status=status)


def _show_conflict(
    request: OperatorRequest,
    verb: Verb,
    question: Question,
    form: forms.Form,
    exc: Conflict | Refused,
) -> HttpResponse:
    now = timezone.now()
    seen = form.cleaned_data["seen_sequence"]
    context = form_context(request.store, verb.name, question, now=now)
    context |= {
        "form": form,
        "conflict": str(exc),
        "changes": changes.since(request.store, question.run_id, question.key, seen),
    }
    return render(request, verb.template, context, status=exc.http_status)


def form_context(store: Store, verb: str, question: Question, *, now: datetime) -> dict[str, Any]:
    """Return what a decision form shows and carries."""
    with store.reading():
        prepared = prepare(store, question.run_id, verb, question.key, at=now)
        context: dict[str, Any] = {
            "verb": verb,
            "standing": stand(store, question.run_id, now=now),
            "hidden": hidden_fields(prepared),
            "section": "runs",
        }
        if question.key is not None:
            context["action_screen"] = actions.build(store, question.run_id, question.key, now=now)
    return context


def hidden_fields(prepared: Prepared) -> dict[str, Any]:
    """Return the fields that make a decision once-only and answerable."""
    return {
        "request_id": new_id("request"),
        "seen_sequence": prepared.seen_sequence,
        "seen_digest": prepared.seen_digest,
    }
