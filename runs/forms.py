"""Forms: what people type and choose, checked before a service sees it."""

from __future__ import annotations

from typing import Any

from django import forms

from continuum.services.acts import MAX_REASON
from runs.pages.inbox import AGES, InboxFilters
from runs.pages.live import Seen
from runs.pages.record import TABS, Wanted
from runs.pages.run_list import RunFilters

_VERDICTS = (
    ("", "Any verdict"),
    ("request_human", "Request human"),
    ("resume", "Resume"),
    ("repair_and_resume", "Repair and resume"),
    ("replan", "Replan"),
    ("wait", "Wait"),
    ("rollback", "Rollback"),
    ("abort", "Abort"),
)
_STATUSES = (
    ("", "Any status"),
    ("started", "Started"),
    ("running", "Running"),
    ("checkpointed", "Checkpointed"),
    ("suspended", "Suspended"),
    ("completed", "Completed"),
    ("crashed", "Crashed"),
    ("aborted", "Aborted"),
    ("failed", "Failed"),
)
_WINDOWS = (
    ("", "Not narrowed"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("30d", "30 days"),
    ("all", "Any time"),
)
_AGES = (("", "Any age"), *((value, f"At least {label}") for value, (label, _) in AGES.items()))
_KINDS = (("", "Everything"), ("action", "Actions to settle"), ("verdict", "Runs to decide on"))
_INBOX_TABS = ("unclaimed", "mine", "all", "decided")
_MOST_SEQUENCE = 2**63 - 1
_VERBS = ("confirm", "complete", "settle", "compensate")


class FilterForm(forms.Form):
    """A form of optional fields, read from the address; what is wrong in it is ignored."""

    def valid_values(self) -> dict[str, Any]:
        """Return every field, blank where the address held something else."""
        self.is_valid()
        return {name: self.cleaned_data.get(name) or "" for name in self.fields}


class InboxFilterForm(FilterForm):
    """Which of the inbox's lists, narrowed how."""

    tab = forms.ChoiceField(choices=[(name, name) for name in _INBOX_TABS], required=False)
    text = forms.CharField(max_length=200, required=False)
    kind = forms.ChoiceField(choices=_KINDS, required=False)
    verdict = forms.ChoiceField(choices=_VERDICTS, required=False)
    type = forms.CharField(max_length=200, required=False)
    agent = forms.CharField(max_length=200, required=False)
    family = forms.CharField(max_length=512, required=False, strip=False)
    age = forms.ChoiceField(choices=_AGES, required=False)
    after = forms.CharField(max_length=100, required=False, strip=False)

    def filters(self) -> InboxFilters:
        """Return them as the page takes them."""
        values = self.valid_values()
        return InboxFilters(**{**values, "tab": values["tab"] or "unclaimed"})


class RunFilterForm(FilterForm):
    """Which runs, and which page of them."""

    text = forms.CharField(max_length=200, required=False)
    verdict = forms.ChoiceField(choices=_VERDICTS, required=False)
    status = forms.ChoiceField(choices=_STATUSES, required=False)
    since = forms.ChoiceField(choices=_WINDOWS, required=False)
    before = forms.CharField(max_length=600, required=False, strip=False)
    after = forms.CharField(max_length=600, required=False, strip=False)

    def filters(self) -> RunFilters:
        """Return them as the page takes them."""
        return RunFilters(**self.valid_values())


class RunTabForm(FilterForm):
    """What the run page shows below its tabs."""

    tab = forms.ChoiceField(choices=[(name, name) for name in TABS], required=False)
    before = forms.IntegerField(min_value=1, max_value=_MOST_SEQUENCE, required=False)
    at = forms.IntegerField(min_value=1, max_value=_MOST_SEQUENCE - 1, required=False)
    type = forms.CharField(max_length=60, required=False)
    origin = forms.CharField(max_length=60, required=False)
    old = forms.RegexField(r"^\d{1,9}$", required=False)
    new = forms.RegexField(r"^\d{1,9}$", required=False)

    def wanted(self) -> Wanted:
        """Return it as the page takes it; `at` puts that event at the top."""
        values = self.valid_values()
        return Wanted(
            tab=values["tab"] or "events",
            before=values["at"] + 1 if values["at"] else values["before"] or None,
            kind=values["type"],
            origin=values["origin"],
            old=int(values["old"]) if values["old"] else None,
            new=int(values["new"]) if values["new"] else None,
        )


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
    seen_sequence = forms.IntegerField(min_value=0, max_value=_MOST_SEQUENCE)
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


class SinceForm(FilterForm):
    """What a page that polls has seen so far."""

    run = forms.CharField(max_length=512, strip=False, required=False)
    since = forms.IntegerField(min_value=0, max_value=_MOST_SEQUENCE, required=False)
    open = forms.IntegerField(min_value=0, max_value=_MOST_SEQUENCE, required=False)
    closed = forms.IntegerField(min_value=0, max_value=_MOST_SEQUENCE, required=False)
    mark = forms.CharField(max_length=200, required=False)
    verb = forms.ChoiceField(choices=[(name, name) for name in _VERBS], required=False)
    key = forms.CharField(max_length=512, strip=False, required=False)
    digest = forms.CharField(max_length=200, required=False)

    def seen(self) -> Seen:
        """Return it as the page takes it."""
        values = self.valid_values()
        opened = self.cleaned_data.get("open")
        return Seen(values["run"], values["since"] or 0, opened, values["closed"] or 0)

    def question(self) -> tuple[str, str | None, str]:
        """Return the verb, the action's key and the digest of the decision form that is open."""
        values = self.valid_values()
        return values["verb"], values["key"] or None, values["digest"]
