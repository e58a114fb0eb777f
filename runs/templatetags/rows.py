"""The rows of long lists, written in one go each.

A page may hold fifty rows of a dozen values, and the template engine takes
several microseconds to look up each. So rows are `markup.fill` texts, which
escape whatever fills them; everything around the rows stays in templates.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from django import template
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.safestring import SafeString

from continuum.domain.events import EventType
from runs.clocks import reader_clock
from runs.converters import Name
from runs.markup import NOTHING, fill, joined
from runs.templatetags.console import (
    asked_chip,
    cut_underscores,
    events_url,
    icon,
    origin_chip,
    origin_kind,
    short_hash,
    shortened,
    state_chip,
    ticked,
    verdict_chip,
    via_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from continuum.recovery.validation import Entry
    from continuum.store.modelport import Item, Summary
    from runs.clocks import Clock
    from runs.pages.events import EventLine, Link

register = template.Library()

MOST_EVIDENCE = 100
MOST_OBSERVATIONS = 50
_NAME = Name()

_EVENT = """
<li id="e-{number}" class="event"{mark}>
  <a class="event-number" href="{url}">{grouped}</a>
  {time}
  <b>{type}{word}</b>
  <details>
    <summary><code>{summary}</code></summary>
    <pre class="payload" tabindex="0" aria-label="Payload of event {number}">{preview}</pre>
    <p class="small muted">{size}{archived} · hash <span class="mono">{hash}</span> · \
<a href="{url}">{alone}</a></p>
  </details>
  {origin}
</li>"""

_RUN = """
<tr>
  <td class="run-verdict">{tick}{verdict}</td>
  <td class="run-goal breakable"><a href="{url}"><strong>{goal}</strong></a><br>\
<span class="mono muted">{run_id}</span></td>
  <td data-label="Status" data-room="middle">{status}</td>
  <td data-label="Last event" class="nowrap">{last_event}</td>
  <td data-label="Started" class="nowrap" data-room="widest">{started}</td>
  <td data-label="Progress" class="number nowrap" data-room="middle">{progress}</td>
  <td data-label="Open actions" class="number">{open_actions}</td>
  <td data-label="Children" class="number">{children}</td>
  <td data-label="Agent" data-room="widest" class="run-agent"><span>{caller}</span></td>
</tr>"""

_ITEM = """
<article id="item-{item_id}" class="item"{selected}>
  <div class="item-head">
    {tick}<a class="item-title" href="{url}" hx-get="{url}"{current}>{title}</a>
    {waited}
  </div>
  <p><bdi>{run_id}</bdi> — <bdi>{goal}</bdi></p>
  <div class="row">{chips}</div>
</article>"""

_TICK = """<input class="item-tick" type="checkbox" name="item" value="{item_id}" form="bulk" \
aria-label="Tick {title}">"""

_TICK_RUN = """<input class="item-tick" type="checkbox" name="run" value="{run_id}" form="bulk" \
aria-label="Tick {title}"> """

_LINK = """<li><a href="{url}" data-origin="{origin}"{state} title="{number} {type}, {source}">\
<span class="sr-only">Event {number}, {type}</span></a></li>"""

_EVIDENCE = """
<tr>
  <th scope="row">{component}{component_id}</th>
  <td>{status}</td>
  <td class="muted">{detail}</td>
