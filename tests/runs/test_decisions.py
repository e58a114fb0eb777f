"""Deciding in the console: once, on what was shown, with the truth told afterwards."""

from __future__ import annotations

import pytest
from django.urls import reverse

from continuum.services import decisions
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from tests.conftest import NOON
from tests.runs.conftest import form_of, report, written


def settle_url(run_id, key):
    return reverse("runs:settle", args=[run_id, key])


def test_settling_writes_one_event_with_who_why_and_what_was_seen(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    hidden = form_of(operator.get(url))

    response = operator.post(
        url,
        hidden | {"outcome": "occurred", "external_id": "msg-1", "reason": "Mail log says so"},
    )

    assert response.status_code == 302
    *_, event = console.events(run_id)
    assert (str(event.type), str(event.source)) == ("ACTION_RECONCILED", "human")
    assert event.payload["by"] == "op-1"
    assert event.payload["via"] == "console"
    assert event.payload["reason"] == "Mail log says so"
    assert event.payload["request_id"] == hidden["request_id"]
    assert event.payload["seen_sequence"] == hidden["seen_sequence"]
    assert event.payload["status"] == "completed"
    assert event.payload["external_id"] == "msg-1"


def test_result_page_shows_number_hash_and_verdict(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    answer = form_of(operator.get(url)) | {"outcome": "occurred"}

    response = operator.post(url, answer, follow=True)

    *_, event = console.events(run_id)
    assert response.templates[0].name == "runs/result.html"
    page = response.content.decode()
    assert event.hash in page
    assert "RESUME · safe" in page


def test_result_page_says_what_still_stands_in_the_way(operator, console, self_reported):
    run_id = self_reported()
    url = reverse("runs:confirm", args=[run_id])
    answer = form_of(operator.get(url)) | {"scope": "goal"}

    response = operator.post(url, answer, follow=True)

    page = response.content.decode()
    assert "The run still needs attention" in page
    assert "REQUEST_HUMAN · not safe" in page


def test_a_second_send_of_one_form_writes_nothing_more(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    answer = form_of(operator.get(url)) | {"outcome": "occurred"}
    first = operator.post(url, answer)
    before = written(console, run_id)

    second = operator.post(url, answer)

    assert second["Location"] == first["Location"]
    assert written(console, run_id) == before


def test_a_stale_answer_is_refused_with_what_changed_and_the_text_kept(
    operator, console, uncertain
):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    stale = form_of(operator.get(url)) | {"outcome": "not_occurred", "reason": "I saw no mail"}
    act = Act("op-2", "cli", NOON, "receipt found")
    decisions.settle(console, run_id, key, act, Settlement(occurred=True, external_id="msg-1"))
    before = written(console, run_id)

    response = operator.post(url, stale)

    page = response.content.decode()
    assert response.status_code == 409
    assert written(console, run_id) == before
    assert "I saw no mail" in page
    assert "msg-1" in page
    assert "ACTION_RECONCILED" in page


def test_progress_elsewhere_does_not_refuse_a_settlement(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    answer = form_of(operator.get(url)) | {"outcome": "occurred"}
    report(console, run_id, 2)

    response = operator.post(url, answer)

    assert response.status_code == 302


def test_new_progress_refuses_a_confirmation_of_the_old(operator, console, self_reported):
    run_id = self_reported(done=4)
    url = reverse("runs:confirm", args=[run_id])
    answer = form_of(operator.get(url)) | {"scope": "goal,progress", "reason": "counted four"}
    report(console, run_id, 7)
    before = written(console, run_id)

    response = operator.post(url, answer)

    page = response.content.decode()
    assert response.status_code == 409
    assert written(console, run_id) == before
    assert "counted four" in page
    assert "progress: completed" in page


def test_a_refused_form_can_be_sent_again_as_shown(operator, console, self_reported):
    run_id = self_reported(done=4)
    url = reverse("runs:confirm", args=[run_id])
    answer = form_of(operator.get(url)) | {"scope": "goal,progress"}
    report(console, run_id, 7)
    refused = operator.post(url, answer)

    response = operator.post(url, form_of(refused) | {"scope": "goal,progress"})

    assert response.status_code == 302


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"outcome": "not_occurred"}, "needs a reason"),
        ({"outcome": "not_occurred", "reason": "   "}, "needs a reason"),
        ({"outcome": "maybe", "reason": "x"}, "Choose one of the three answers"),
        ({}, "Choose what is true"),
        ({"outcome": "occurred", "external_id": "x" * 513}, "at most 512"),
    ],
)
def test_an_incomplete_answer_is_422_and_writes_nothing(
    operator, console, uncertain, answer, message
):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    hidden = form_of(operator.get(url))
    before = written(console, run_id)

    response = operator.post(url, hidden | answer)

    assert response.status_code == 422
    assert message in response.content.decode()
    assert written(console, run_id) == before


