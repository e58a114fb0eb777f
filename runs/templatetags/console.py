"""Small tags every template may use: icons, chips, times, shortened hashes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from runs import words
from runs.clocks import reader_clock
from runs.markup import fill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from continuum.services.offers import Offer
    from runs.pages.run import Standing

register = template.Library()

_ORIGIN_KINDS = {"human": "human", "deterministic": "system"}


@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str) -> SafeString:
    """Draw an icon; it repeats the word beside it, so readers skip it."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="#i-{}"></use></svg>', name)


@register.simple_tag
@lru_cache(maxsize=512)
def chip(word: words.Word, suffix: str = "", size: str = "") -> SafeString:
    """Show a word with its icon."""
    text = f"{word.text} · {suffix}" if suffix else word.text
    return format_html(
        '<span class="chip" data-tone="{}" data-size="{}">{}<span>{}</span></span>',
        word.tone,
        size,
        icon(word.icon),
        text,
    )


@register.simple_tag
def verdict_chip(mode: str, status: str) -> SafeString:
    """Show how a run stands, in a list."""
    return chip(words.verdict_word(mode, status))


@register.simple_tag
def mode_chip(mode: str, safe: bool) -> SafeString:
    """Show the verdict on a run's own page: the mode as programs say it, and safe or not."""
    word = words.mode_word(mode)._replace(text=mode.upper())
    return chip(word, "safe" if safe else "not safe", "large")


@register.simple_tag
def action_chip(status: str) -> SafeString:
    """Show where an action stands."""
    return chip(words.action_word(status))


@register.simple_tag
def state_chip(status: str) -> SafeString:
    """Show the status of a component."""
    return chip(words.state_word(status))


@register.simple_tag
def finding_chip(status: str) -> SafeString:
    """Show what kind of reason a finding is."""
    return chip(words.finding_word(status))


@register.simple_tag
def asked_chip(severity: int) -> SafeString:
    """Show what an inbox item asks for."""
    return chip(words.asked_word(severity))


@register.simple_tag
def origin_chip(source: str) -> SafeString:
    """Show who asserted an event."""
    return _origin(source)


@lru_cache(maxsize=64)
def _origin(source: str) -> SafeString:
    word = words.origin_word(source)
    return format_html(
        '<span class="chip" data-tone="{}" data-origin="{}">{}<span>{}</span></span>',
        word.tone,
        origin_kind(source),
        icon(word.icon),
        word.text,
    )


@register.filter
def origin_kind(source: str) -> str:
    """Sort an origin into `human`, `system` or `agent`."""
    return _ORIGIN_KINDS.get(source, "agent")


@register.simple_tag
def ago(value: str | datetime | None) -> SafeString:
    """Show how long ago something was; the exact time is in the title."""
    return reader_clock().ago(value)


@register.simple_tag
def clock(value: str | datetime | None) -> SafeString:
    """Show a time of day in the reader's zone, the whole time in UTC in the title."""
    return reader_clock().clock(value)


@register.simple_tag
def second(value: str | datetime | None) -> SafeString:
    """Show a time to the second in the reader's zone, with the date when it is not today's."""
    return reader_clock().second(value)


@register.filter
def timed(text: str) -> SafeString:
    """Show a sentence of the engine, with the times in it in the reader's zone."""
    return reader_clock().in_sentence(text) if "+00:00" in text else fill("{text}", text=text)


@register.simple_tag(takes_context=True)
def nav(context: template.RequestContext) -> SafeString:
    """Write the sections a person may open, the current one marked."""
    may = tuple(name for name, is_given in context["frame"]["may"].items() if is_given)
    return _nav(str(context.get("section", "")), may, get_script_prefix())


@lru_cache(maxsize=256)
def _nav(section: str, may: tuple[str, ...], prefix: str) -> SafeString:
    """Render the sections once for each place the site is mounted at (`prefix`)."""
    context = {"section": section, "may": dict.fromkeys(may, True)}
    return render_to_string("components/_nav.html", context)


@register.simple_tag
def assets() -> SafeString:
    """Write what the head of every page loads."""
    return _constant("components/_assets.html", get_script_prefix())


@register.simple_tag
def brand() -> SafeString:
    """Write the console's name, which leads home."""
    return _constant("components/_brand.html", get_script_prefix())


