"""What people decide, say and hand over."""

from __future__ import annotations

from typing import Any

from django import forms

from continuum.services.acts import MAX_REASON
from runs.forms.filters import MOST_SEQUENCE


class WordsField(forms.CharField):
    """What a person wrote; browsers send line ends as two characters and count them as one."""

    def to_python(self, value: Any) -> str | None:
        """Return the text with plain line ends."""
        return super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value)


class CommentForm(forms.Form):
    """Something to say about an item."""

    text = WordsField(max_length=MAX_REASON)


class AssignForm(forms.Form):
    """Who gets which items, and why."""

    person = forms.CharField(
        max_length=150, error_messages={"required": "Choose who gets them."}, required=True
    )
    text = WordsField(max_length=MAX_REASON, required=False)


class ActForm(forms.Form):
    """What every decision carries: once-only id, what was seen, and why.

    The three hidden fields are made by the server; a request without them was
    not made by one of our pages.
    """

    request_id = forms.RegexField(r"^request_[0-9a-f]{32}$")
    seen_sequence = forms.IntegerField(min_value=0, max_value=MOST_SEQUENCE)
    seen_digest = forms.RegexField(r"^[0-9a-f]{64}$")
    reason = WordsField(max_length=MAX_REASON, required=False)


class ConfirmForm(ActForm):
    """What a person vouches for."""

    scope = forms.ChoiceField(
        choices=[("goal,progress", "both"), ("goal", "goal"), ("progress", "progress")]
    )


class SettleForm(ActForm):
    """What is true in the outside world."""

    outcome = forms.ChoiceField(
        choices=[("occurred", "yes"), ("not_occurred", "no"), ("open", "unknown")],
        error_messages={
            "required": "Choose what is true in the outside world.",
            "invalid_choice": "Choose one of the three answers.",
        },
    )
    external_id = forms.CharField(max_length=512, required=False)
    correction = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require a reason where nothing happened, or where a record is overruled."""
        values: dict[str, Any] = self.cleaned_data
        needed = values.get("outcome") == "not_occurred" or values.get("correction")
        if needed and values.get("outcome") != "open" and not values.get("reason"):
            self.add_error("reason", "This answer needs a reason: say what you checked.")
        return values


class CompleteForm(ActForm):
    """How a run is closed."""

    summary = forms.CharField(max_length=MAX_REASON, required=False)
    over_open_items = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require a reason for closing over open items."""
        values: dict[str, Any] = self.cleaned_data
        if values.get("over_open_items") and not values.get("reason"):
            self.add_error("reason", "Completing over open items needs a reason.")
        return values


class CompensateForm(ActForm):
    """Why an effect counts as undone."""

    reason = WordsField(
        max_length=MAX_REASON,
        error_messages={"required": "Say how the effect was undone, and how you know."},
    )
