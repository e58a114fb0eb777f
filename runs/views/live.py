"""What a page that is open asks now and then: has anything changed since?

Small answers only: nothing (204), or a banner and the counts. It never swaps
what a person may be reading or typing in, and writes nothing; the console's
background loop keeps the lists current (`runs.keeper`). A run is judged only
when it has moved on below a decision form that is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_safe

from continuum.core.errors import ContinuumError
from runs.access import require
from runs.deciding import Question, form_context
from runs.forms.reading import SinceForm
from runs.pages.live import news
from runs.pages.rowstates import claims_mark, row_states
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpRequest

    from continuum.store.base import ReadStore
    from runs.http import OperatorRequest


@require_safe
@require(Right.VIEW)
def live(request: OperatorRequest) -> HttpResponse:
    """Answer 204 when nothing is new, else the banner of the page that asks."""
    return answer(request, request.store, request.user.get_username())


def answer(request: HttpRequest, store: ReadStore, person: str) -> HttpResponse:
    """Answer a poll of somebody who may look."""
    form = SinceForm(request.GET)
    seen = form.seen()
    now = timezone.now()
    found = news(store, seen, person=person, now=now)
    if found.counts:
        found = found._replace(mark=f"{found.mark}|{claims_mark(found.counts)}")
    if found.mark == form.cleaned_data.get("mark"):
        return HttpResponse(status=204)
    overtaken = found.new_events > 0 and _is_overtaken(store, form, seen.run)
    context = {"news": found, "seen": seen, "is_overtaken": overtaken}
    text = render_to_string("runs/_live.html", context)
    if found.counts:
        rows = {"states": row_states(store, now), "person": person}
        text += render_to_string("runs/_live_rows.html", rows)
    return HttpResponse(text)


def _is_overtaken(store: ReadStore, form: SinceForm, run_id: str) -> bool:
    """True when the question of the form that is open on a run is no longer the one asked now.

    Events that change something else, such as an agent's progress below an action that is
    settled, leave the form as good as it was.
    """
    verb, key, digest = form.question()
    if not (verb and digest):
        return False
    try:
        asked = form_context(store, verb, Question(run_id, key), now=timezone.now())
    except ContinuumError:
        return True  # whatever it is, the form cannot be sent as it stands
    return bool(asked["hidden"]["seen_digest"] != digest)
