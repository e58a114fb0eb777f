"""Families as nested lists and as rows, written in one go each; see `rows`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from runs.converters import Name
from runs.markup import NOTHING, fill, joined
from runs.pages.run_list import cursor_text
from runs.templatetags.console import chip, icon, shortened, verdict_chip
from runs.words import mode_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.services.families import FamilyNode, Fork
    from runs.pages.family import TreeLine

register = template.Library()

_NAME = Name()
_LINE = (
    '<span class="tree-node"{current}><a href="{url}" title="{goal}">{run_id}</a>'
    '{verdict}{fork}{open}<span class="tree-goal truncate">{goal}</span></span>'
)
_BRANCH = (
    '<details{is_open}><summary class="small muted">{children} below{waiting} {worst}</summary>'
    "<ul>{items}</ul></details>"
)
_CUT = '<a class="tree-more small" href="{url}">{children} below: show its family{arrow}</a>'
_MORE = '<li class="tree-more small"><a href="{url}">Older children of {run_id}{arrow}</a></li>'
_CHIP = '<span class="chip" data-tone="{tone}">{icon}<span>{text}</span></span>'
_ROW = """
<tr>
  <th scope="row" class="breakable named"><a href="{url}">{run_id}</a><br>\
<span class="muted small">{goal}</span></th>
  <td data-label="Level" class="number">{level}</td>
  <td>{verdict}</td>
  <td data-label="Status" data-room="wide">{status}</td>
  <td data-label="Open actions" class="number">{open}</td>
  <td data-label="Children" class="number">{children}</td>
  <td data-label="Worst below">{worst}</td>
  <td data-label="Branched off" class="breakable">{fork}</td>
</tr>"""
_CURRENT = SafeString(' aria-current="true"')
_OPEN = SafeString(" open")
_FORK = SafeString(' data-fork=""')
_OPEN_LEVELS = 1


@register.simple_tag
def family_items(node: FamilyNode, current: str = "") -> SafeString:
    """Write a tree as list items; what leads to `current` or to who waits is unfolded."""
    return _item(node, current, 0)


@register.simple_tag
def family_page_items(node: FamilyNode) -> SafeString:
    """Write the tree of a page that has its own way to the next children of the root."""
    return _item(node._replace(older=None), node.row.run_id, 0)


@register.simple_tag
def family_rows(lines: Iterable[TreeLine]) -> SafeString:
    """Write a tree as rows of a table."""
    return joined(_row(line) for line in lines)


@register.simple_tag
def worst_chip(node: FamilyNode) -> SafeString:
    """Show the least safe verdict below a run; nothing where all below may go on."""
    return chip(mode_word(node.worst)) if node.worst else NOTHING


@register.simple_tag
def family_url(run_id: str) -> str:
    """Return the page of the family below a run."""
    return f"{_address('runs:families')}{_NAME.to_url(run_id)}/"


def _item(node: FamilyNode, current: str, level: int) -> SafeString:
    return fill(
        "<li{fork}>{line}{below}</li>",
        fork=_FORK if node.fork else NOTHING,
        line=_line(node, current),
        below=_below(node, current, level),
    )


def _line(node: FamilyNode, current: str) -> SafeString:
    row = node.row
    return fill(
        _LINE,
        current=_CURRENT if row.run_id == current else NOTHING,
        url=run_url(row.run_id),
        goal=shortened(row.goal, 110),
        run_id=shortened(row.run_id, 48),
        verdict=verdict_chip(row.mode, row.status),
        fork=_fork_chip(node),
        open=_chip("warn", "question", f"{row.open_actions:,} open") if row.open_actions else "",
    )


def _below(node: FamilyNode, current: str, level: int) -> SafeString:
    children = f"{node.row.children:,}"
    if not node.children:
        url = family_url(node.row.run_id)
        cut = fill(_CUT, url=url, children=children, arrow=icon("chevron-right"))
        return cut if node.is_cut else NOTHING
    items = [_item(child, current, level + 1) for child in node.children]
    if node.older:
        items.append(_more(node))
    leads_on = current and _holds(node, current)
    return fill(
        _BRANCH,
        is_open=_OPEN if level < _OPEN_LEVELS or node.waiting or leads_on else NOTHING,
        children=children,
        waiting=f" · {node.waiting:,} waiting" if node.waiting else "",
        worst=_worst_below(node),
        items=joined(items),
    )


def _holds(node: FamilyNode, run_id: str) -> bool:
    return any(child.row.run_id == run_id or _holds(child, run_id) for child in node.children)


def _worst_below(node: FamilyNode) -> SafeString:
    return fill("· worst {chip}", chip=worst_chip(node)) if node.worst else NOTHING


def _more(node: FamilyNode) -> SafeString:
    place = quote(cursor_text(node.older), safe="") if node.older else ""
    return fill(
        _MORE,
        url=f"{family_url(node.row.run_id)}?before={place}",
        run_id=shortened(node.row.run_id, 48),
        arrow=icon("chevron-right"),
    )


def _fork_chip(node: FamilyNode) -> SafeString:
    fork = node.fork
    if fork is None:
        return NOTHING
    return _chip("info", "split", _fork_text(fork))


def _fork_text(fork: Fork) -> str:
    where = f"fork at event {fork.sequence:,}" if fork.sequence else "fork"
    return f"{where}: {shortened(fork.reason, 60)}" if fork.reason else where


def _row(line: TreeLine) -> SafeString:
    node = line.node
    row = node.row
    return fill(
        _ROW,
        url=run_url(row.run_id),
        run_id=shortened(row.run_id, 80),
        goal=shortened(row.goal, 110),
        level=line.level,
        verdict=verdict_chip(row.mode, row.status),
        status=row.status,
        open=f"{row.open_actions:,}" if row.open_actions else "",
        children=f"{row.children:,}" if row.children else "",
        worst=worst_chip(node),
        fork=_fork_text(node.fork) if node.fork else "",
    )


def run_url(run_id: str) -> str:
    """Return the page of a run."""
    return f"{_address('runs:run-list')}{_NAME.to_url(run_id)}/"


@lru_cache(maxsize=4)
def _address(name: str) -> str:
    return reverse(name)


def _chip(tone: str, name: str, text: str) -> SafeString:
    return fill(_CHIP, tone=tone, icon=icon(name), text=text)
