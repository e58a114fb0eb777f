"""Who did what: every human act and every change of a caller, from the chains themselves."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from django.conf import settings
from django.shortcuts import render
from django.views.decorators.http import require_safe

from continuum.services.acts_log import VERBS
from continuum.services.deeds import CALLER_VERBS, deeds_page
from runs import downloads
from runs.access import require
from runs.chainwords import deed_word
from runs.forms.audit import ActsForm, place_text
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.http.response import HttpResponseBase

    from continuum.services.deeds import DeedQuery
    from runs.http import OperatorRequest


@require_safe
@require(Right.AUDIT)
def acts(request: OperatorRequest) -> HttpResponse:
    """List what people did, newest first."""
    query = ActsForm(request.GET).query()
    page = deeds_page(request.store, query)
    context = {
        "section": "acts",
        "deeds": [(deed_word(one.verb), one) for one in page.deeds],
        "more": page.more,
        "before": place_text(page.before),
        "entry": str(page.entry),
        "query": query,
        "is_first": query.before is None and query.entry is None,
        "filters": _filters(request),
        "verbs": [(verb, deed_word(verb).text) for verb in (*VERBS, *CALLER_VERBS)],
        "command": _command(query),
    }
    return render(request, "runs/acts.html", context)


@require_safe
@require(Right.AUDIT)
def acts_export(request: OperatorRequest) -> HttpResponseBase:
    """Hand out the list as CSV, with the same filters."""
    query = ActsForm(request.GET).query()
    return downloads.deeds(settings.CONTINUUM_DB, query._replace(before=None, entry=None))


def _filters(request: OperatorRequest) -> str:
    """Return what narrows the list, for the address of the export."""
    query = request.GET.copy()
    for name in ("before", "entry"):
        query.pop(name, None)
    return query.urlencode()


def _command(query: DeedQuery) -> str:
    """Return the same question as a command; it answers for runs."""
    words = ["continuum", "acts"]
    for option, value in (
        ("--person", query.person),
        ("--verb", query.verb if query.verb in VERBS else ""),
        ("--run", query.run_id),
        ("--since", query.since.isoformat() if query.since else ""),
        ("--until", query.until.isoformat() if query.until else ""),
    ):
        if value:
            words += [option, value]
    return shlex.join(words)
