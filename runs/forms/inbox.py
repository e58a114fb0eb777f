"""How the inbox and the runs list are narrowed."""

from __future__ import annotations

from django import forms

from runs.forms.filters import FilterForm
from runs.pages.inbox import AGES, InboxFilters
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
