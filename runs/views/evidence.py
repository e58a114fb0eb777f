"""Evidence to take away: exports and bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from continuum.core.errors import InvalidInput
from runs import downloads, signing
from runs.access import require
from runs.forms.audit import ExportForm, SignForm
from runs.roles import Right
from runs.views.attest import attest_page, may_sign

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase

    from runs.http import OperatorRequest

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
    if not may_sign(request, form):
        return attest_page(request, run_id, form, status=422)
    signature = signing.signature(request.user.get_username(), now)
    return downloads.bundle(url, run_id, at=now, signature=signature)
