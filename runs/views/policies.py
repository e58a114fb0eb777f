"""Four-eyes rules: what takes two people, who said so and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from continuum.services import foureyes
from continuum.services.acts import Act
from runs.access import require
from runs.forms.policies import RuleForm
from runs.roles import Right
from runs.stepup import stands_for, stepped_up_until

if TYPE_CHECKING:
    from django.http import HttpResponse

    from continuum.store.policyport import PolicyRow
    from runs.http import OperatorRequest


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@require(Right.MANAGE_CALLERS)
def policies(request: OperatorRequest) -> HttpResponse:
    """Show the rules and their history; change one with a reason and one's password."""
    if request.method != "POST":
        return _page(request, RuleForm(initial=_suggested(request)))
    form = RuleForm(request.POST)
    if not form.is_valid() or not stands_for(request, form, timezone.now()):
        return _page(request, form, status=422)
    subject, values = form.chosen(), form.cleaned_data
    act = Act(request.user.get_username(), "console", timezone.now(), reason=values["reason"])
    change = foureyes.require_two if values["people"] == "two" else foureyes.clear
    row = change(request.store, subject, act)
    if row is None:
        messages.info(request, "That is so already. Nothing was changed.")
    else:
        words = subject.words
        count = "two different people" if row.two_people else "one person"
        messages.success(request, f"{words[0].upper()}{words[1:]} takes {count} from now on.")
    return redirect("runs:policies")


def _suggested(request: OperatorRequest) -> dict[str, str]:
    """Return what the form starts from: a new rule, or the one that is to go."""
    given = request.GET
    return {
        "people": "one" if given.get("people") == "one" else "two",
        "subject": given.get("subject", "action"),
        "action_type": given.get("action_type", ""),
    }


def _page(request: OperatorRequest, form: RuleForm, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "policies",
        "stand": form,
        "stepped_up_until": stepped_up_until(request, timezone.now()),
        "rules": [_listed(row) for row in foureyes.read_rules(request.store).rows],
        "changes": [_listed(row) for row in foureyes.list_changes(request.store)],
    }
    return render(request, "runs/policies.html", context, status=status)


def _listed(row: PolicyRow) -> dict[str, Any]:
    words = foureyes.Subject(row.subject, row.action_type).words
    return {"row": row, "words": f"{words[0].upper()}{words[1:]}"}
