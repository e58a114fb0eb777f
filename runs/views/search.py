"""Search: one box, results by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone
from django.views.decorators.http import require_safe

from continuum.domain.searching import MAX_QUERY
from continuum.services import search as service
from runs.access import require
from runs.forms.search import SearchForm
from runs.http import render_either
from runs.pages.inbox import refresh
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from runs.http import OperatorRequest

_EVENTS_PER_REQUEST = 100


@require_safe
@require(Right.VIEW)
def search(request: OperatorRequest) -> HttpResponse:
    """Find runs, actions, hashes, ids and what events say."""
    asked = SearchForm(request.GET).valid_values()
    store = request.store
    refresh(store, timezone.now())
    if not store.read_only:
        service.catch_up(store, events=_EVENTS_PER_REQUEST)
    query = asked["q"].strip()[:MAX_QUERY]
    context: dict[str, Any] = {"section": "search", "query": query}
    if asked["kind"]:
        before = asked["before"] or None
        group = service.search_page(store, query, asked["kind"], before=before)
        context |= {"group": group, "before": before}
    else:
        context["found"] = service.search(store, query)
    return render_either(
        request, page="runs/search.html", fragment="runs/_found.html", context=context
    )
