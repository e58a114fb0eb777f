"""Which part of the history of access is looked at."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from django import forms

from runs.forms.filters import FilterForm
from runs.trust.history import Wanted
from runs.trust.models import MAX_NAME, AccessKind

if TYPE_CHECKING:
    from datetime import date

_MOST_ID = 2**63 - 1


class HistoryForm(FilterForm):
    """Filters in the address; what is wrong in them is ignored."""

    person = forms.CharField(max_length=MAX_NAME, required=False)
    kind = forms.ChoiceField(choices=[("", "Everything"), *AccessKind.choices], required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    before = forms.IntegerField(min_value=1, max_value=_MOST_ID, required=False)

    def wanted(self) -> Wanted:
        """Return them as the history takes them; days are those of UTC, the last one included."""
        values = self.valid_values()
        until: date | str = values["until"]
        return Wanted(
            person=values["person"],
            kind=values["kind"],
            since=_midnight(values["since"]),
            until=None if isinstance(until, str) else _midnight(until + timedelta(days=1)),
            before=values["before"] or None,
        )


def _midnight(day: date | str) -> datetime | None:
    return None if isinstance(day, str) else datetime.combine(day, time(), UTC)
