"""The callers' pages: look, change with a preview, put one's name to it, see it written.

A change goes form → preview → reason and password → written. Every step is a
POST of the whole form to the same address, so nothing is kept between them and
nothing happens before the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from continuum.core.errors import Conflict, InvalidInput
from continuum.services import callerchanges as changes
from continuum.services.acts import Act
from continuum.services.callerlists import find_caller, read_allowlist
from continuum.services.callerpreviews import preview_settings, preview_switch
from runs.access import require
from runs.forms.callers import (
    CallerForm,
    HistoryForm,
    NewCallerForm,
    RotateForm,
    StandForm,
    SwitchForm,
    initial_of,
    suggested,
)
from runs.pages import callers as page
from runs.roles import Right
from runs.stepup import stands_for, stepped_up_until

if TYPE_CHECKING:
    from datetime import datetime

    from django import forms
    from django.http import HttpResponse

    from continuum.services.callerchanges import CallerChange
    from continuum.services.callerlists import ListedCaller
    from runs.http import OperatorRequest

_METHODS = ["GET", "HEAD", "POST"]
_SECTION = {"section": "callers"}


@require_safe
@require(Right.MANAGE_CALLERS)
def callers(request: OperatorRequest) -> HttpResponse:
    """List who may write, and who was refused."""
    shown = read_allowlist(request.store, timezone.now())
    return render(request, "runs/callers.html", {**_SECTION, "allowlist": shown})


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def new_caller(request: OperatorRequest) -> HttpResponse:
    """Put a caller on the list; a refused one comes with its name filled in."""
    if request.method != "POST":
        initial = suggested(request.GET.get("name", ""), request.GET.get("tool", ""))
        return _form_page(request, NewCallerForm(initial=initial), None)
    return _change(request, NewCallerForm(request.POST), None)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def caller(request: OperatorRequest, caller: str) -> HttpResponse:
    """Show a caller, and change what is decided about it."""
    before = find_caller(request.store, caller, timezone.now())
    if request.method != "POST":
        return _form_page(request, CallerForm(initial=initial_of(before.caller)), before)
    return _change(request, CallerForm(request.POST), before)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def rotate_caller(request: OperatorRequest, caller: str) -> HttpResponse:
    """Make a new secret and show it, this once."""
    before = find_caller(request.store, caller, timezone.now())
    if request.method != "POST":
        return _act_page(request, "rotate", RotateForm(), before)
    form = RotateForm(request.POST)
    act = _act(request, form)
    if act is None:
        return _act_page(request, "rotate", form, before, status=422)
    try:
        done = changes.rotate_secret(
            request.store,
            caller,
            act,
            overlap=form.duration(),
            seen_version=form.cleaned_data["seen_version"],
        )
    except Conflict as exc:
        return _act_page(request, "rotate", form, before, status=409, conflict=str(exc))
    return _written(request, done)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def disable_caller(request: OperatorRequest, caller: str) -> HttpResponse:
    """Refuse a caller from its next call on."""
    return _switch(request, caller, "disable")


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def enable_caller(request: OperatorRequest, caller: str) -> HttpResponse:
    """Let a disabled caller in again."""
    return _switch(request, caller, "enable")


@require_safe
@require(Right.MANAGE_CALLERS)
def caller_history(request: OperatorRequest) -> HttpResponse:
    """Show what was changed, newest first; the whole history is verified now."""
    form = HistoryForm(request.GET)
    values: dict[str, Any] = form.cleaned_data if form.is_valid() else {}
    screen = page.history(
        request.store, caller=values.get("caller", ""), before=values.get("before")
    )
    context = {**_SECTION, "screen": screen, "at": timezone.now()}
    return render(request, "runs/callers_history.html", context)


@require_safe
@require(Right.MANAGE_CALLERS)
def caller_entry(request: OperatorRequest, sequence: int) -> HttpResponse:
    """Show one entry of the history: what was written, with its hash."""
    entry = page.entry(request.store, sequence)
    return render(request, "runs/callers_entry.html", {**_SECTION, "entry": entry})


def _change(
    request: OperatorRequest, form: CallerForm, before: ListedCaller | None
) -> HttpResponse:
    if not form.is_valid():
        return _form_page(request, form, before, status=422)
    step = request.POST.get("step")
    try:
        if step == "edit":
            return _form_page(request, form, before)
        if step != "write":
            return _preview_page(request, form, before, StandForm())
        stand = StandForm(request.POST)
        act = _act(request, stand)
        if act is None:
            return _preview_page(request, form, before, stand, status=422)
        return _written(request, _performed(request, form, before, act))
    except InvalidInput as exc:
        form.add_error(None, str(exc))
        return _form_page(request, form, before, status=exc.http_status)
    except Conflict as exc:
        return _form_page(request, form, before, status=409, conflict=str(exc))


def _performed(
    request: OperatorRequest, form: CallerForm, before: ListedCaller | None, act: Act
) -> CallerChange:
    values = form.cleaned_data
    if before is None:
        return changes.add_caller(
            request.store,
            values["name"],
            form.settings(),
            act,
            with_secret=not values["no_secret"],
        )
    return changes.edit_caller(
        request.store,
        before.caller.name,
        form.settings(),
        act,
        seen_version=values["seen_version"],
    )


def _switch(request: OperatorRequest, name: str, verb: str) -> HttpResponse:
    before = find_caller(request.store, name, timezone.now())
    if request.method != "POST":
        return _act_page(request, verb, SwitchForm(), before)
    form = SwitchForm(request.POST)
    act = _act(request, form)
    if act is None:
        return _act_page(request, verb, form, before, status=422)
    perform = changes.disable_caller if verb == "disable" else changes.enable_caller
    try:
        done = perform(request.store, name, act, seen_version=form.cleaned_data["seen_version"])
    except InvalidInput as exc:
        form.add_error(None, str(exc))
        return _act_page(request, verb, form, before, status=exc.http_status)
    except Conflict as exc:
        return _act_page(request, verb, form, before, status=409, conflict=str(exc))
    return _written(request, done)


def _act(request: OperatorRequest, form: forms.Form) -> Act | None:
    """Return who stands for a change and why; None where the form says what is missing."""
    now = timezone.now()
    if not form.is_valid():
        return None
    if not stands_for(request, form, now):
        return None
    return Act(request.user.get_username(), "console", now, reason=form.cleaned_data["reason"])


def _form_page(
    request: OperatorRequest,
    form: CallerForm,
    before: ListedCaller | None,
    *,
    status: int = 200,
    conflict: str = "",
) -> HttpResponse:
    context: dict[str, Any] = {
        **_SECTION,
        "form": form,
        "listed": before,
        "conflict": conflict,
    }
    if conflict and before is not None:
        seen = form.cleaned_data["seen_version"]
        context["changes"] = page.changed_since(request.store, before.caller.name, seen)
    return render(request, "runs/callers_form.html", context, status=status)


def _preview_page(
    request: OperatorRequest,
    form: CallerForm,
    before: ListedCaller | None,
    stand: StandForm,
    *,
    status: int = 200,
) -> HttpResponse:
    """Show what the change would do; it is checked, and against the version that was shown."""
    values = form.cleaned_data
    if before is None:
        changes.ensure_new(request.store, values["name"])
    else:
        changes.ensure_seen(before.caller, values["seen_version"])
    preview = preview_settings(
        request.store,
        before.caller if before else None,
        form.settings(),
        with_secret=not values.get("no_secret"),
    )
    context = {
        **_SECTION,
        **_stand_context(request),
        "form": form,
        "stand": stand,
        "listed": before,
        "name": before.caller.name if before else values["name"],
        "diff": page.preview_shown(preview),
        "warnings": preview.warnings,
    }
    return render(request, "runs/callers_preview.html", context, status=status)


def _act_page(
    request: OperatorRequest,
    verb: str,
    form: SwitchForm,
    before: ListedCaller,
    *,
    status: int = 200,
    conflict: str = "",
) -> HttpResponse:
    context: dict[str, Any] = {
        **_SECTION,
        **_stand_context(request),
        "verb": verb,
        "stand": form,
        "listed": before,
        "conflict": conflict,
    }
    if verb != "rotate":
        preview = preview_switch(request.store, before.caller)
        context["warnings"] = preview.warnings
        context["is_done"] = before.caller.enabled == (verb == "enable")
    if conflict and "seen_version" in form.cleaned_data:
        seen = form.cleaned_data["seen_version"]
        context["changes"] = page.changed_since(request.store, before.caller.name, seen)
    return render(request, f"runs/callers_{verb}.html", context, status=status)


def _stand_context(request: OperatorRequest) -> dict[str, datetime | None]:
    return {"stepped_up_until": stepped_up_until(request, timezone.now())}


def _written(request: OperatorRequest, done: CallerChange) -> HttpResponse:
    """Tell what was written: on a page of its own address, unless a secret is shown."""
    if done.secret is None:
        return redirect("runs:caller-entry", done.entry.sequence)
    entry = page.entry(request.store, done.entry.sequence)
    context = {**_SECTION, "entry": entry, "secret": done.secret}
    return render(request, "runs/callers_entry.html", context)
