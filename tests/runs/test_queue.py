"""The queue page and `/metrics`: the same figures, for those who may see them."""

from __future__ import annotations

import pytest
from django.test import Client

from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.inbox import ItemQuery, open_items
from tests.conftest import NOON

TOKEN = "a-token-for-tests"


@pytest.fixture
def metrics(console, settings):
    """Ask for the metrics as a scraper does."""
    settings.METRICS_TOKEN = TOKEN

    def ask(token=TOKEN, scheme="Bearer"):
        return Client().get("/metrics", headers={"Authorization": f"{scheme} {token}"})

    return ask


def test_badge_tab_list_metric_and_page_agree(operator, console, uncertain, self_reported, metrics):
    uncertain("run_a")
    self_reported("run_b")

    page = operator.get("/?tab=all")
    queue = operator.get("/queue/")
    text = metrics().content.decode()

    assert len(open_items(console, ItemQuery())) == 2
    assert page.context["frame"]["counts"].open == 2
    assert len(page.context["screen"].items) == 2
    assert queue.context["screen"].health.open_items == 2
    assert 'kind="action",severity="outcome_unknown"} 1' in text
    assert 'kind="verdict",severity="review"} 1' in text


def test_every_drawing_has_its_table(operator, uncertain):
    uncertain()

    page = operator.get("/queue/").content.decode()

    assert (
        page.count('<svg class="chart') == page.count('aria-hidden="true" preserveAspectRatio') + 1
    )
    assert "Open items by kind and severity" in page
    assert "Items decided by day" in page
    assert "style=" not in page


def test_decisions_are_listed_by_person(operator, console, uncertain):
    run_id, key = uncertain()
    act = Act("<b>mallory</b>", "cli", NOON.replace(minute=30), reason="saw it")
    settle(console, run_id, key, act, Settlement(occurred=True))

    page = operator.get("/queue/").content.decode()

    assert "<b>mallory</b>" not in page


def test_metrics_are_off_until_a_token_is_set(console, settings):
    settings.METRICS_TOKEN = ""

    assert Client().get("/metrics").status_code == 404
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize(
    ("token", "scheme"), [("wrong", "Bearer"), ("", "Bearer"), (TOKEN, "Basic")]
)
def test_a_wrong_token_is_refused_and_told_nothing(metrics, token, scheme):
    response = metrics(token, scheme)

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert b"continuum_" not in response.content


def test_metrics_are_prometheus_text(metrics, uncertain):
    uncertain()

    response = metrics()

    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    for line in response.content.decode().splitlines():
        assert line.startswith(("# HELP ", "# TYPE ", "continuum_"))


def test_a_person_who_may_see_the_page_may_see_the_metrics(operator, viewer, settings):
    settings.METRICS_TOKEN = ""

    assert operator.get("/metrics").status_code == 200
    assert viewer.get("/metrics").status_code == 404
    assert viewer.get("/queue/").status_code == 403
    assert "/queue/" not in viewer.get("/").content.decode()


def test_only_reading_is_possible(metrics, console):
    assert Client().post("/metrics").status_code == 405
