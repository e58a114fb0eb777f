"""How the desk does: a page for people, text for Prometheus; both from the same figures."""

from __future__ import annotations

from secrets import compare_digest
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from continuum.services.queuehealth import read_health
from continuum.wire.metrics import CONTENT_TYPE, queue_metrics
from runs.access import require
from runs.pages import queue as page
from runs.pages.inbox import refresh
from runs.roles import Right, holds

if TYPE_CHECKING:
    from runs.http import OperatorRequest

_SCHEME = "Bearer "


@require_safe
@require(Right.AUDIT)
def queue(request: OperatorRequest) -> HttpResponse:
    """Show what is open, how long things take, and how often people overrule the engine."""
    now = timezone.now()
    refresh(request.store, now)
    screen = page.build(read_health(request.store, now))
    return render(request, "runs/queue.html", {"section": "queue", "screen": screen})


@require_safe
@login_not_required
def metrics(request: OperatorRequest) -> HttpResponse:
    """Answer the figures as text to whoever has the token, or the right to see the page."""
    if not (_has_token(request) or holds(request.user, Right.AUDIT)):
        return _refused()
    now = timezone.now()
    refresh(request.store, now)
    text = queue_metrics(read_health(request.store, now))
    return HttpResponse(text, content_type=CONTENT_TYPE)


def _has_token(request: OperatorRequest) -> bool:
    given = request.headers.get("Authorization", "")
    token = str(settings.METRICS_TOKEN)
    if not token or not given.startswith(_SCHEME):
        return False
    return compare_digest(given.removeprefix(_SCHEME).encode(), token.encode())


def _refused() -> HttpResponse:
    if not settings.METRICS_TOKEN:
        raise Http404("There are no metrics here: CONTINUUM_METRICS_TOKEN is not set.")
    refused = HttpResponse("unauthorized\n", status=401, content_type="text/plain; charset=utf-8")
    refused.headers["WWW-Authenticate"] = 'Bearer realm="metrics"'
    return refused
