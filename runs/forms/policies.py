"""Forms of four-eyes: a rule, and taking a proposal back."""

from __future__ import annotations

from typing import Any

from django import forms

from continuum.services.acts import MAX_REASON
from continuum.services.foureyes import MAX_TYPE, OVER_OPEN_ITEMS, Subject, actions_of
from runs.forms.callers import StandForm


class RuleForm(StandForm):
    """How many people a subject takes from now on."""

    people = forms.ChoiceField(
        choices=[("two", "two"), ("one", "one")],
        error_messages={"required": "Say how many people it takes."},
    )
    subject = forms.ChoiceField(
        choices=[("action", "action"), (OVER_OPEN_ITEMS.name, "completion")],
        error_messages={"required": "Choose what the rule is about."},
    )
    action_type = forms.CharField(max_length=MAX_TYPE, required=False)

    def clean(self) -> dict[str, Any]:
        """Require a type where the rule is about actions."""
        values: dict[str, Any] = self.cleaned_data
        if values.get("subject") == "action" and not values.get("action_type"):
            self.add_error("action_type", "Name a type of action, or * for every one.")
        return values

    def chosen(self) -> Subject:
        """Return what the rule is about."""
        values = self.cleaned_data
        if values["subject"] == OVER_OPEN_ITEMS.name:
            return OVER_OPEN_ITEMS
        return actions_of(values["action_type"])


class WithdrawForm(forms.Form):
    """Why a proposal is taken back or declined."""

    reason = forms.CharField(max_length=MAX_REASON, required=False)
