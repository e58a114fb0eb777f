"""Attestations: signing how far chains reach, as a job; and checking a document that came back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from continuum.core.errors import Conflict, InvalidInput, NotFound, Refused
from continuum.services.attestjobs import stop_attesting
from continuum.services.verifications import Order
from runs import downloads, jobs, signing
from runs.access import require
from runs.chainwords import ATTESTED, ATTESTED_MEANING, ATTESTED_RUNS
from runs.forms.audit import CheckForm, SignForm
from runs.http import render_either
from runs.pages import attest as page
from runs.roles import Right
from runs.stepup import stands_for, stepped_up_until

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest

_SECTION = {"section": "chain"}
_METHODS = ["GET", "HEAD", "POST"]


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.AUDIT)
def attest(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Show what was signed on a run; sent, verify and sign it in the background."""
    return _attest(request, run_id)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.AUDIT)
def attest_all(request: OperatorRequest) -> HttpResponse:
    """Show what was signed over all runs; sent, verify every one and sign."""
    return _attest(request, None)


@require_POST
@require(Right.AUDIT)
def stop(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Have the job that attests a run give up."""
    return _stop(request, run_id)


@require_POST
@require(Right.AUDIT)
def stop_all(request: OperatorRequest) -> HttpResponse:
    """Have the job that attests the whole store give up."""
    return _stop(request, None)


@require_safe
@require(Right.AUDIT)
def document(request: OperatorRequest, run_id: str, attestation_id: str) -> HttpResponse:
    """Hand out a document on a run, as it was signed."""
    return _document(request, run_id, attestation_id)


@require_safe
@require(Right.AUDIT)
def document_all(request: OperatorRequest, attestation_id: str) -> HttpResponse:
    """Hand out a document over all runs, as it was signed."""
    return _document(request, None, attestation_id)


@require_http_methods(_METHODS)
@require(Right.AUDIT)
def check(request: OperatorRequest, run_id: str) -> HttpResponse:
    """Hold an uploaded statement against a run."""
    return _check(request, run_id)


@require_http_methods(_METHODS)
@require(Right.AUDIT)
def check_all(request: OperatorRequest) -> HttpResponse:
    """Check an uploaded statement over all runs, and hold it against the store."""
    return _check(request, None)


def _check(request: OperatorRequest, run_id: str | None) -> HttpResponse:
    if request.method != "POST":
        return _check_page(request, run_id, CheckForm())
    form = CheckForm(request.POST, request.FILES)
    if not form.is_valid():
        return _check_page(request, run_id, form, status=422)
    key = form.cleaned_data["public_key"]
    try:
        document = signing.read_document(form.cleaned_data["document"])
    except InvalidInput as exc:
        form.add_error("document", str(exc))
        return _check_page(request, run_id, form, status=422)
    if run_id is None:
        checked = signing.hold_against_store(request.store, document, key)
        words = [(name, ATTESTED_RUNS[found]) for name, found in checked.runs]
        return _check_page(request, None, form, checked=checked, runs=words, key=key)
    try:
        found = signing.hold_against_run(request.store, run_id, document, key)
    except Refused as exc:
        form.add_error(None, _sentence(exc))
        return _check_page(request, run_id, form, status=409)
    return _check_page(
        request,
        run_id,
        form,
        found=found,
        word=ATTESTED[found.verdict],
        meaning=ATTESTED_MEANING[found.verdict],
        key=key,
    )


def may_sign(request: OperatorRequest, form: SignForm) -> bool:
    """Return whether there is a key and the person gave the password lately, or did so now."""
    if not form.is_valid():
        return False
    if not signing.has_key():
        form.add_error(None, "No signing key is configured, so nothing can be signed here.")
        return False
    return stands_for(request, form, timezone.now())


def attest_page(
    request: OperatorRequest, run_id: str | None, form: SignForm, *, status: int = 200
) -> HttpResponse:
    """Show the page on which a run, or the whole store, is attested."""
    context = {
        **_SECTION,
        "run_id": run_id,
        "screen": page.build(request.store, run_id, now=timezone.now()),
        "form": form,
        "check": CheckForm(),
        "has_key": signing.has_key(),
        "signer": settings.SIGNER,
        "stepped_up_until": stepped_up_until(request, timezone.now()),
    }
    return render_either(
        request,
        page="runs/attest.html",
        fragment="runs/_attest_state.html",
        context=context,
        status=status,
    )


def _attest(request: OperatorRequest, run_id: str | None) -> HttpResponse:
    form = SignForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return attest_page(request, run_id, form)
    if not may_sign(request, form):
        return attest_page(request, run_id, form, status=422)
    now, url = timezone.now(), settings.CONTINUUM_DB
    order = Order(run_id, request.user.get_username(), "console")
    signature = signing.signature(order.by, now)
    try:
        jobs.start_signing(request.store, url, order, signature, at=now)
    except Conflict as exc:
        messages.warning(request, _sentence(exc))
    except Refused as exc:
        form.add_error(None, _sentence(exc))
        return attest_page(request, run_id, form, status=409)
    return _to_page(run_id)


def _stop(request: OperatorRequest, run_id: str | None) -> HttpResponse:
    who = request.user.get_username()
    if not stop_attesting(request.store, run_id, by=who, at=timezone.now()):
        messages.info(request, "No attestation goes on; it may have ended just now.")
    return _to_page(run_id)


def _to_page(run_id: str | None) -> HttpResponse:
    return redirect("runs:attest-all") if run_id is None else redirect("runs:attest", run_id)


def _document(request: OperatorRequest, run_id: str | None, attestation_id: str) -> HttpResponse:
    text = request.store.attestation_document(run_id, attestation_id)
    if text is None:
        raise NotFound("this attestation is not kept any more; make another")
    name = "all-runs" if run_id is None else downloads.stem(run_id)
    return downloads.document(text, f"{name}-{attestation_id[-8:]}-attestation")


def _check_page(
    request: OperatorRequest, run_id: str | None, form: CheckForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    if run_id is not None:
        request.store.run_row(run_id)
    context = {**_SECTION, "run_id": run_id, "check": form, **more}
    return render(request, "runs/attest_check.html", context, status=status)


def _sentence(exc: Exception) -> str:
    text = str(exc)
    return f"{text[:1].upper()}{text[1:]}."
