"""Evidence to take away: exports, bundles, attestations; and checking one that came back."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from continuum.core.errors import Corrupted, InvalidInput, Refused
from runs import downloads, signing
from runs.access import require
from runs.chainwords import ATTESTED, ATTESTED_MEANING, ATTESTED_RUNS
from runs.forms.audit import CheckForm, ExportForm, SignForm
from runs.roles import Right
from runs.stepup import stands_for, stepped_up_until

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

    from runs.http import OperatorRequest

_SECTION = {"section": "chain"}
_METHODS = ["GET", "HEAD", "POST"]
_MOST_TICKED = 50


@require_safe
@require(Right.AUDIT)
def export(request: OperatorRequest, run_id: str) -> HttpResponseBase:
    """Hand out the events of one run."""
    form = ExportForm(request.GET).chosen()
    return downloads.export(settings.CONTINUUM_DB, [run_id], form, at=timezone.now())


@require_safe
@require(Right.AUDIT)
def export_all(request: OperatorRequest) -> HttpResponseBase:
    """Hand out the events of every run."""
    form = ExportForm(request.GET).chosen()
    return downloads.export(settings.CONTINUUM_DB, None, form, at=timezone.now())


@require_POST
@require(Right.AUDIT)
def export_ticked(request: OperatorRequest) -> HttpResponseBase:
    """Hand out the events of the runs that were ticked in a list, and of no others."""
    run_ids = list(dict.fromkeys(request.POST.getlist("run")))
    if not 1 <= len(run_ids) <= _MOST_TICKED:
        raise InvalidInput(f"Tick at least one run and at most {_MOST_TICKED}.")
    form = ExportForm(request.POST).chosen()
    return downloads.export(settings.CONTINUUM_DB, run_ids, form, at=timezone.now())


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.AUDIT)
def bundle(request: OperatorRequest, run_id: str) -> HttpResponseBase:
    """Hand out the evidence of a run; sent with a password, it is signed as well."""
    url, now = settings.CONTINUUM_DB, timezone.now()
    if request.method != "POST":
        return downloads.bundle(url, run_id, at=now, signature=None)
    form = SignForm(request.POST)
    if not _may_sign(request, form):
        return _attest_page(request, run_id, form, status=422)
    signature = signing.signature(request.user.get_username(), now)
    return downloads.bundle(url, run_id, at=now, signature=signature)


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.AUDIT)
def attest(request: OperatorRequest, run_id: str) -> HttpResponseBase:
    """Verify a run and hand out a signed statement on it."""
    form = SignForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _attest_page(request, run_id, form)
    if not _may_sign(request, form):
        return _attest_page(request, run_id, form, status=422)
    who, now = request.user.get_username(), timezone.now()
    try:
        document = signing.sign_run(request.store, run_id, who, at=now)
    except (Corrupted, Refused) as exc:
        form.add_error(None, _sentence(exc))
        return _attest_page(request, run_id, form, status=409)
    return _document(document, f"{downloads.stem(run_id)}-attestation")


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@require(Right.AUDIT)
def attest_all(request: OperatorRequest) -> HttpResponseBase:
    """Verify every run and hand out one signed statement over all."""
    form = SignForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _attest_page(request, None, form)
    if not _may_sign(request, form):
        return _attest_page(request, None, form, status=422)
    who, now = request.user.get_username(), timezone.now()
    try:
        document = signing.sign_store(request.store, who, at=now)
    except (Corrupted, Refused) as exc:
        form.add_error(None, _sentence(exc))
        return _attest_page(request, None, form, status=409)
    return _document(document, f"all-runs-{now:%Y%m%d}-attestation")


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


def _may_sign(request: OperatorRequest, form: SignForm) -> bool:
    """Return whether there is a key and the person gave the password lately, or did so now."""
    if not form.is_valid():
        return False
    if not signing.has_key():
        form.add_error(None, "No signing key is configured, so nothing can be signed here.")
        return False
    return stands_for(request, form, timezone.now())


def _attest_page(
    request: OperatorRequest, run_id: str | None, form: SignForm, *, status: int = 200
) -> HttpResponse:
    if run_id is not None:
        request.store.run_row(run_id)
    context = {
        **_SECTION,
        "run_id": run_id,
        "form": form,
        "check": CheckForm(),
        "has_key": signing.has_key(),
        "signer": settings.SIGNER,
        "attest_command": shlex.join(["continuum", "attest", run_id or "--all", "--key", "FILE"]),
        "stepped_up_until": stepped_up_until(request, timezone.now()),
    }
    return render(request, "runs/attest.html", context, status=status)


def _check_page(
    request: OperatorRequest, run_id: str | None, form: CheckForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    if run_id is not None:
        request.store.run_row(run_id)
    context = {**_SECTION, "run_id": run_id, "check": form, **more}
    return render(request, "runs/attest_check.html", context, status=status)


def _document(document: dict[str, Any], name: str) -> HttpResponse:
    """Hand out a document as the command line writes it."""
    return downloads.document(json.dumps(document, indent=2, sort_keys=True), name)


def _sentence(exc: Exception) -> str:
    text = str(exc)
    return f"{text[:1].upper()}{text[1:]}."
