"""confirm, complete, reconcile, compensate: what people decide from a terminal."""

from __future__ import annotations

import os
import pwd

import pytest

from continuum.services.events import list_events
from tests.commands import run_ours
from tests.services.acting import claimed, completed, reported, started


def events_of(store, run_id):
    return list(list_events(store, run_id))


def test_confirm_names_who_and_why_and_exits_with_the_verdict(store):
    reported(store, started(store, agent=True), 3, 10)
    assert run_ours("resume", "run-a").exit_code == 20

    answer = run_ours("--json", "confirm", "run-a", "--by", "ada", "--reason", "counted them")

    assert answer.exit_code == 0
    assert answer.document == {
        "mode": "resume",
        "next_allowed_action": None,
        "run_id": "run-a",
        "safe": True,
    }
    payload = events_of(store, "run-a")[-1].payload
    assert (payload["by"], payload["reason"], payload["via"]) == ("ada", "counted them", "cli")


def test_without_by_the_operating_system_user_decides(store):
    reported(store, started(store, agent=True), 3, 10)

    run_ours("confirm", "run-a", environment={"USER": "mallory", "LOGNAME": "mallory"})

    assert events_of(store, "run-a")[-1].payload["by"] == pwd.getpwuid(os.getuid()).pw_name


def test_a_scoped_confirmation_covers_only_its_part(store):
    reported(store, started(store, agent=True), 3, 10)

    answer = run_ours("confirm", "run-a", "--scope", "goal")

    assert answer.exit_code == 20
    assert events_of(store, "run-a")[-1].payload["components"] == ["goal"]


@pytest.mark.parametrize("words", [["--scope", "everything"], ["--by", " "], ["--scope", ""]])
def test_a_confirmation_that_makes_no_sense_is_refused_and_writes_nothing(words, store):
    reported(store, started(store, agent=True), 3, 10)
    before = events_of(store, "run-a")

    answer = run_ours("--json", "confirm", "run-a", *words)

    assert (answer.exit_code, answer.stdout) == (1, "")
    assert events_of(store, "run-a") == before


def test_o14_completing_over_an_unknown_outcome_needs_the_word_and_a_reason(store):
    claimed(store, started(store))
    before = events_of(store, "run-a")

    assert run_ours("complete", "run-a").exit_code == 1
    assert run_ours("complete", "run-a", "--over-open-items").exit_code == 1
    assert events_of(store, "run-a") == before

    done = run_ours(
        "--json", "complete", "run-a", "--summary", "as far as it goes", "--over-open-items",
        "--reason", "the mail server is gone",
    )  # fmt: skip
    assert (done.exit_code, done.document) == (
        0,
        {"run_id": "run-a", "status": "completed", "summary": "as far as it goes"},
    )
    after = events_of(store, "run-a")
    again = run_ours("complete", "run-a")
    assert again.exit_code == 0
    assert "nothing was written" in again.stdout
    assert events_of(store, "run-a") == after
    assert run_ours("actions", "run-a").exit_code == 20


def test_a_person_settles_one_action_by_key_or_id(store):
    key = claimed(store, started(store))
    claimed(store, "run-a", "invoice:2")

    first = run_ours(
        "reconcile", "run-a", "--action", key, "--occurred", "--external-id", "m-1", "--by", "ada"
    )
    second = run_ours(
        "--json", "reconcile", "run-a", "--action", "invoice:2", "--not-occurred",
        "--reason", "no such mail was sent",
    )  # fmt: skip

    assert first.exit_code == 20
    assert second.exit_code == 0
    assert second.document["mode"] == "resume"
    assert second.document["events"][0]["type"] == "ACTION_RECONCILED"
    settled = [one for one in events_of(store, "run-a") if one.type == "ACTION_RECONCILED"]
    assert [one.source for one in settled] == ["human", "human"]
    assert settled[0].payload["by"] == "ada"
    assert settled[0].payload["action"]["external_id"] == "m-1"
    assert settled[1].payload["action"]["status"] == "failed"


@pytest.mark.parametrize(
    "words",
    [
        ["--action", "invoice:1"],
        ["--occurred"],
        ["--action", "invoice:1", "--not-occurred"],
        ["--action", "invoice:1", "--occurred", "--dry-run"],
        ["--action", "invoice:1", "--occurred", "--config", "probes.json"],
        ["--external-id", "x"],
    ],
)
def test_a_settlement_that_is_not_clear_is_refused_and_writes_nothing(words, store):
    claimed(store, started(store))
    before = events_of(store, "run-a")

    answer = run_ours("--json", "reconcile", "run-a", *words)

    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr.startswith("error: ")
    assert events_of(store, "run-a") == before


def test_occurred_and_not_occurred_together_are_a_usage_error(store):
    claimed(store, started(store))

    answer = run_ours("reconcile", "run-a", "--action", "invoice:1", "--occurred", "--not-occurred")

    assert (answer.exit_code, answer.stdout) == (2, "")


def test_an_unknown_action_is_not_found(store):
    started(store)

    assert run_ours("reconcile", "run-a", "--action", "none", "--occurred").exit_code == 2
    assert run_ours("compensate", "run-a", "none", "--reason", "r").exit_code == 2


def test_compensating_needs_a_reason_and_records_it(store):
    key = completed(store, started(store))

    assert run_ours("compensate", "run-a", key).exit_code == 1
    answer = run_ours("--json", "compensate", "run-a", key, "--reason", "refunded", "--by", "ada")

    assert answer.exit_code == 0
    event = events_of(store, "run-a")[-1]
    assert (event.type, event.payload["reason"]) == ("ACTION_COMPENSATED", "refunded")
    assert answer.document["events"][0]["hash"] == event.hash


def test_settling_again_needs_override_and_a_reason(store):
    key = claimed(store, started(store))
    run_ours("reconcile", "run-a", "--action", key, "--occurred")

    settle = ("reconcile", "run-a", "--action", key, "--not-occurred", "--reason", "bounced")

    assert run_ours(*settle).exit_code == 1
    assert run_ours(*settle, "--override").exit_code == 0
