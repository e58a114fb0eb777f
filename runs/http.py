"""What every view shares: the request's type, and pages that are also fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_htmx.middleware import HtmxDetails

    from continuum.store.base import Store
    from continuum.store.modelport import ItemCounts

_VARY = ("HX-Request", "HX-Boosted", "HX-History-Restore-Request")


class OperatorRequest(HttpRequest):
    """A request after our middleware: a signed-in user, htmx facts, a store."""

    user: User
    htmx: HtmxDetails
    store: Store
    item_counts: ItemCounts
    """What the inbox page counted, so that its frame need not."""


def wants_fragment(request: HttpRequest) -> bool:
    """True when htmx will swap the answer into the page it already has."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    if not htmx:
        return False
    return not htmx.boosted and not htmx.history_restore_request


def render_either(
    request: HttpRequest,
    *,
    page: str,
    fragment: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """Render `fragment` for an htmx swap, the whole `page` for anyone else."""
    template = fragment if wants_fragment(request) else page
    response = render(request, template, context, status=status)
    patch_vary_headers(response, _VARY)
    return response
