"""The runs list begins with recent runs, and says so; nothing asked for is hidden."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from runs.pages import run_list
from tests.runs.conftest import refresh
from tests.stores import RunMaker

CHIP = "started in the last 7 days"


@pytest.fixture
def ages(console):
    """A run of today, one of ten days ago and one of forty."""
    now = timezone.now()
    for days in (0, 10, 40):
        RunMaker(console, at=now - timedelta(days=days))(f"run-{days}", goal="Send invoices")
    refresh(console)
    return console


def listed(client, query=""):
    """Return the runs an address lists, and whether the page says it shows recent ones only."""
    response = client.get(f"/runs/{query}")
    rows = response.context["screen"].rows
    return [row.run_id for row in rows], CHIP in response.content.decode()


def test_a_list_that_is_not_narrowed_shows_recent_runs_and_says_so(viewer, ages):
    assert listed(viewer) == (["run-0"], True)
    assert 'href="/runs/?since=all"' in viewer.get("/runs/").content.decode()


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("?since=all", ["run-0", "run-10", "run-40"]),
        ("?since=30d", ["run-0", "run-10"]),
        ("?text=invoices", ["run-0", "run-10", "run-40"]),
        ("?verdict=resume", ["run-0", "run-10", "run-40"]),
        ("?status=started", ["run-0", "run-10", "run-40"]),
        ("?status=started&since=24h", ["run-0"]),
    ],
)
def test_what_was_asked_for_is_not_cut_to_recent_runs(viewer, ages, query, runs):
    assert listed(viewer, query) == (runs, False)


def test_a_store_of_old_runs_does_not_look_empty(viewer, console):
    RunMaker(console, at=timezone.now() - timedelta(days=10))("old")
    refresh(console)

    assert listed(viewer) == (["old"], False)


def test_pages_of_recent_runs_end_with_them(viewer, ages, console, monkeypatch):
    monkeypatch.setattr(run_list, "PAGE", 1)
    RunMaker(console, at=timezone.now() - timedelta(days=1))("run-1")
    refresh(console)

    first = viewer.get("/runs/").context["screen"]
    second = viewer.get("/runs/", {"before": first.older}).context["screen"]

    assert [row.run_id for row in [*first.rows, *second.rows]] == ["run-0", "run-1"]
    assert second.older == ""
    assert second.is_recent


def test_an_empty_store_says_how_the_first_run_comes(viewer, console):
    for query in ("", "?since=all"):
        assert "No runs yet" in viewer.get(f"/runs/{query}").content.decode()


def test_ticked_runs_are_taken_away_and_no_others(sign_in, viewer, make_run, console):
    for run_id in ("run_a", "run_b", "run_c"):
        make_run(run_id)
    refresh(console)
    reviewer = sign_in("reviewer")
    page = reviewer.get("/runs/?since=all").content.decode()
    url = reverse("runs:export-ticked")

    answer = reviewer.post(url, {"run": ["run_a", "run_c", "run_a"], "form": "csv"})

    assert page.count('class="item-tick"') == 3
    assert 'class="item-tick"' not in viewer.get("/runs/?since=all").content.decode()
    lines = b"".join(answer).decode().splitlines()
    assert {line.split(",")[0].strip('"') for line in lines[1:]} == {"run_a", "run_c"}
    assert "2-runs-events" in answer["Content-Disposition"]
    assert reviewer.post(url, {"run": ["run_a", "nobody"]}).status_code == 404


@pytest.mark.parametrize("number", [0, 51])
def test_none_or_too_many_runs_are_not_taken_away(sign_in, console, number):
    answer = sign_in("reviewer").post(
        reverse("runs:export-ticked"), {"run": [f"run-{one}" for one in range(number)]}
    )

    assert answer.status_code == 422
