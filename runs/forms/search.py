"""What is asked of the search page."""

from __future__ import annotations

from django import forms

from continuum.domain.searching import MAX_QUERY
from continuum.services.search import KINDS
from runs.forms.filters import FilterForm

_MOST_NUMBER = 2**63 - 1


class SearchForm(FilterForm):
    """The query, and which page of which kind; a query that is too long is cut, not refused."""

    q = forms.CharField(max_length=MAX_QUERY * 10, required=False)
    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS], required=False)
    before = forms.IntegerField(min_value=1, max_value=_MOST_NUMBER, required=False)