</tr>"""

_OBSERVATION = """
<li class="small"><span class="chip">{status}</span> <span class="mono">{path}</span> \
<span class="muted">event {sequence}, {tool}</span></li>"""

_OPTION = '<option value="{value}"{selected}>{value}</option>'
_CHOICE = '<option value="{value}"{selected}>{label}</option>'
_CHOSEN = SafeString(" selected")
_CHIP = '<span class="chip" data-tone="{tone}">{icon}<span>{text}</span></span>'
_AGENT_CHIP = '<span class="chip" data-origin="agent">{icon}<span>{text}</span></span>'
_HELD_CHIP = '<span class="chip" data-held>{icon}<span>{text}</span></span>'
_STATE = '<template data-item="{item_id}"{left}>{chip}</template>'
_LEFT = SafeString(" data-left")
_ARCHIVED = SafeString(' data-archived=""')
_ARCHIVED_TOO = SafeString(" · archived")
_ARCHIVED_WORD = SafeString(' <small class="muted">archived</small>')
_ALONE = SafeString("this event alone")
_WHOLE = SafeString("whole payload")
_SELECTED = SafeString(" data-selected")
_BROKEN = SafeString(' data-state="broken"')
_CURRENT = SafeString(' aria-current="true"')


class _Desk(NamedTuple):
    """What the rows of the inbox have in common; see `item_rows`."""

    here: str
    selected: str
    person: str
    can_tick: bool
    clock: Clock


@register.simple_tag
def event_rows(lines: Iterable[EventLine], run_id: str) -> SafeString:
    """Write the rows of an event list."""
    clock = reader_clock()
    first = events_url(run_id)
    return joined([_event_row(line, first, clock) for line in lines])


@register.simple_tag
def run_rows(rows: Iterable[Summary], can_tick: bool) -> SafeString:
    """Write the rows of the runs list, with ticks where several can be taken away at once."""
    first = reverse("runs:run-list")
    clock = reader_clock()
    return joined(_run_row(row, first, clock, can_tick) for row in rows)


@register.simple_tag
def item_rows(
    items: Iterable[Item], query: str, selected: str, person: str, can_tick: bool
) -> SafeString:
    """Write the rows of the inbox.

    Args:
        query: of the list's address, to which each row adds its item.
        selected: id of the open item, or empty.
        can_tick: rows can be ticked, to handle several at once.
    """
    here = f"{reverse('runs:inbox')}?{query}&item="
    desk = _Desk(here, selected, person, can_tick, reader_clock())
    return joined(_item_row(item, desk) for item in items)


@register.simple_tag
def row_states(held: Iterable[Item], left: Iterable[Item], person: str) -> SafeString:
    """Write what became of rows of the inbox, for a page that shows some of them."""
    clock = reader_clock()
    holders = (
        fill(_STATE, item_id=item.item_id, left=NOTHING, chip=_held_chip(item, person))
        for item in held
    )
    gone = (
        fill(_STATE, item_id=item.item_id, left=_LEFT, chip=_left_chip(item, clock))
        for item in left
    )
    return joined((*holders, *gone))


@register.simple_tag
def chain_links(links: Iterable[Link], run_id: str, broken_at: int | None) -> SafeString:
    """Write the newest links of a chain; those from `broken_at` on are not to be trusted."""
    first = events_url(run_id)
    return joined([_link(link, first, broken_at) for link in links])


@register.simple_tag
def evidence_rows(entries: Iterable[Entry]) -> SafeString:
    """Write what was checked of a run, and how it stands."""
    return joined(_evidence_row(entry) for entry in islice(entries, MOST_EVIDENCE))


@register.simple_tag
def observation_rows(observations: Iterable[Mapping[str, Any]]) -> SafeString:
    """Write which files were seen after the last checkpoint."""
    return joined(_observation_row(row) for row in islice(observations, MOST_OBSERVATIONS))


@register.simple_tag
@lru_cache(maxsize=64)
def event_type_options(chosen: str) -> SafeString:
    """Write every type of event as a choice."""
    return joined(
        fill(_OPTION, value=kind, selected=_CHOSEN if kind == chosen else NOTHING)
        for kind in EventType
    )


@register.simple_tag
def choice_options(field: Any, chosen: str) -> SafeString:
    """Write the choices of a field, each combination once."""
    return _options(tuple(field.choices), chosen)


@lru_cache(maxsize=256)
def _options(choices: tuple[tuple[str, str], ...], chosen: str) -> SafeString:
    return joined(
        fill(_CHOICE, value=value, label=label, selected=_CHOSEN if value == chosen else NOTHING)
        for value, label in choices
    )


def _event_row(line: EventLine, first: str, clock: Clock) -> SafeString:
    if line.unreadable:
        summary = f"unreadable: {shortened(line.unreadable, 120)}"
        origin = _chip("bad", "broken", "unreadable")
    else:
        summary = line.summary or "{}"
        origin = origin_chip(line.source)
    return fill(
        _EVENT,
        number=line.sequence,
        grouped=f"{line.sequence:,}",
        url=f"{first}{line.sequence}/",
        time=clock.second(line.timestamp),
        type=shortened(line.type, 60),
        summary=summary,
        preview=line.preview,
        size=_size(line.size),
        archived=_ARCHIVED_TOO if line.archived else NOTHING,
        mark=_ARCHIVED if line.archived else NOTHING,
        word=_ARCHIVED_WORD if line.archived else NOTHING,
        hash=short_hash(line.hash),
        alone=_WHOLE if line.is_cut else _ALONE,
        origin=origin,
    )


def _run_row(row: Summary, first: str, clock: Clock, can_tick: bool) -> SafeString:
    title = shortened(row.goal, 80) or row.run_id
    return fill(
        _RUN,
        tick=fill(_TICK_RUN, run_id=row.run_id, title=title) if can_tick else NOTHING,
        verdict=verdict_chip(row.mode, row.status),
        url=f"{first}{_NAME.to_url(row.run_id)}/",
        goal=shortened(row.goal, 110) or "(no goal)",
        run_id=shortened(row.run_id, 70),
        status=row.status,
        last_event=_last_event(row.last_event_at, clock),
        started=clock.clock(row.created_at),
        progress=_progress(row),
        open_actions=_counted("question", row.open_actions),
        children=_children(row),
        caller=shortened(row.caller or "", 30),
    )


def _link(link: Link, first: str, broken_at: int | None) -> SafeString:
    is_broken = link.unreadable or (broken_at is not None and link.sequence >= broken_at)
    return fill(
        _LINK,
        url=f"{first}{link.sequence}/",
        origin=origin_kind(link.source),
        state=_BROKEN if is_broken else NOTHING,
        number=link.sequence,
        type=link.type,
        source=link.source,
    )


def _evidence_row(entry: Entry) -> SafeString:
    return fill(
        _EVIDENCE,
        component=cut_underscores(entry.component),
        component_id=_component_id(entry.component_id),
        status=state_chip(entry.status),
        detail=ticked(shortened(entry.detail, 400)),
    )


def _observation_row(row: Mapping[str, Any]) -> SafeString:
    if row.get("truncated"):
        return fill('<li class="small">{number} more</li>', number=row["omitted"])
    return fill(
        _OBSERVATION,
        status=row["status"],
        path=shortened(str(row["path"]), 160),
        sequence=row["sequence"],
        tool=shortened(str(row.get("tool") or ""), 40),
    )


def _component_id(name: str | None) -> SafeString:
    if not name:
        return NOTHING
    return fill(' <span class="mono muted">{name}</span>', name=shortened(name, 60))


def _item_row(item: Item, desk: _Desk) -> SafeString:
    is_selected = item.item_id == desk.selected
    title = shortened(item.title, 120)
    return fill(
        _ITEM,
        item_id=item.item_id,
        selected=_SELECTED if is_selected else NOTHING,
        current=_CURRENT if is_selected else NOTHING,
        url=desk.here + quote(item.item_id),
        title=title,
        tick=fill(_TICK, item_id=item.item_id, title=title) if desk.can_tick else NOTHING,
        waited=desk.clock.ago(item.closed_at or item.opened_at),
        run_id=shortened(item.run_id, 60),
        goal=shortened(item.goal, 120),
        chips=_item_chips(item, desk),
    )


def _item_chips(item: Item, desk: _Desk) -> SafeString:
    chips = [_left_chip(item, desk.clock) if item.closed_at else asked_chip(item.severity)]
    if item.claimed_by and not item.closed_at:
        chips.append(_held_chip(item, desk.person))
    if item.comments:
        word = "comment" if item.comments == 1 else "comments"
        chips.append(_chip("", "note", f"{item.comments:,} {word}"))
    if item.parent_run_id:
        chips.append(_chip("info", "families", f"{shortened(item.parent_run_id, 28)} waits"))
    if item.caller:
        chips.append(_agent_chip(shortened(item.caller, 28)))
    return joined(chips)


def _left_chip(item: Item, clock: Clock) -> SafeString:
    when = clock.in_words(item.closed_at) or "an unknown time"
    if not item.closed_by:
        return _chip("ok", "check", f"settled elsewhere at {when}")
    return _chip(
        "ok", "check", f"settled {via_words(item.closed_via)} at {when} by {item.closed_by}"
    )


def _held_chip(item: Item, person: str) -> SafeString:
    return fill(_HELD_CHIP, icon=icon("hand"), text=_holder(item, person))


def _holder(item: Item, person: str) -> str:
    holder = "yours" if item.claimed_by == person else str(item.claimed_by)
    given = item.handled_by and item.handled_by not in (item.claimed_by, person)
    return f"{holder}, from {item.handled_by}" if given else holder


def _agent_chip(caller: str) -> SafeString:
    return fill(_AGENT_CHIP, icon=icon("bot"), text=caller)


def _last_event(at: str | None, clock: Clock) -> SafeString | str:
    return fill('{time} <span class="muted">ago</span>', time=clock.ago(at)) if at else ""


def _progress(row: Summary) -> str:
    if not (row.total or row.completed):
        return ""
    return f"{row.completed:,} / {row.total:,}" if row.total else f"{row.completed:,}"


def _children(row: Summary) -> SafeString | str:
    if not row.children:
        return ""
    blocked = _counted("lock", row.blocked_children)
    return fill("{number} {blocked}", number=f"{row.children:,}", blocked=blocked)


def _counted(name: str, number: int) -> SafeString:
    return _chip("warn", name, f"{number:,}") if number else NOTHING


@lru_cache(maxsize=512)
def _chip(tone: str, name: str, text: str) -> SafeString:
    return fill(_CHIP, tone=tone, icon=icon(name), text=text)


@lru_cache(maxsize=1024)
def _size(size: int) -> SafeString:
    return SafeString(filesizeformat(size))
