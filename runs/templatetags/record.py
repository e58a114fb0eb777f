"""What the tabs of the run page draw and list, written in one go; see `rows`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString

from continuum.domain.events import Origin
from runs import words
from runs.converters import Name
from runs.markup import NOTHING, fill, joined
from runs.templatetags.console import action_chip, event_url, icon, origin_chip, second, shortened
from runs.templatetags.trees import run_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from continuum.domain.actions import Slot
    from continuum.services.comparisons import Change
    from continuum.services.timelines import Bucket, Mark, Span, Timeline
    from continuum.store.logport import VersionStub

register = template.Library()

LANES = 8
_LANE = 9
_MARKS_HEIGHT = 18
_KINDS = ("system", "agent", "human")
_NAME = Name()

_BARS = (
    '<svg class="timeline-bars" aria-hidden="true" focusable="false" '
    'preserveAspectRatio="none">{bars}</svg>'
)
_BAR = '<rect data-origin="{kind}" x="{x}%" y="{y}%" width="{width}%" height="{height}%"></rect>'
_LINES = (
    '<svg class="timeline-lines" aria-hidden="true" focusable="false" height="{height}">'
    "{marks}{spans}</svg>"
)
_SPAN = (
    '<rect data-status="{status}" x="{x}%" y="{y}" width="{width}%" height="6" rx="2">'
    "<title>{title}</title></rect>"
)
_HUMAN = '<circle data-mark="human" cx="{x}%" cy="7" r="4.5"><title>{title}</title></circle>'
_CHECKPOINT = (
    '<svg x="{x}%" overflow="visible"><rect data-mark="checkpoint" x="-4" y="3" width="8" '
    'height="8" rx="1"><title>{title}</title></rect></svg>'
)
_BUCKET_ROW = """
<tr>
  <th scope="row" class="nowrap">{start}</th>
  <td data-label="To" class="nowrap">{end}</td>
  <td data-label="Events" class="nowrap"><a href="{url}">{first}–{last}</a></td>
  <td data-label="System" class="number">{system}</td>
  <td data-label="Agent" class="number">{agent}</td>
  <td data-label="Person" class="number">{human}</td>
</tr>"""
_SPAN_ROW = """
<tr>
  <th scope="row" class="breakable"><a href="{url}">{type}</a></th>
  <td>{status}</td>
  <td data-label="From" class="nowrap">{start}</td>
  <td data-label="To" class="nowrap">{end}</td>
</tr>"""
_MARK_ROW = """
<tr>
  <th scope="row" class="nowrap">{at}</th>
  <td>{what}</td>
  <td data-label="Event" class="nowrap">{event}</td>
</tr>"""
_SLOT_ROW = """
<tr>
  <td><a href="{url}"><strong>{type}</strong></a><br><span class="mono muted">{key}</span></td>
  <td>{status}</td>
  <td data-label="Begun" class="nowrap">{begun}</td>
  <td data-label="External id" class="mono breakable">{outside}</td>
  <td data-label="Events" class="nowrap">{events}</td>
</tr>"""
_CHANGE_ROW = """
<tr>
  <th scope="row" class="breakable">{component}{name}{field}</th>
  <td data-label="Change">{kind}</td>
  <td data-label="Before" class="breakable">{before}</td>
  <td data-label="After" class="breakable">{after}</td>
  <td data-label="Said by" class="nowrap">{said}</td>
