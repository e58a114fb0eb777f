"""One action: what is known of it, and reading a decision once more before it is written."""

from __future__ import annotations

import json
import shlex

import pytest
from django.urls import reverse

from continuum.domain.actions import ActionStatus
from tests.commands import run_ours
from tests.conftest import NOON
from tests.runs.conftest import form_of, report, written
from tests.store.test_ledger import action
from tests.stores import action_event


@pytest.fixture
def url(uncertain):
    """The address at which an action is settled."""
    return reverse("runs:settle", args=uncertain())


def chosen(client, url, **members):
    """Return a filled form as the page sends it for review."""
    return form_of(client.get(url)) | {"step": "review", "outcome": "occurred"} | members


def text_of(response):
    return " ".join(response.content.decode().split())


def test_the_form_sends_for_review(operator, url):
    assert '<input type="hidden" name="step" value="review">' in operator.get(url).content.decode()


def test_a_review_names_the_target_and_what_was_chosen_and_writes_nothing(operator, console, url):
    before = written(console, "run_a")

    response = operator.post(url, chosen(operator, url, external_id="msg-1", reason="saw <it>"))

    page = text_of(response)
    assert response.status_code == 200
    assert "Record that send_invoice happened?" in page
    assert "INV-INV-001" in page
    assert "msg-1" in page
    assert "saw &lt;it&gt;" in page
    assert written(console, "run_a") == before


def test_the_command_beside_a_review_does_what_was_chosen(operator, console, url, store_url):
    response = operator.post(url, chosen(operator, url, external_id="msg 1", reason="it's there"))

    program, *words = shlex.split(response.context["command"])
    ran = run_ours("--db", store_url, *words, "--by", "mia")

    assert program == "continuum"
    assert ran.exit_code in (0, 20, 30), ran.stderr
    event = list(console.events("run_a"))[-1]
    assert event.payload["action"]["status"] == "completed"
    assert event.payload["external_id"] == "msg 1"
    assert event.payload["reason"] == "it's there"


def test_what_was_reviewed_is_written_with_the_same_request(operator, console, url):
    sent = chosen(operator, url, external_id="msg-1", reason="saw it")
    reviewed = operator.post(url, sent)

    response = operator.post(url, form_of(reviewed))

    *_, event = console.events("run_a")
    assert response.status_code == 302
    assert event.payload["request_id"] == sent["request_id"]
    assert (event.payload["external_id"], event.payload["reason"]) == ("msg-1", "saw it")


def test_a_review_leads_back_to_the_form_with_everything_typed(operator, console, url):
    reviewed = operator.post(url, chosen(operator, url, external_id="msg-1", reason="saw it"))

    page = operator.post(url, form_of(reviewed) | {"step": "edit"}).content.decode()

    assert ">saw it</textarea>" in page
    assert 'value="msg-1"' in page
    assert 'value="occurred" required checked' in page


def test_a_review_asks_for_what_is_missing_first(operator, url):
    response = operator.post(url, chosen(operator, url, outcome="not_occurred"))

    assert response.status_code == 422
    assert "This answer needs a reason" in response.content.decode()


def test_what_changed_during_a_review_refuses_it(operator, console, url):
    reviewed = operator.post(url, chosen(operator, url, reason="saw it"))
    done = action("INV-001", status=ActionStatus.COMPLETED)
    console.append("run_a", [action_event("INV-001", done, at=NOON)])
    before = written(console, "run_a")

    response = operator.post(url, form_of(reviewed))

    assert response.status_code == 409
    assert "saw it" in response.content.decode()
    assert written(console, "run_a") == before


def test_progress_during_a_review_does_not_refuse_it(operator, console, url):
    reviewed = operator.post(url, chosen(operator, url))
    report(console, "run_a", 3)

    assert operator.post(url, form_of(reviewed)).status_code == 302


def test_leaving_it_open_needs_no_review(operator, console, url):
    before = written(console, "run_a")

    response = operator.post(url, chosen(operator, url, outcome="open"))

    assert response["Location"] == "/runs/run_a/"
    assert written(console, "run_a") == before


def test_an_action_says_how_often_it_may_still_be_begun(operator, url, tmp_path, monkeypatch):
    (tmp_path / ".continuum").mkdir()
    registry = tmp_path / ".continuum/budgets.json"
    registry.write_text(json.dumps({"action_types": {"send_invoice": 4}}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    page = text_of(operator.get(url))
    assert "1 of 4, 3 left" in page
    assert "The agent may do it again: 3 of 4 attempts left." in page

    registry.write_text(json.dumps({"action_types": {"send_invoice": 1}}), encoding="utf-8")
    assert "All 1 attempts are used" in text_of(operator.get(url))

    registry.write_text("{", encoding="utf-8")
    assert "the budget cannot be read" in text_of(operator.get(url))


def test_an_action_page_shows_claim_error_and_commands(viewer, operator, console, uncertain):
    run_id, key = uncertain()
    members = {"last_error": "timed out <b>", "started_at": "2026-12-01T11:00:00Z"}
    doubt = action(key, status=ActionStatus.UNKNOWN, **members)
    console.append(run_id, [action_event(key, doubt, at=NOON)])
    address = reverse("runs:action", args=[run_id, key])

    page = operator.get(address).content.decode()

    assert "timed out &lt;b&gt;" in page
    assert 'datetime="2026-12-01T11:00:00+00:00"' in page
    assert "continuum reconcile run_a</code>" in page
    assert '<th scope="row">invoice</th>' in page
    assert "continuum reconcile" not in viewer.get(address).content.decode()
