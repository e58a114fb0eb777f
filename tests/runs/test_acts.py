"""Who did what: filters in the address, pages without a seam, an export without a formula."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.domain.callersettings import Settings
from continuum.services.acts import Act
from continuum.services.callerchanges import add_caller
from continuum.services.decisions import confirm
from tests.conftest import NOON


@pytest.fixture
def reviewer(sign_in):
    """A browser in which a reviewer is signed in."""
    return sign_in("reviewer", name="rev-1")


@pytest.fixture
def busy(console, self_reported):
    """Two confirmed runs and a new caller."""
    for number, person in enumerate(("ada", "eve"), 1):
        run_id = self_reported(f"run-{number}")
        act = Act(person, "console", NOON + timedelta(hours=number), reason=f"=SUM({number})")
        confirm(console, run_id, act)
    act = Act("ada", "console", NOON + timedelta(hours=3), reason="asked for")
    add_caller(console, "agent-9", Settings(), act, with_secret=False)
    return console


def shown(response):
    """Return who did what to whom, newest first."""
    return [
        (deed.person, deed.verb, deed.run_id or deed.caller)
        for _, deed in response.context["deeds"]
    ]


CONFIRMED = [("eve", "confirm", "run-2"), ("ada", "confirm", "run-1")]
ADDED = [("ada", "caller_added", "agent-9")]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ADDED + CONFIRMED),
        ({"person": "eve"}, CONFIRMED[:1]),
        ({"verb": "confirm"}, CONFIRMED),
        ({"verb": "caller_added"}, ADDED),
        ({"run": "run-1"}, CONFIRMED[1:]),
        ({"about": "callers"}, ADDED),
        ({"about": "runs"}, CONFIRMED),
        ({"since": "2026-12-01T14:00"}, ADDED + CONFIRMED[:1]),
        ({"until": "2026-12-01T14:00"}, CONFIRMED[1:]),
        ({"verb": "no such verb"}, ADDED + CONFIRMED),
    ],
)
def test_filters_stand_in_the_address(reviewer, busy, query, found):
    assert shown(reviewer.get("/acts/", query)) == found


def test_a_page_goes_on_where_the_last_one_ended(reviewer, busy, monkeypatch):
    monkeypatch.setattr("continuum.services.deeds.PAGE", 1)
    url, found = "/acts/", []
    for _ in range(9):
        response = reviewer.get(url)
        found += shown(response)
        page = response.content.decode()
        if not response.context["more"]:
            break
        link = page.split('rel="next" href="')[1].split('"')[0]
        url = f"/acts/{link}".replace("&amp;", "&")

    assert found == ADDED + CONFIRMED


def test_an_act_names_its_event_its_hash_and_its_reason(reviewer, busy):
    page = reviewer.get("/acts/?run=run-1").content.decode()

    row = busy.event_row("run-1", 3).row
    assert "/runs/run-1/events/3/" in page
    assert row.hash[:8] in page
    assert "=SUM(1)" in page
    assert "continuum acts --run run-1" in page


def test_a_reviewer_gets_no_link_to_what_only_admins_may_open(reviewer, sign_in, busy):
    admin = sign_in("admin", name="root-1")

    assert "/callers/history/1/" not in reviewer.get("/acts/").content.decode()
    assert "/callers/history/1/" in admin.get("/acts/").content.decode()


def test_the_export_has_the_same_filters_and_no_formula(reviewer, busy):
    response = reviewer.get("/acts/export/?person=ada&before=x~1~y")
    text = b"".join(response.streaming_content).decode()

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert len(text.splitlines()) == 3
    assert "'=SUM(1)" in text and '"=SUM' not in text
    assert "eve" not in text


@pytest.mark.parametrize("before", ["x", "a~b~c", "~~", "2026~" + "9" * 30 + "~r"])
def test_a_broken_place_in_the_address_is_refused(reviewer, console, before):
    assert reviewer.get("/acts/", {"before": before}).status_code == 422
