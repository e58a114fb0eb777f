"""The small panels of the run page, written in one go each; see `rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template
from django.utils.safestring import SafeString

from runs.clocks import reader_clock
from runs.markup import NOTHING, fill, joined
from runs.templatetags.console import (
    grouped,
    icon,
    offer_url,
    progress_bar,
    shortened,
    ticked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from continuum.services.offers import Offer
    from runs.pages.run import RunScreen, RunTab, Standing

register = template.Library()

_TAB = '<a href="{here}?tab={name}#record" hx-get="{here}?tab={name}"{current}>{label}{number}</a>'
_NUMBER = "<span>{number}</span>"
_CURRENT = SafeString(' aria-current="page"')
_OFFER = """
<div class="act">
  {button}
  <div>
    <p>{key}{consequence}</p>
    <details>
      <summary>Writes {writes} · as a command</summary>
      {command}
    </details>
  </div>
</div>"""
_BUTTON = '<a class="button"{kind} href="{url}">{label}…</a>'
_PRIMARY = SafeString(' data-kind="primary"')
_LABEL = "<strong>{label}</strong>"
_KEY = '<span class="mono muted">{key}</span> '
_COMMAND = (
    '<div class="cli"><code>{command}</code>'
    '<button class="copy" type="button" data-copy="{command}" hidden>{icon}'
    '<span class="sr-only">Copy the command</span></button></div>'
)
_FACT = "<dt>{name}</dt><dd>{value}</dd>"
_PARTS = {"done": "completed", "pending": "pending", "failed": "failed"}
"""What is counted of a run's progress, and how the state calls it."""
_PROGRESS = """
<div class="progress">
  {bar}
  <p class="small muted">{words}</p>
</div>"""


@register.simple_tag
def tab_links(tabs: Iterable[RunTab], here: str) -> SafeString:
    """Write the tabs below which the record of a run stands."""
    return joined(
        fill(
            _TAB,
            here=here,
            name=tab.name,
            label=tab.label,
            current=_CURRENT if tab.current else NOTHING,
            number=NOTHING if tab.number is None else fill(_NUMBER, number=grouped(tab.number)),
        )
        for tab in tabs
    )


@register.simple_tag
def offer_rows(standing: Standing, may_decide: bool) -> SafeString:
    """Write what can be decided on a run; as buttons for those who may."""
    return joined(
        _offer_row(standing, offer, button=_button(standing, offer, number) if may_decide else None)
        for number, offer in enumerate(standing.offers)
    )


@register.simple_tag
def run_facts(screen: RunScreen) -> SafeString:
    """Write the plain facts of a run."""
    standing, clock = screen.standing, reader_clock()
    facts: dict[str, object] = {"started": clock.clock(standing.row.created_at)}
    if standing.assessed and standing.verdict:
        last, model = standing.assessed.facts.last_at, standing.verdict.state["model"]
        version = standing.verdict.checkpoint_version
        facts |= {
            "last event": fill("{time} ago", time=clock.ago(last)),
            "agent": shortened(standing.assessed.facts.caller or "not named", 60),
            "model": shortened((model and model["model"]) or "not recorded", 60),
            "checkpoint": f"v{version}" if version else "none",
        }
    facts["claimed by"] = screen.claimed_by or "nobody"
    return joined(fill(_FACT, name=name, value=value) for name, value in facts.items())


@register.simple_tag
def progress_facts(progress: Mapping[str, Any]) -> SafeString:
    """Write how much is done, pending and failed, and who said so."""
    total = progress["total"]
    numbers = {name: progress[member] for name, member in _PARTS.items()}
    facts = joined(fill(_FACT, name=name, value=grouped(one)) for name, one in numbers.items())
    whole = fill(_FACT, name="total", value="not known" if total is None else grouped(total))
    return joined((facts, whole))


@register.simple_tag
def progress_line(progress: Mapping[str, Any]) -> SafeString:
    """Draw a run's progress with its numbers in words; nothing where none was told."""
    done, total, failed = progress["completed"], progress["total"], progress["failed"]
    if not (total or done or failed):
        return NOTHING
    words = f"{grouped(done)} done" + (f" of {grouped(total)}" if total else "")
    for number, word in ((failed, "failed"), (progress["pending"], "pending")):
        words += f" · {grouped(number)} {word}" if number else ""
    return fill(_PROGRESS, bar=progress_bar(progress) if total else NOTHING, words=words)


def _offer_row(standing: Standing, offer: Offer, *, button: SafeString | None) -> SafeString:
    key = standing.key_of(offer.action) if offer.action else ""
    return fill(
        _OFFER,
        button=button or fill(_LABEL, label=shortened(offer.label, 40)),
        key=fill(_KEY, key=shortened(key, 40)) if key else NOTHING,
        consequence=ticked(offer.consequence),
        writes=" and ".join(offer.writes),
        command=fill(_COMMAND, command=offer.command, icon=icon("copy")),
    )


def _button(standing: Standing, offer: Offer, number: int) -> SafeString:
    is_awaited = offer.primary and number == 0
    return fill(
        _BUTTON,
        kind=_PRIMARY if is_awaited else NOTHING,
        url=offer_url(standing, offer),
        label=shortened(offer.label, 40),
    )
