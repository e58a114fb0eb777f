"""Forms of the lists of actions and families: what the address may say."""

from __future__ import annotations

from django import forms

from runs.forms.filters import FilterForm
from runs.pages.action_list import AGES, ActionFilters
from runs.pages.family import FamilyFilters

_STATUSES = (
    ("", "Any status"),
    ("open", "Not settled"),
    ("started", "Started"),
    ("unknown", "Outcome unknown"),
    ("requires_review", "Needs review"),
    ("completed", "Completed"),
    ("failed", "Failed"),
    ("compensated", "Compensated"),
)
_VIEWS = (("", "Tree"), ("table", "Table"))


class ActionFilterForm(FilterForm):
    """Which actions of all runs, and which page of them."""

    text = forms.CharField(max_length=200, required=False)
    type = forms.CharField(max_length=200, required=False)
    outside = forms.CharField(max_length=512, required=False)
    status = forms.ChoiceField(choices=_STATUSES, required=False)
    age = forms.ChoiceField(
        choices=[("", "Any age"), *((name, age.label) for name, age in AGES.items())],
        required=False,
    )
    after = forms.CharField(max_length=8000, required=False, strip=False)

    def filters(self) -> ActionFilters:
        """Return them as the page takes them."""
        return ActionFilters(**self.valid_values())


class FamilyFilterForm(FilterForm):
    """Which families, or which part of one, and how they are shown."""

    text = forms.CharField(max_length=200, required=False)
    waiting = forms.BooleanField(required=False)
    view = forms.ChoiceField(choices=_VIEWS, required=False)
    before = forms.CharField(max_length=600, required=False, strip=False)

    def filters(self) -> FamilyFilters:
        """Return them as the page takes them."""
        values = self.valid_values()
        return FamilyFilters(**values | {"waiting": bool(values["waiting"])})
