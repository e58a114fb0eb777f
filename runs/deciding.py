"""One way to decide, whichever the verb: show, check, write once, tell the truth.

A form is shown with a fresh request id and what the person sees; sent back, it
is written, or answered with what changed and everything the person typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone

from continuum.core.errors import (
    AlreadyDecided,
    Conflict,
    DecisionChanged,
    InvalidInput,
    Refused,
    StaleHead,
)
from continuum.core.ids import new_id
from continuum.services.acts import Act
from continuum.services.recovery import assess_at_once
from continuum.services.safeguards import digest_of
from runs.pages import actions, changes
from runs.pages.run import standing_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django import forms
    from django.http import HttpResponse

    from continuum.services.decisions import Decision
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore, Store
    from runs.http import OperatorRequest
    from runs.pages.run import Standing

VIA = "console"
_REVIEW, _EDIT = _STEPS = ("review", "edit")
_CHANGES = "changes"
_CHANGED = (DecisionChanged, AlreadyDecided, StaleHead)


class Question(NamedTuple):
    """A run, or one action of it."""

    run_id: str
    key: str | None = None


class Verb(NamedTuple):
    """One kind of decision.

    Attributes:
        perform: does it through the service; None when the person left it open.
        review: page on which what was chosen is read once more before it is written; without
            one it is written at once.
    """

    name: str
    form: type[forms.Form]
    template: str
    perform: Callable[[Store, Question, Act, dict[str, Any]], Decision | None]
    review: str = ""


def decide(request: OperatorRequest, verb: Verb, question: Question) -> HttpResponse:
    """Show the form on GET; on POST write the decision, or say why not."""
    if request.method != "POST":
        return _show(request, verb, question, verb.form(initial=request.GET.dict()), status=200)
    form = verb.form(request.POST)
    if request.POST.get("step") == _CHANGES:
        return _show_changes(request, verb, question, form)
    if not form.is_valid():
        return _show(request, verb, question, form, status=422)
    if verb.review and _is_step(request, form):
        return _show_step(request, verb, question, form)
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
        kept = "Your comment is kept with the item. " if act.reason else ""
        messages.info(request, f"Left open. {kept}No event was written; the item stays.")
        return redirect("runs:run", question.run_id)
    if decision.proposal is not None and not decision.events:
        messages.info(request, "Proposed. No event was written; somebody else has to confirm it.")
        return redirect("runs:proposal", question.run_id, decision.proposal.proposal_id)
    if not decision.events:
        messages.info(request, "The run was closed already. Nothing was written.")
        return redirect("runs:run", question.run_id)
    return redirect("runs:result", question.run_id, act.request_id)


def _show(
    request: OperatorRequest, verb: Verb, question: Question, form: forms.Form, *, status: int
) -> HttpResponse:
    context = form_context(request.store, verb.name, question, now=timezone.now())
    return render(request, verb.template, {**context, "form": form}, status=status)


def _is_step(request: OperatorRequest, form: forms.Form) -> bool:
    """True before the last step; leaving something open writes nothing, so it has one step."""
    return request.POST.get("step") in _STEPS and form.cleaned_data.get("outcome") != "open"


def _show_step(
    request: OperatorRequest, verb: Verb, question: Question, form: forms.Form
) -> HttpResponse:
    """Show what was chosen before it is written, or the form again with all of it."""
    if request.POST["step"] == _EDIT:
        return _show(request, verb, question, form, status=200)
    context = form_context(request.store, verb.name, question, now=timezone.now())
    # What was seen is what the form was made of, so a change since then is still noticed.
    context |= {"form": form, "chosen": form.cleaned_data, "hidden": _carried(form)}
    context["command"] = actions.chosen_command(context["action_screen"], form.cleaned_data)
    return render(request, verb.review, context)


def _show_changes(
    request: OperatorRequest, verb: Verb, question: Question, form: forms.Form
) -> HttpResponse:
    """Show what happened below an open form, and the form anew with everything typed."""
    form.is_valid()  # what is missing is no error yet: nothing was sent to be written
    now = timezone.now()
    seen = form.cleaned_data.get("seen_sequence") or 0
    context = form_context(request.store, verb.name, question, now=now)
    context |= {
        "form": verb.form(initial=request.POST.dict()),
        "conflict": f"the run went on after event {seen}, which is where you looked",
        "has_changed": True,
        "changes": changes.since(request.store, question.run_id, question.key, seen),
    }
    return render(request, verb.template, context)


def _carried(form: forms.Form) -> dict[str, Any]:
    return {name: "" if value is False else value for name, value in form.cleaned_data.items()}


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
        "has_changed": isinstance(exc, _CHANGED),
        "changes": changes.since(request.store, question.run_id, question.key, seen),
    }
    return render(request, verb.template, context, status=exc.http_status)


def form_context(
    store: ReadStore, verb: str, question: Question, *, now: datetime
) -> dict[str, Any]:
    """Return what a decision form shows and carries, read in one snapshot of the store.

    Raises:
        RunNotFound, ActionNotFound, NoEvents, Corrupted: there is nothing to decide on.
        NotReadYet: it is too long to be read while the page is waited for.
    """
    with store.reading():
        assessed = assess_at_once(store, question.run_id, at=now)
        standing = standing_of(store, store.run_row(question.run_id), assessed)
        return context_on(store, verb, standing, assessed, question.key)


def context_on(
    store: ReadStore, verb: str, standing: Standing, assessed: Assessed, key: str | None
) -> dict[str, Any]:
    """Return the same for a run that was judged already."""
    context: dict[str, Any] = {"verb": verb, "standing": standing, "section": "runs"}
    slot = None
    if key is not None:
        context["action_screen"] = screen = actions.build_on(store, standing, key)
        slot = screen.slot
    context["hidden"] = {
        "request_id": new_id("request"),
        "seen_sequence": assessed.facts.sequence,
        "seen_digest": digest_of(verb, assessed, slot),
    }
    return context
