"""The line above the inbox: what the newest verification found, written in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse

from runs.clocks import reader_clock
from runs.markup import fill
from runs.templatetags.console import shortened

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from continuum.store.auditport import VerificationRow

register = template.Library()

_NEVER = "<span>no chain was verified yet</span>"
_LINE = "<span>{found}, {age} ago</span>"
_WHOLE = "chain verified to event {number} of {run}"
_BROKEN = "<b>chain broken{place}</b> in {run}"
_ALL_WHOLE = "every chain verified: {runs}, {events}"
_SOME_BROKEN = "<b>{broken} of {runs} broken</b>"
_RUN = "<bdi>{run_id}</bdi>"
_LINKED_RUN = '<a href="{url}"><bdi>{run_id}</bdi></a>'


@register.simple_tag
def last_check(checked: VerificationRow | None, may_audit: bool) -> SafeString:
    """Say what the newest walk of a chain, or of every chain, found."""
    if checked is None:
        return fill(_NEVER)
    found = _of_store(checked) if checked.run_id is None else _of_run(checked, may_audit)
    return fill(_LINE, found=found, age=reader_clock().ago(checked.finished_at))


def _of_store(checked: VerificationRow) -> SafeString:
    if checked.outcome == "verified":
        events = _counted(checked.events, "event")
        return fill(_ALL_WHOLE, runs=_counted(checked.runs, "run"), events=events)
    chains = _counted(checked.runs, "chain")
    return fill(_SOME_BROKEN, broken=f"{checked.broken_runs:,}", runs=chains)


def _of_run(checked: VerificationRow, may_audit: bool) -> SafeString:
    run_id = checked.run_id or ""
    name = shortened(run_id, 40)
    run = fill(_RUN, run_id=name)
    if may_audit:
        run = fill(_LINKED_RUN, url=reverse("runs:chain", args=[run_id]), run_id=name)
    if checked.outcome == "verified":
        return fill(_WHOLE, number=f"{checked.head_sequence:,}", run=run)
    place = f" at event {checked.bad_sequence:,}" if checked.bad_sequence else ""
    return fill(_BROKEN, place=place, run=run)


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
