"""What pages that are read say in their address: tabs, pages, what a poll has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms

from runs.forms.filters import MOST_SEQUENCE, FilterForm
from runs.pages.live import Seen
from runs.pages.record import TABS, Wanted

if TYPE_CHECKING:
    from django.http import QueryDict

_VERBS = ("confirm", "complete", "settle", "compensate")


class RunTabForm(FilterForm):
    """What the run page shows below its tabs."""

    tab = forms.ChoiceField(choices=[(name, name) for name in TABS], required=False)
    before = forms.IntegerField(min_value=1, max_value=MOST_SEQUENCE, required=False)
    at = forms.IntegerField(min_value=1, max_value=MOST_SEQUENCE - 1, required=False)
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


def read_wanted(query: QueryDict) -> Wanted:
    """Return what the address of a run page asks for; most ask for nothing, and need no form."""
    return RunTabForm(query).wanted() if query else Wanted()


class SinceForm(FilterForm):
    """What a page that polls has seen so far."""

    run = forms.CharField(max_length=512, strip=False, required=False)
    since = forms.IntegerField(min_value=0, max_value=MOST_SEQUENCE, required=False)
    open = forms.IntegerField(min_value=0, max_value=MOST_SEQUENCE, required=False)
    closed = forms.IntegerField(min_value=0, max_value=MOST_SEQUENCE, required=False)
    unread = forms.IntegerField(min_value=1, max_value=1, required=False)
    mark = forms.CharField(max_length=200, required=False)
    verb = forms.ChoiceField(choices=[(name, name) for name in _VERBS], required=False)
    key = forms.CharField(max_length=512, strip=False, required=False)
    digest = forms.CharField(max_length=200, required=False)

    def seen(self) -> Seen:
        """Return it as the page takes it."""
        values = self.valid_values()
        opened = self.cleaned_data.get("open")
        return Seen(
            values["run"], values["since"] or 0, opened, values["closed"] or 0, values["unread"]
        )

    def question(self) -> tuple[str, str | None, str]:
        """Return the verb, the action's key and the digest of the decision form that is open."""
        values = self.valid_values()
        return values["verb"], values["key"] or None, values["digest"]
