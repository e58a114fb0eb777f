"""Who is signed in where, and what happened to people's access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from runs.access import require
from runs.forms.people import HistoryForm
from runs.pages import people as page
from runs.roles import Right, holds
from runs.trust import history, sessions
from runs.trust.models import AccessKind

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django.http.response import HttpResponseBase

    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def own_sessions(request: OperatorRequest) -> HttpResponse:
    """List the browsers in which whoever asks is signed in."""
    context = {
        "section": "preferences",
        "sessions": page.session_lines(request.session.session_key, of=request.user),
        "everybody": False,
    }
    return render(request, "runs/sessions.html", context)


@require_safe
@require(Right.MANAGE_PEOPLE)
def all_sessions(request: OperatorRequest) -> HttpResponse:
    """List every browser in which somebody is signed in."""
    lines = page.session_lines(request.session.session_key)
    context = {
        "section": "people",
        "sessions": lines,
        "everybody": True,
        "is_cut": len(lines) == sessions.MOST_LISTED,
    }
    return render(request, "runs/sessions.html", context)


@require_POST
@require(Right.VIEW)
def end_session(request: OperatorRequest, session: int) -> HttpResponse:
    """Sign a browser out: one's own, or with the right to manage people anybody's."""
    everybody = holds(request.user, Right.MANAGE_PEOPLE)
    ended = sessions.end_one(session, of=None if everybody else request.user)
    if ended is None:
        raise Http404
    name = ended.user.get_username()
    history.record(AccessKind.SESSION_ENDED, name, detail=page.browser_of(ended.agent))
    if ended.session_key == request.session.session_key:
        return redirect("login")
    messages.success(request, f"That browser of {name} is signed out.")
    back = request.POST.get("back") == "people" and everybody
    return redirect("runs:all-sessions" if back else "runs:sessions")


@require_POST
@require(Right.VIEW)
def end_other_sessions(request: OperatorRequest) -> HttpResponse:
    """Sign out every browser of whoever asks but the one that asks."""
    ended = sessions.end_all(request.user, but=request.session.session_key)
    if ended:
        name = request.user.get_username()
        history.record(AccessKind.SESSION_ENDED, name, detail=f"all others: {ended}")
    messages.success(request, "You are signed in here and nowhere else.")
    return redirect("runs:sessions")


@require_safe
@require(Right.RECORDS)
def people_history(request: OperatorRequest) -> HttpResponse:
    """Show sign-ins, failures and changes of access, newest first."""
    form = HistoryForm(request.GET)
    wanted = form.wanted()
    entries, older = history.read_page(wanted)
    context = {
        "section": "people",
        "form": form,
        "wanted": wanted,
        "entries": entries,
        "lines": [page.entry_line(entry) for entry in entries],
        "older": older,
        "kinds": AccessKind.choices,
        "is_filtered": bool(wanted.person or wanted.kind or wanted.since or wanted.until),
    }
    return render(request, "runs/people_history.html", context)


@require_safe
@require(Right.RECORDS)
def people_history_export(request: OperatorRequest) -> HttpResponseBase:
    """Hand the same entries out as CSV, in which no cell acts as a formula."""
    lines = page.csv_lines(HistoryForm(request.GET).wanted()._replace(before=None))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    name = f"access-{timezone.now():%Y%m%dT%H%M%SZ}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
