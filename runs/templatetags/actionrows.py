"""The rows of the list of actions, written in one go each; see `rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString

from runs.converters import Name
from runs.markup import NOTHING, fill, joined
from runs.templatetags.console import action_chip, ago, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.services.actionlists import ActionRow

register = template.Library()

_NAME = Name()
_UNREADABLE = "unreadable"
_ROW = """
<tr>
  <td class="action-name"><a href="{url}"><strong>{type}</strong></a><br>\
<span class="mono muted">{key}</span></td>
  <td data-label="Run" class="breakable"><span><a href="{run_url}">{goal}</a><br>\
<span class="mono muted">{run_id}</span></span></td>
  <td>{status}</td>
  <td data-label="{since}" class="nowrap">{moment}{past}</td>
  <td data-label="Attempts" class="number" data-room="wide">{attempts}</td>
  <td data-label="External id" class="mono breakable">{outside}</td>{act}
</tr>"""
_ACTS = """
  <td{held_label} data-room="wide">{held}</td>
  <td class="number">{button}</td>"""
_HELD = SafeString(' data-label="Held by"')
_AGO = SafeString(' <span class="muted">ago</span>')
_SETTLE = '<a class="button" data-size="small" href="{url}settle/">Settle…</a>'


@register.simple_tag
def action_rows(rows: Iterable[ActionRow], may_decide: bool) -> SafeString:
    """Write the rows of the list of actions."""
    first = reverse("runs:run-list")
    return joined(_row(row, first, may_decide) for row in rows)


def _row(row: ActionRow, first: str, may_decide: bool) -> SafeString:
    action = row.action
    run_url = f"{first}{_NAME.to_url(action.run_id)}/"
    url = f"{run_url}actions/{_NAME.to_url(action.key)}/"
    return fill(
        _ROW,
        url=url,
        run_url=run_url,
        type=shortened(action.action_type, 80) or "(no type)",
        key=shortened(action.key, 28),
        goal=shortened(action.goal, 80) or "(no goal)",
        run_id=shortened(action.run_id, 60),
        status=action_chip(action.status),
        since="Waiting" if action.is_open else "Settled",
        moment=ago(action.moment),
        past=NOTHING if action.is_open else _AGO,
        attempts=action.attempts,
        outside=shortened(action.external_id or "", 60),
        act=_acts(row, url, may_decide) if action.is_open else NOTHING,
    )


def _acts(row: ActionRow, url: str, may_decide: bool) -> SafeString:
    may_settle = may_decide and row.action.status != _UNREADABLE
    return fill(
        _ACTS,
        held_label=_HELD if row.claimed_by else NOTHING,
        held=row.claimed_by or "",
        button=fill(_SETTLE, url=url) if may_settle else NOTHING,
    )