@pytest.mark.parametrize("missing", ["request_id", "seen_sequence", "seen_digest"])
def test_a_form_without_what_was_seen_is_refused(operator, console, uncertain, missing):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    answer = form_of(operator.get(url)) | {"outcome": "occurred"}
    del answer[missing]
    before = written(console, run_id)

    response = operator.post(url, answer)

    assert response.status_code == 422
    assert written(console, run_id) == before


def test_leaving_it_open_writes_nothing_and_keeps_the_item(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    before = written(console, run_id)

    response = operator.post(url, form_of(operator.get(url)) | {"outcome": "open"}, follow=True)

    assert "Left open" in response.content.decode()
    assert written(console, run_id) == before
    assert len(operator.get("/").context["screen"].items) == 1


def test_completing_writes_both_events_and_closes_the_run(operator, console, self_reported):
    run_id = self_reported()
    url = reverse("runs:complete", args=[run_id])
    before = len(written(console, run_id))

    response = operator.post(
        url, form_of(operator.get(url)) | {"summary": "All pages moved"}, follow=True
    )

    added = [kind for _, kind in written(console, run_id)[before:]]
    assert added == ["REVIEW_CONFIRMED", "RUN_COMPLETED"]
    assert str(console.run(run_id).status) == "completed"
    assert "The run is completed" in response.content.decode()


def test_completing_over_open_actions_needs_the_box_and_a_reason(operator, console, uncertain):
    run_id, _ = uncertain()
    url = reverse("runs:complete", args=[run_id])
    before = written(console, run_id)

    without_box = operator.post(url, form_of(operator.get(url)))
    without_reason = operator.post(url, form_of(operator.get(url)) | {"over_open_items": "1"})

    assert (without_box.status_code, without_reason.status_code) == (409, 422)
    assert written(console, run_id) == before
    both = form_of(operator.get(url)) | {"over_open_items": "1", "reason": "the bank is closed"}
    assert operator.post(url, both).status_code == 302


def test_compensating_needs_a_reason_and_a_completed_action(operator, console, uncertain):
    run_id, key = uncertain()
    url = reverse("runs:compensate", args=[run_id, key])
    too_early = operator.post(url, form_of(operator.get(url)) | {"reason": "refunded"})
    settle = settle_url(run_id, key)
    operator.post(settle, form_of(operator.get(settle)) | {"outcome": "occurred"})

    no_reason = operator.post(url, form_of(operator.get(url)))
    done = operator.post(url, form_of(operator.get(url)) | {"reason": "refunded, id r-1"})

    assert (too_early.status_code, no_reason.status_code, done.status_code) == (409, 422, 302)
    assert written(console, run_id)[-1][1] == "ACTION_COMPENSATED"


def test_one_request_id_answers_one_question_only(operator, console, uncertain):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    used = form_of(operator.get(url))
    operator.post(url, used | {"outcome": "occurred"})
    confirm = reverse("runs:confirm", args=[run_id])
    fresh = form_of(operator.get(confirm))
    before = written(console, run_id)

    response = operator.post(confirm, fresh | {"request_id": used["request_id"], "scope": "goal"})

    assert response.status_code == 409
    assert written(console, run_id) == before


def test_a_get_never_decides(operator, console, uncertain):
    run_id, key = uncertain()
    before = written(console, run_id)

    for url in (
        settle_url(run_id, key),
        reverse("runs:confirm", args=[run_id]),
        reverse("runs:complete", args=[run_id]),
        reverse("runs:compensate", args=[run_id, key]),
    ):
        assert operator.get(url + "?outcome=occurred&scope=goal").status_code == 200

    assert written(console, run_id) == before


def test_nothing_is_decided_on_a_broken_chain(operator, console, uncertain, execute):
    run_id, key = uncertain()
    url = settle_url(run_id, key)
    hidden = form_of(operator.get(url))
    execute("UPDATE events SET payload = '{}' WHERE run_id = ? AND sequence = 1", run_id)
    before = len(written(console, run_id))

    response = operator.post(url, hidden | {"outcome": "occurred"})

    assert response.status_code == 500
    assert "broken" in response.content.decode()
    assert len(written(console, run_id)) == before
