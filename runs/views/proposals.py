"""What a first person proposed: a second one confirms it, the first takes it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from continuum.core.errors import InvalidInput
from continuum.services.acts import Act
from continuum.services.decisions import second
from continuum.services.proposals import find_proposal
from continuum.services.proposals import withdraw as withdraw_proposal
from runs.access import require
from runs.deciding import Question, Verb, decide, form_context
from runs.forms.acts import ActForm
from runs.forms.policies import WithdrawForm
from runs.roles import Right

if TYPE_CHECKING:
    from django.http import HttpResponse

    from continuum.services.decisions import Decision
    from continuum.services.proposals import ProposalRow
    from continuum.store.base import Store
    from runs.http import OperatorRequest

_TEMPLATE = "runs/proposal.html"


@require_http_methods(["GET", "HEAD", "POST"])
@require(Right.DECIDE)
def proposal(request: OperatorRequest, run_id: str, proposal_id: str) -> HttpResponse:
    """Show a proposal and what it rests on; confirm it as a second person."""
    row = find_proposal(request.store, run_id, proposal_id)

    def perform(store: Store, question: Question, act: Act, values: dict[str, Any]) -> Decision:
        return second(store, question.run_id, proposal_id, act)

    return decide(request, Verb(row.verb, ActForm, _TEMPLATE, perform), _question(row))


@require_POST
@require(Right.DECIDE)
def withdraw(request: OperatorRequest, run_id: str, proposal_id: str) -> HttpResponse:
    """Take one's own proposal back, or decline somebody else's with a reason."""
    now = timezone.now()
    form = WithdrawForm(request.POST)
    row = find_proposal(request.store, run_id, proposal_id)
    if form.is_valid():
        act = Act(request.user.get_username(), "console", now, reason=form.cleaned_data["reason"])
        try:
            closed = withdraw_proposal(request.store, run_id, proposal_id, act)
        except InvalidInput as exc:
            form.add_error("reason", str(exc))
        else:
            messages.success(request, f"The proposal is {closed.status}; no event was written.")
            return redirect("runs:run", run_id)
    context = form_context(request.store, row.verb, _question(row), now=now)
    return render(request, _TEMPLATE, context | {"withdraw_form": form}, status=422)


def _question(row: ProposalRow) -> Question:
    return Question(row.run_id, row.key or None)
