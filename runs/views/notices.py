"""Notices: one's own choices, the log of what was sent, and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from continuum.core.errors import Conflict, InvalidInput, NotFound
from continuum.core.ids import new_id
from runs.access import require
from runs.forms.notices import HookActForm, LogForm, WebhookForm, WishForm
from runs.notices import hooks, sending, watching
from runs.notices.models import Delivery, MailWish, State, Webhook
from runs.pages import notices as page
from runs.roles import Right
from runs.stepup import stands_for, stepped_up_until

if TYPE_CHECKING:
    from django import forms
    from django.http import HttpResponse

    from runs.http import OperatorRequest
    from runs.notices.hooks import Changed

_METHODS = ["GET", "HEAD", "POST"]
_OWN_SHOWN = 20
_WISHES = ("address", "appeared", "reminder", "settled", "grave_only")


@require_http_methods(_METHODS)
@require(Right.VIEW)
def notifications(request: OperatorRequest) -> HttpResponse:
    """Show and keep what whoever asks is told by mail."""
    wish = MailWish.objects.filter(user=request.user).first()
    if request.method == "POST":
        form = WishForm(request.POST)
        if form.is_valid():
            MailWish.objects.update_or_create(user=request.user, defaults=form.cleaned_data)
            messages.success(request, "Kept.")
            return redirect("runs:notifications")
    else:
        initial = {name: getattr(wish, name) for name in _WISHES} if wish else {}
        form = WishForm(initial=initial or {"address": request.user.email})
    context = {
        "section": "preferences",
        "form": form,
        "lines": page.own_deliveries(request.user, _OWN_SHOWN),
        "hours": [int(age.total_seconds() // 3600) for age in settings.REMIND_AFTER],
        "has_mail": not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend"),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "runs/notifications.html", context, status=status)


@require_safe
@require(Right.MANAGE_CALLERS)
def notice_log(request: OperatorRequest) -> HttpResponse:
    """List everything that was sent, or is to be."""
    values = LogForm(request.GET).valid_values()
    lines, older = page.log_page(values["state"], values["before"] or None)
    context = {
        "section": "webhooks",
        "lines": lines,
        "older": older,
        "states": State.choices,
        "state": values["state"],
    }
    return render(request, "runs/notice_log.html", context)


@require_POST
@require(Right.MANAGE_CALLERS)
def retry_delivery(request: OperatorRequest, delivery: int) -> HttpResponse:
    """Send again what was given up."""
    found = Delivery.objects.filter(pk=delivery).first()
    if found is None:
        raise NotFound("there is no such delivery; it may be older than is kept")
    if sending.retry(found, timezone.now()):
        messages.success(request, "It is sent again within seconds.")
    else:
        messages.info(request, "It was not given up; nothing was changed.")
    return redirect("runs:notice-log")


@require_safe
@require(Right.MANAGE_CALLERS)
def webhooks(request: OperatorRequest) -> HttpResponse:
    """List the programs that are told."""
    context = {"section": "webhooks", "webhooks": Webhook.objects.order_by("name")}
    return render(request, "runs/webhooks.html", context)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def new_webhook(request: OperatorRequest) -> HttpResponse:
    """Add a program that is told; its secret is shown on the answer, this once."""
    if request.method != "POST":
        return _form_page(request, WebhookForm(initial={"appeared": True, "settled": True}), None)
    form = WebhookForm(request.POST)
    if not _stands(request, form):
        return _form_page(request, form, None, status=422)
    try:
        done = hooks.add(
            form.settings(),
            reason=form.cleaned_data["reason"],
            by=request.user.get_username(),
            now=timezone.now(),
        )
    except (InvalidInput, Conflict) as exc:
        form.add_error(_field_of(exc), str(exc))
        return _form_page(request, form, None, status=exc.http_status)
    return _written(request, done)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.MANAGE_CALLERS)
def webhook(request: OperatorRequest, webhook: int) -> HttpResponse:
    """Show a webhook and change it."""
    found = hooks.find(webhook)
    if request.method != "POST":
        return _form_page(request, WebhookForm(initial=vars(found)), found)
    form = WebhookForm(request.POST)
    if not _stands(request, form):
        return _form_page(request, form, found, status=422)
    try:
        done = hooks.change(found, form.settings(), reason=form.cleaned_data["reason"])
    except (InvalidInput, Conflict) as exc:
        form.add_error(_field_of(exc), str(exc))
        return _form_page(request, form, found, status=exc.http_status)
    messages.success(request, f"{done.webhook.name} is changed.")
    return redirect("runs:webhook", found.pk)


@sensitive_post_parameters("password")
@require_POST
@require(Right.MANAGE_CALLERS)
def act_on_webhook(request: OperatorRequest, webhook: int) -> HttpResponse:
    """Make a new secret, switch a webhook off or on, remove it, or send it a test."""
    found = hooks.find(webhook)
    form = HookActForm(request.POST)
    if not _stands(request, form):
        return _form_page(request, WebhookForm(initial=vars(found)), found, act=form, status=422)
    act, reason, now = form.cleaned_data["act"], form.cleaned_data["reason"], timezone.now()
    if act == "rotate":
        return _written(request, hooks.rotate(found, reason=reason, now=now))
    if act == "remove":
        hooks.remove(found, reason=reason)
        messages.success(request, f"{found.name} is removed.")
        return redirect("runs:webhooks")
    if act == "test":
        watching.tell_test(found, now, new_id("test"))
        messages.info(request, "A test is on its way; the log shows what came of it.")
        return redirect("runs:notice-log")
    hooks.switch(found, enabled=act == "enable", reason=reason)
    messages.success(request, f"{found.name} is {act}d.")
    return redirect("runs:webhook", found.pk)


def _stands(request: OperatorRequest, form: forms.Form) -> bool:
    """Return whether the form is complete and whoever sends it gave their password lately."""
    return form.is_valid() and stands_for(request, form, timezone.now())


def _field_of(exc: InvalidInput | Conflict) -> str:
    return exc.field if isinstance(exc, InvalidInput) and exc.field else "name"


def _form_page(
    request: OperatorRequest,
    form: WebhookForm,
    found: Webhook | None,
    *,
    act: HookActForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "webhooks",
        "stand": form,
        "act": act,
        "webhook": found,
        "stepped_up_until": stepped_up_until(request, timezone.now()),
    }
    return render(request, "runs/webhook.html", context, status=status)


def _written(request: OperatorRequest, done: Changed) -> HttpResponse:
    context = {"section": "webhooks", "webhook": done.webhook, "secret": done.secret}
    return render(request, "runs/webhook_secret.html", context)
