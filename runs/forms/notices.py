"""Choices about notices, and what admins say of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from runs.forms.callers import StandForm
from runs.forms.filters import FilterForm
from runs.notices.models import MAX_NAME, MAX_URL, State

_WISHES = ("appeared", "reminder", "settled", "grave_only")
_MOST_ID = 2**63 - 1


class WishForm(forms.Form):
    """What one person wants by mail."""

    address = forms.EmailField(
        max_length=254,
        required=False,
        error_messages={"invalid": "This is no address for mail."},
    )
    appeared = forms.BooleanField(required=False)
    reminder = forms.BooleanField(required=False)
    settled = forms.BooleanField(required=False)
    grave_only = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Mail needs an address."""
        values: dict[str, Any] = super().clean() or {}
        wanted = any(values.get(name) for name in _WISHES[:3])
        if wanted and not values.get("address") and "address" not in self.errors:
            self.add_error("address", "Say where the mails are to go.")
        return values


class WebhookForm(StandForm):
    """Where a program listens, what it is told, and who stands for that."""

    name = forms.CharField(max_length=MAX_NAME)
    url = forms.CharField(max_length=MAX_URL)
    allow_private = forms.BooleanField(required=False)
    appeared = forms.BooleanField(required=False)
    reminder = forms.BooleanField(required=False)
    settled = forms.BooleanField(required=False)
    grave_only = forms.BooleanField(required=False)

    def settings(self) -> dict[str, Any]:
        """Return the webhook's own fields."""
        names = ("name", "url", "allow_private", *_WISHES)
        return {name: self.cleaned_data[name] for name in names}


class HookActForm(StandForm):
    """One act on a webhook that changes no field of the form above."""

    act = forms.ChoiceField(
        choices=[(name, name) for name in ("rotate", "enable", "disable", "remove", "test")]
    )


class LogForm(FilterForm):
    """Which deliveries are listed."""

    state = forms.ChoiceField(choices=[("", "All"), *State.choices], required=False)
    before = forms.IntegerField(min_value=1, max_value=_MOST_ID, required=False)
