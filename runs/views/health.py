"""For whatever watches the process: alive, ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from continuum.core.errors import ContinuumError

if TYPE_CHECKING:
    from django.http import HttpRequest

    from runs.http import OperatorRequest

_TEXT = "text/plain; charset=utf-8"


@require_safe
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer as long as the process does; touches nothing."""
    return HttpResponse("ok\n", content_type=_TEXT)


@require_safe
@login_not_required
def readyz(request: OperatorRequest) -> HttpResponse:
    """Answer 200 when store and people's database can be read, else 503 and which cannot."""
    trouble = [*_store_trouble(request), *_people_trouble()]
    if trouble:
        return HttpResponse("\n".join(trouble) + "\n", status=503, content_type=_TEXT)
    return HttpResponse("ready\n", content_type=_TEXT)


@require_safe
@login_not_required
def favicon(request: HttpRequest) -> HttpResponse:
    """Point browsers that ask at the root to the icon."""
    return redirect(static("icon.svg"), permanent=False)


def _store_trouble(request: OperatorRequest) -> list[str]:
    try:
        request.store.active_run()
    except ContinuumError as exc:
        # The code alone: whoever asks is not signed in.
        return [f"store: {exc.code}"]
    return []


def _people_trouble() -> list[str]:
    try:
        User.objects.exists()
    except DatabaseError:
        return ["people: unavailable"]
    return []
