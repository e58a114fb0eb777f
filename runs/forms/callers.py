"""Forms of the callers' pages: what is decided about a caller, and who stands for it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms

from continuum.core.clock import column_time, parse_time
from continuum.domain.allowlist import TOOLS, CallerKind, Right
from continuum.domain.callerrows import ALL, MAX_CALLER_NAME, Tools
from continuum.domain.callersettings import MAX_NOTE, MAX_PATTERN, Settings
from continuum.services.acts import MAX_REASON
from runs.pages.callers import MOST_SEQUENCE

if TYPE_CHECKING:
    from continuum.domain.callerrows import Caller

_KINDS = (
    (str(CallerKind.AGENT), "Agent"),
    (str(CallerKind.SERVICE), "Service"),
    (str(CallerKind.PERSON), "A person’s own tool"),
)
_OVERLAPS = (("0", "At once"), ("1", "1 hour"), ("24", "24 hours"), ("168", "7 days"))
_INPUT_TIME = "%Y-%m-%dT%H:%M"
_FORMATS = [_INPUT_TIME, "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"]
_MOST_VERSION = 2**31 - 1


def _tool_field(right: Right) -> forms.MultipleChoiceField:
    names = [tool for tool, needs in TOOLS.items() if needs is right]
    choices = [(name, name) for name in names]
    if right is not Right.CONFIRM:
        choices.insert(0, (ALL, f"Every tool that may {right}, later ones too"))
    return forms.MultipleChoiceField(choices=choices, required=False)


class CallerForm(forms.Form):
    """Everything about a caller that is on the list; `seen_version` is what was shown."""

    seen_version = forms.IntegerField(min_value=1, max_value=_MOST_VERSION)
    kind = forms.ChoiceField(choices=_KINDS)
    read = _tool_field(Right.READ)
    write = _tool_field(Right.WRITE)
    confirm = _tool_field(Right.CONFIRM)
    run_pattern = forms.CharField(max_length=MAX_PATTERN, required=False)
    expires_at = forms.DateTimeField(
        input_formats=_FORMATS,
        required=False,
        error_messages={"invalid": "Write the time as 2027-01-31T18:00, in UTC."},
    )
    confirm_override = forms.CharField(max_length=MAX_NOTE, required=False)
    note = forms.CharField(max_length=MAX_NOTE, required=False)

    def settings(self) -> Settings:
        """Return what the form says."""
        values = self.cleaned_data
        lists = [tuple(values[right]) for right in Tools._fields]
        return Settings(
            kind=values["kind"],
            tools=Tools(*((ALL,) if ALL in names else names for names in lists)),
            run_pattern=values["run_pattern"],
            expires_at=column_time(values["expires_at"]) if values["expires_at"] else None,
            confirm_override=_plain_lines(values["confirm_override"]),
            note=_plain_lines(values["note"]),
        )

    def carried(self) -> list[tuple[str, str]]:
        """Return every value as hidden fields say it, to be sent again."""
        return [
            (name, value)
            for name in self.fields
            for value in self.data.getlist(name)  # type: ignore[attr-defined]  # a QueryDict
        ]


class NewCallerForm(CallerForm):
    """A caller that is to be put on the list."""

    name = forms.CharField(
        max_length=MAX_CALLER_NAME,
        strip=False,
        error_messages={"required": "Give the name the program sends in its handshake."},
    )
    no_secret = forms.BooleanField(required=False)
    field_order = ("name", "kind")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["seen_version"]


class StandForm(forms.Form):
    """Who stands for a change, and why."""

    reason = forms.CharField(
        max_length=MAX_REASON,
        error_messages={"required": "Say why; the reason goes into the history."},
    )
    password = forms.CharField(max_length=4096, strip=False, required=False)


class SwitchForm(StandForm):
    """Disabling or enabling the version that was shown."""

    seen_version = forms.IntegerField(min_value=1, max_value=_MOST_VERSION)


class RotateForm(SwitchForm):
    """A new secret, and how long the old one lives on."""

    overlap = forms.ChoiceField(choices=_OVERLAPS)

    def duration(self) -> timedelta:
        """Return how long the old secret still counts."""
        return timedelta(hours=int(self.cleaned_data["overlap"]))


class HistoryForm(forms.Form):
    """Which part of the history is looked at."""

    caller = forms.CharField(max_length=MAX_CALLER_NAME, strip=False, required=False)
    before = forms.IntegerField(min_value=1, max_value=MOST_SEQUENCE, required=False)


def initial_of(caller: Caller) -> dict[str, Any]:
    """Return a caller as its form first shows it."""
    expires = parse_time(caller.expires_at) if caller.expires_at else None
    return {
        "seen_version": caller.version,
        "kind": caller.kind,
        **caller.tools._asdict(),
        "run_pattern": caller.run_pattern,
        "expires_at": expires.strftime(_INPUT_TIME) if expires else "",
        "confirm_override": caller.confirm_override,
        "note": caller.note,
    }


def suggested(name: str, tool: str) -> dict[str, Any]:
    """Return what the form of a new caller starts from: a name, and the tool it asked for."""
    right = TOOLS.get(tool)
    initial: dict[str, Any] = {"name": name, "kind": str(CallerKind.AGENT), "read": [ALL]}
    return initial if right in (None, Right.READ) else {**initial, str(right): [tool]}


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
