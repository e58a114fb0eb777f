"""The run page's panels are written in Python, so that each value is escaped has to be shown."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse, set_script_prefix

from continuum.domain.runs import RunRow
from continuum.services.offers import Offer
from runs.pages.run import RunTab, Standing
from runs.templatetags.console import address
from runs.templatetags.panels import offer_rows, progress_facts, progress_line, tab_links

HOSTILE = "<script>alert('x')</script>"


def standing_with(*offers: Offer) -> Standing:
    row = RunRow("run-1", "goal", "started", "", "", "{}", None)
    return Standing("run-1", row, None, "", [], list(offers))


def offer(**changed: Any) -> Offer:
    known: dict[str, Any] = {
        "verb": "confirm",
        "label": "Confirm goal",
        "writes": ("REVIEW_CONFIRMED",),
        "consequence": "It `may` go on.",
        "command": "continuum confirm run-1",
        "primary": True,
    }
    return Offer(**(known | changed))


def test_offers_are_buttons_for_those_who_may_decide_and_words_for_others():
    standing = standing_with(offer(), offer(verb="complete", label="Complete", primary=False))

    decider, reader = offer_rows(standing, True), offer_rows(standing, False)

    assert decider.count('<a class="button"') == 2
    assert decider.count('data-kind="primary"') == 1
    assert "<a" not in reader
    assert "<strong>Confirm goal</strong>" in reader


def test_only_the_first_offer_is_set_off():
    again = offer_rows(standing_with(offer(primary=False), offer()), True)

    assert "primary" not in again


def test_what_an_offer_says_is_escaped():
    written = offer_rows(
        standing_with(offer(label=HOSTILE[:39], consequence=HOSTILE, command=HOSTILE)), True
    )

    assert "<script" not in written
    assert 'data-copy="&lt;script&gt;' in written


def test_the_current_tab_is_marked_and_large_numbers_are_grouped():
    tabs = [
        RunTab("events", "Events", 12_345, current=True),
        RunTab("actions", "Actions", "1,000+", current=False),
        RunTab("diff", "State diff", None, current=False),
    ]

    written = tab_links(tabs, "/runs/a'b/")

    assert written.count("aria-current") == 1
    assert "Events<span>12,345</span>" in written
    assert "Actions<span>1,000+</span>" in written
    assert "State diff</a>" in written
    assert 'href="/runs/a&#x27;b/?tab=events#record"' in written


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        ((1, 2, 0, 3), "1 done of 3 · 2 pending"),
        ((1200, 0, 4, None), "1,200 done · 4 failed"),
    ],
)
def test_progress_is_told_in_words(progress, words):
    completed, pending, failed, total = progress
    state = {"completed": completed, "pending": pending, "failed": failed, "total": total}

    written = progress_line(state)

    assert f">{words}<" in written
    assert ("<svg" in written) == bool(total)


def test_no_progress_is_not_drawn_and_an_unknown_total_is_said():
    state = {"completed": 0, "pending": 0, "failed": 0, "total": None}

    assert progress_line(state) == ""
    assert "<dt>total</dt><dd>not known</dd>" in progress_facts(state)


def test_an_address_follows_where_the_site_is_mounted():
    here = address("runs:run", "run-1")
    set_script_prefix("/below/")
    try:
        below = address("runs:run", "run-1")
    finally:
        set_script_prefix("/")

    assert here == reverse("runs:run", args=["run-1"])
    assert below == "/below" + here
