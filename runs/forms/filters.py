"""What every form of optional fields in an address has in common."""

from __future__ import annotations

from typing import Any

from django import forms

MOST_SEQUENCE = 2**63 - 1


class FilterForm(forms.Form):
    """A form of optional fields, read from the address; what is wrong in it is ignored."""

    def valid_values(self) -> dict[str, Any]:
        """Return every field, blank where the address held something else."""
        self.is_valid()
        return {name: self.cleaned_data.get(name) or "" for name in self.fields}
