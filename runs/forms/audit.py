"""Forms of the audit pages: what to look for, what to hand out, what to check."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from django import forms

from continuum.core.errors import InvalidInput
from continuum.domain.events import EventType, Origin
from continuum.services.chainwalks import WalkQuery
from continuum.services.deeds import ALL_VERBS, CALLERS, RUNS, DeedQuery
from runs.forms.filters import FilterForm
from runs.pages.chain import ChainsWanted

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.acts_log import Place

MAX_DOCUMENT = 1536 * 1024
"""Of an uploaded document; a request may be 2 MiB."""

_MOST_SEQUENCE = 2**63 - 1
_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
_ORIGINS = [("", "Any origin"), *((str(one), str(one)) for one in Origin)]


class ChainListForm(FilterForm):
    """Which chains, and what to go to."""

    q = forms.CharField(max_length=512, required=False)
    run = forms.CharField(max_length=512, required=False, strip=False)
    before = forms.CharField(max_length=600, required=False, strip=False)
    after = forms.CharField(max_length=512, required=False, strip=False)
    show = forms.ChoiceField(choices=[("broken", "broken")], required=False)

    def wanted(self) -> ChainsWanted:
        """Return it as the page takes it."""
        values = self.valid_values()
        return ChainsWanted(values["before"], values["after"], values["show"])


class WalkForm(FilterForm):
    """Which rows of a chain."""

    q = forms.CharField(max_length=512, required=False)
    before = forms.IntegerField(min_value=1, max_value=_MOST_SEQUENCE, required=False)
    type = forms.ChoiceField(choices=[(one, one) for one in EventType], required=False)
    origin = forms.ChoiceField(choices=_ORIGINS, required=False)
    person = forms.CharField(max_length=200, required=False)
    caller = forms.CharField(max_length=200, required=False)
    since = forms.DateTimeField(input_formats=_TIMES, required=False)
    until = forms.DateTimeField(input_formats=_TIMES, required=False)

    def query(self) -> WalkQuery:
        """Return it as the service takes it."""
        values = self.valid_values()
        return WalkQuery(
            before=values["before"] or None,
            type=EventType(values["type"]) if values["type"] else None,
            origin=Origin(values["origin"]) if values["origin"] else None,
            person=values["person"],
            caller=values["caller"],
            since=_aware(values["since"]),
            until=_aware(values["until"]),
        )


class ActsForm(FilterForm):
    """Whose acts, of which kind, in which run, and when."""

    person = forms.CharField(max_length=200, required=False)
    verb = forms.ChoiceField(choices=[(verb, verb) for verb in ALL_VERBS], required=False)
    run = forms.CharField(max_length=512, required=False, strip=False)
    about = forms.ChoiceField(choices=[(RUNS, RUNS), (CALLERS, CALLERS)], required=False)
    since = forms.DateTimeField(input_formats=_TIMES, required=False)
    until = forms.DateTimeField(input_formats=_TIMES, required=False)
    before = forms.CharField(max_length=700, required=False, strip=False)
    entry = forms.IntegerField(min_value=1, max_value=_MOST_SEQUENCE, required=False)

    def query(self) -> DeedQuery:
        """Return it as the service takes it.

        Raises:
            InvalidInput: the place in the address is none.
        """
        values = self.valid_values()
        return DeedQuery(
            person=values["person"],
            verb=values["verb"],
            run_id=values["run"],
            about=values["about"],
            since=_aware(values["since"]),
            until=_aware(values["until"]),
            before=_place(values["before"]),
            entry=values["entry"] or None,
        )


class ExportForm(FilterForm):
    """In which form."""

    form = forms.ChoiceField(choices=[("jsonl", "jsonl"), ("csv", "csv")], required=False)

    def chosen(self) -> str:
        """Return it; lines that can be checked again unless something else is asked for."""
        return str(self.valid_values()["form"]) or "jsonl"


class SignForm(forms.Form):
    """Who stands for using the key."""

    password = forms.CharField(max_length=4096, strip=False, required=False)


class CheckForm(forms.Form):
    """A document to hold against the store, and the key that must have signed it."""

    document = forms.FileField(
        max_length=255,
        allow_empty_file=True,
        error_messages={
            "required": "Choose the file of an attestation.",
            "max_length": "The file’s name is too long.",
        },
    )
    public_key = forms.CharField(max_length=4096, required=False)

    def clean_document(self) -> bytes:
        """Return the bytes of the file, which may not be too large."""
        file = self.cleaned_data["document"]
        if file.size > MAX_DOCUMENT:
            raise forms.ValidationError(
                f"The file is larger than {MAX_DOCUMENT // 1024} KiB; check it with "
                "`continuum attest-verify`."
            )
        return bytes(file.read())


def place_text(place: Place) -> str:
    """Return a place in a list of acts, for the address."""
    at, run_id, sequence = place
    return f"{at}~{sequence}~{run_id}"


def _place(text: str) -> Place | None:
    if not text:
        return None
    at, _, rest = text.partition("~")
    sequence, separator, run_id = rest.partition("~")
    if not separator or not (sequence.isascii() and sequence.isdigit()) or len(sequence) > 18:
        raise InvalidInput("this page address is broken; start again from the first page")
    return at, run_id, int(sequence)


def _aware(value: datetime | str) -> datetime | None:
    """Return a time of a form, which was given in the reader's zone, as UTC."""
    return value.astimezone(UTC) if value else None  # type: ignore[union-attr]  # "" for none