@lru_cache(maxsize=16)
def _constant(name: str, _prefix: str) -> SafeString:
    """Render what needs nothing but where the site is mounted, once for each such place."""
    return render_to_string(name)


@register.simple_tag
def address(name: str, *args: str | int) -> str:
    """Return the address of a page, as `url` does; each is worked out once."""
    return _address(name, args, get_script_prefix())


@lru_cache(maxsize=1024)
def _address(name: str, args: tuple[str | int, ...], _prefix: str) -> str:
    return reverse(name, args=args)


@register.simple_tag
def now_clock() -> str:
    """Show when the page was made."""
    return f"{timezone.localtime():%H:%M:%S}"


@register.simple_tag
def zone() -> str:
    """Name the zone times are shown in."""
    return timezone.localtime().tzname() or "UTC"


@register.filter
def short_hash(value: str | None) -> str:
    """Shorten a hash to its two ends."""
    if not value:
        return "–"
    return f"{value[:8]}…{value[-4:]}" if len(value) > 16 else value


@register.filter
def grouped(value: Any) -> str:
    """Write a whole number with thin groups of three, as in 18,204."""
    return f"{value:,}" if isinstance(value, int) else str(value)


@register.filter
def ticked(value: str) -> SafeString:
    """Set names between backticks in bold and show times as `timed`; everything is escaped."""
    if "`" not in str(value):
        return timed(str(value))
    parts = str(value).split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", value)
    marked = (format_html("<b>{}</b>", one) if n % 2 else timed(one) for n, one in enumerate(parts))
    return format_html_join("", "{}", ((part,) for part in marked))


@register.filter
def origin_name(source: str) -> str:
    """Say who asserted something."""
    return words.origin_word(source).text


@register.filter
def shortened(value: str, most: int) -> str:
    """Cut a text to `most` characters, of which the last is an ellipsis.

    Lists hold hundreds of texts, and nearly all of them fit as they are.
    """
    return value if len(value) <= most else f"{value[: most - 1]}…"


@register.filter
def via_words(via: str | None) -> str:
    """Say by which surface something was done."""
    return words.via_words(via)


@register.filter
def cut_underscores(value: Any) -> str:
    """Write a machine's word with blanks."""
    return str(value).replace("_", " ")


@register.simple_tag
def progress_bar(progress: Mapping[str, Any]) -> SafeString:
    """Draw how much is done and failed; the numbers stand beside it."""
    done, failed = progress["completed"], progress["failed"]
    whole = max(progress["total"] or 0, done + failed + progress["pending"], 1)
    done_width, failed_width = 100 * done / whole, 100 * failed / whole
    return format_html(
        '<svg class="bar" aria-hidden="true" preserveAspectRatio="none">'
        '<rect data-part="done" width="{}%" height="100%"></rect>'
        '<rect data-part="failed" x="{}%" width="{}%" height="100%"></rect></svg>',
        f"{done_width:.2f}",
        f"{done_width:.2f}",
        f"{failed_width:.2f}",
    )


def offer_url(standing: Standing, offer: Offer) -> str:
    """Return the page on which an offered decision is taken."""
    if offer.action is None:
        url = address(f"runs:{offer.verb}", standing.run_id)
        return f"{url}?scope={','.join(offer.scope)}" if offer.scope else url
    return address(f"runs:{offer.verb}", standing.run_id, standing.key_of(offer.action))


@register.simple_tag
def event_url(run_id: str, sequence: int) -> str:
    """Return the page of one event. A list has a hundred of them and one run."""
    return f"{events_url(run_id)}{sequence}/"


@register.inclusion_tag("components/_cli.html")
def command_line(command: str) -> dict[str, str]:
    """Show a command to copy."""
    return {"command": command}


@register.simple_tag(takes_context=True)
def replace_query(context: template.RequestContext, **changes: str) -> str:
    """Return the page's address with some of its parameters replaced; blank ones go."""
    query = context["request"].GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"?{query.urlencode()}"


@lru_cache(maxsize=64)
def events_url(run_id: str) -> str:
    """Return what the addresses of a run's events begin with."""
    return reverse("runs:event", args=[run_id, 1]).removesuffix("1/")
