"""Forms of what people set for themselves."""

from __future__ import annotations

from django import forms

from runs.forms.filters import FilterForm
from runs.personal import MAX_QUERY, MAX_VIEW_NAME, PAGES, THEMES, zone_names


class PreferencesForm(forms.Form):
    """How pages look to one person."""

    theme = forms.ChoiceField(choices=THEMES)
    zone = forms.CharField(max_length=64, required=False)
    single_keys = forms.BooleanField(required=False)

    def clean_zone(self) -> str:
        """Take only zones that are known."""
        zone: str = self.cleaned_data["zone"]
        if zone and zone not in zone_names():
            raise forms.ValidationError("Choose a zone of the list, such as Europe/Berlin.")
        return "" if zone == "UTC" else zone


class WhichListForm(FilterForm):
    """Which page's views, and the list one came from."""

    page = forms.ChoiceField(choices=[*PAGES.items()], required=False)
    list = forms.CharField(max_length=2 * MAX_QUERY, required=False)


class SavedViewForm(forms.Form):
    """What a list is called."""

    name = forms.CharField(
        max_length=MAX_VIEW_NAME, error_messages={"required": "Give the view a name."}
    )
    shared = forms.BooleanField(required=False)