</tr>"""
_OPTION = '<option value="{value}"{selected}>{text}</option>'
_SELECTED = SafeString(" selected")


@register.simple_tag
@lru_cache(maxsize=16)
def origin_options(chosen: str) -> SafeString:
    """Write the origins events may have as options of a choice."""
    return joined(
        fill(
            _OPTION,
            value=origin,
            selected=_SELECTED if origin == chosen else NOTHING,
            text=f"by {words.origin_word(origin).text}",
        )
        for origin in map(str, Origin)
    )


@register.simple_tag
def version_options(versions: Iterable[VersionStub], chosen: int | None) -> SafeString:
    """Write state versions as options of a choice."""
    return joined(
        fill(
            _OPTION,
            value=one.version,
            selected=_SELECTED if one.version == chosen else NOTHING,
            text=f"v{one.version} · {shortened(one.reason, 40)}"
            if one.reason
            else f"v{one.version}",
        )
        for one in versions
    )


@register.simple_tag
def slot_rows(slots: Iterable[Slot], run_id: str) -> SafeString:
    """Write the actions of a run as rows."""
    actions = f"{run_url(run_id)}actions/"
    return joined(_slot_row(slot, actions) for slot in slots)


@register.simple_tag
def change_rows(changes: Iterable[Change], run_id: str) -> SafeString:
    """Write what changed between two states as rows."""
    return joined(_change_row(change, run_id) for change in changes)


@register.simple_tag
def timeline_bars(line: Timeline) -> SafeString:
    """Draw how many events came when, stacked by origin."""
    width = 100 / len(line.buckets)
    bars = [
        bar
        for place, bucket in enumerate(line.buckets)
        for bar in _stack(bucket, place * width, width * 0.82, line.most)
    ]
    return fill(_BARS, bars=joined(bars))


@register.simple_tag
def timeline_lines(line: Timeline) -> SafeString:
    """Draw marks in a row, and claims as bars below it, side by side where they overlap."""
    lanes = _lanes(line.spans, line.end)
    height = _MARKS_HEIGHT + _LANE * (max(lanes, default=-1) + 1)
    spans = (_drawn_span(span, lane, line) for span, lane in zip(line.spans, lanes, strict=True))
    marks = (_drawn_mark(mark, line) for mark in line.marks)
    return fill(_LINES, height=height, marks=joined(marks), spans=joined(spans))


@register.simple_tag
def timeline_axis(line: Timeline) -> SafeString:
    """Write the first, the middle and the last moment."""
    middle = line.start + (line.end - line.start) / 2
    moments = (line.start, middle, line.end) if line.end > line.start else (line.start,)
    return joined(fill("<span>{at}</span>", at=second(moment)) for moment in moments)


@register.simple_tag
def bucket_rows(line: Timeline, run_id: str) -> SafeString:
    """Write the stretches that have events as rows."""
    first = run_url(run_id)
    return joined(_bucket_row(one, first) for one in line.buckets if one.total)


@register.simple_tag
def span_rows(spans: Iterable[Span], run_id: str) -> SafeString:
    """Write claims as rows."""
    actions = f"{run_url(run_id)}actions/"
    return joined(
        fill(
            _SPAN_ROW,
            url=f"{actions}{_NAME.to_url(one.key)}/",
            type=shortened(one.action_type, 80) or "(no type)",
            status=action_chip(one.status),
            start=second(one.start),
            end=second(one.end) if one.end else "still open",
        )
        for one in spans
    )


@register.simple_tag
def mark_rows(marks: Iterable[Mark], run_id: str) -> SafeString:
    """Write checkpoints and acts of people as rows."""
    return joined(
        fill(
            _MARK_ROW,
            at=second(one.at),
            what=_mark_text(one),
            event=_event_link(run_id, one.sequence) if one.sequence else "",
        )
        for one in marks
    )


def _stack(bucket: Bucket, x: float, width: float, most: int) -> Iterable[SafeString]:
    y = 100.0
    for kind in _KINDS:
        number: int = getattr(bucket, kind)
        if number:
            # What is there is seen, however little it is beside the rest.
            height = max(1.5, 100 * number / most)
            y -= height
            yield fill(
                _BAR,
                kind=kind,
                x=_percent(x),
                y=_percent(max(0.0, y)),
                width=_percent(width),
                height=_percent(height),
            )


def _lanes(spans: Sequence[Span], end: datetime) -> list[int]:
    """Return for each span the first lane that is free by then; the last one is shared."""
    free_from: list[datetime] = []
    lanes: list[int] = []
    for span in spans:
        lane = next((n for n, at in enumerate(free_from) if at < span.start), len(free_from))
        lane = min(lane, LANES - 1)
        if lane == len(free_from):
            free_from.append(span.end or end)
        free_from[lane] = max(free_from[lane], span.end or end)
        lanes.append(lane)
    return lanes


def _drawn_span(span: Span, lane: int, line: Timeline) -> SafeString:
    x = _part(span.start, line)
    width = _part(span.end or line.end, line) - x
    return fill(
        _SPAN,
        status="open" if span.end is None else span.status,
        x=_percent(min(x, 99.0)),
        y=_MARKS_HEIGHT + _LANE * lane,
        width=_percent(max(1.0, width)),
        title=f"{shortened(span.action_type, 60)}, {words.action_word(span.status).text}",
    )


def _drawn_mark(mark: Mark, line: Timeline) -> SafeString:
    # Half a mark would be cut off at either end.
    x = 0.6 + 0.988 * _part(mark.at, line)
    text = _CHECKPOINT if mark.kind == "checkpoint" else _HUMAN
    return fill(text, x=_percent(x), title=_mark_text(mark))


def _mark_text(mark: Mark) -> str:
    named = f"checkpoint {mark.text}" if mark.kind == "checkpoint" else f"{mark.text} by a person"
    return shortened(named, 80)


def _percent(number: float) -> str:
    return f"{number:.2f}"


def _part(at: datetime, line: Timeline) -> float:
    whole = (line.end - line.start).total_seconds()
    return 100 * (at - line.start).total_seconds() / whole if whole else 0.0


def _bucket_row(bucket: Bucket, first: str) -> SafeString:
    return fill(
        _BUCKET_ROW,
        start=second(bucket.start),
        end=second(bucket.end),
        url=f"{first}?tab=events&at={bucket.last}#e-{bucket.last}",
        first=f"{bucket.first:,}",
        last=f"{bucket.last:,}",
        system=f"{bucket.system:,}",
        agent=f"{bucket.agent:,}",
        human=f"{bucket.human:,}",
    )


def _slot_row(slot: Slot, actions: str) -> SafeString:
    action = slot.action
    last = f"–{slot.last_sequence:,}" if slot.last_sequence != slot.first_sequence else ""
    return fill(
        _SLOT_ROW,
        url=f"{actions}{_NAME.to_url(slot.key)}/",
        type=shortened(action.action_type, 80) or "(no type)",
        key=shortened(slot.key, 64),
        status=action_chip(action.status),
        begun=second(action.started_at or action.created_at),
        outside=shortened(action.external_id or "", 60),
        events=f"{slot.first_sequence:,}{last}",
    )


def _change_row(change: Change, run_id: str) -> SafeString:
    name = fill(' <span class="mono">{name}</span>', name=shortened(change.name, 60))
    field = f" · {change.field.replace('_', ' ')}" if change.field else ""
    return fill(
        _CHANGE_ROW,
        component=change.component.replace("_", " "),
        name=name if change.name else NOTHING,
        field=shortened(field, 60),
        kind=change.kind,
        before=_marked("del", change.before),
        after=_marked("ins", change.after),
        said=_said(change, run_id),
    )


def _marked(element: str, text: str) -> SafeString | str:
    if not text:
        return "–"
    return fill(f"<{element}>{{text}}</{element}>", text=shortened(text, 400))


def _said(change: Change, run_id: str) -> SafeString:
    if not change.origin:
        return SafeString('<span class="muted">not recorded</span>')
    chip = origin_chip(change.origin)
    if not change.sequence:
        return chip
    return fill("{chip} {event}", chip=chip, event=_event_link(run_id, change.sequence))


def _event_link(run_id: str, sequence: int) -> SafeString:
    return fill(
        '<a href="{url}">event {number}{arrow}</a>',
        url=event_url(run_id, sequence),
        number=f"{sequence:,}",
        arrow=icon("chevron-right"),
    )
