"""policy and proposals: two people from a terminal."""

from __future__ import annotations

import pytest

from continuum.services.events import list_events
from tests.commands import run_ours
from tests.services.acting import claimed, completed, started


@pytest.fixture
def guarded(store):
    """A run with a claimed email, which takes two people to settle."""
    key = claimed(store, started(store))
    answer = run_ours("policy", "set", "send_email", "--by", "root", "--reason", "audit 7")
    assert answer.stdout == "Settling or undoing send_email takes two people.\n"
    return key


def settle(key, by, *more):
    return run_ours(
        "reconcile", "run-a", "--action", key, "--occurred", "--by", by, "--reason", "saw it", *more
    )


def payloads(store):
    return [event.payload for event in list_events(store, "run-a")]


def test_the_first_person_is_told_how_a_second_one_confirms(store, guarded):
    answer = settle(guarded, "ada")

    assert answer.exit_code == 20
    assert "somebody else has to run" in answer.stdout
    [row] = store.proposals("run-a")
    assert f"continuum proposals confirm run-a {row.proposal_id}" in answer.stdout
    assert len(payloads(store)) == 2


def test_the_second_person_repeats_the_command_and_it_is_written(store, guarded):
    settle(guarded, "ada")

    answer = settle(guarded, "bob")

    assert answer.exit_code == 0
    last = payloads(store)[-1]
    assert (last["by"], last["proposed_by"], last["via"]) == ("bob", "ada", "cli")


def test_the_same_person_twice_is_refused_and_writes_nothing(store, guarded):
    settle(guarded, "ada")

    answer = settle(guarded, "Ada")

    assert answer.exit_code == 1
    assert "different person" in answer.stderr
    assert len(payloads(store)) == 2


def test_a_proposal_is_listed_confirmed_and_withdrawn_by_its_id(store, guarded):
    document = run_ours(
        "--json", "reconcile", "run-a", "--action", guarded, "--occurred", "--by", "ada"
    ).document
    proposal = document["proposal"]["proposal_id"]

    listed = run_ours("--json", "proposals", "list", "run-a").document["proposals"]
    wrong = run_ours("proposals", "confirm", "run-a", "proposal_x", "--by", "bob")
    right = run_ours("--json", "proposals", "confirm", "run-a", proposal, "--by", "bob")
    late = run_ours("proposals", "withdraw", "run-a", proposal, "--by", "ada")

    assert document["proposed"] is True
    assert [(one["person"], one["status"]) for one in listed] == [("ada", "open")]
    assert listed[0]["answer"]["occurred"] is True
    assert wrong.exit_code == 2
    assert right.exit_code == 0
    assert right.document["events"][0]["type"] == "ACTION_RECONCILED"
    assert late.exit_code == 1
    assert "confirmed by bob" in late.stderr


def test_declining_needs_a_reason(store, guarded):
    settle(guarded, "ada")
    [row] = store.proposals("run-a")

    silent = run_ours("proposals", "withdraw", "run-a", row.proposal_id, "--by", "bob")
    said = run_ours(
        "proposals", "withdraw", "run-a", row.proposal_id, "--by", "bob", "--reason", "not sent"
    )

    assert silent.exit_code == 1
    assert said.stdout == "The proposal is declined.\n"


def test_completing_over_open_items_and_undoing_are_bound_too(store):
    done = completed(store, started(store))
    claimed(store, "run-a", "invoice:2")
    run_ours("policy", "set", "--over-open-items", "--reason", "audit 8")
    run_ours("policy", "set", "*", "--reason", "audit 9")

    closing = run_ours("complete", "run-a", "--over-open-items", "--by", "ada", "--reason", "ok")
    undoing = run_ours("compensate", "run-a", done, "--by", "ada", "--reason", "refunded")

    assert (closing.exit_code, undoing.exit_code) == (20, 20)
    assert [row.verb for row in store.proposals("run-a")] == ["compensate", "complete"]
    assert "REVIEW_CONFIRMED" not in {str(one.type) for one in list_events(store, "run-a")}


def test_rules_are_listed_cleared_and_kept(store, guarded):
    again = run_ours("policy", "set", "send_email", "--reason", "once more")
    cleared = run_ours("policy", "clear", "send_email", "--reason", "moved to the bank")
    unknown = run_ours("policy", "set", "--reason", "no subject")
    silent = run_ours("policy", "set", "x")

    assert "already; nothing was changed" in again.stdout
    assert cleared.stdout == "Settling or undoing send_email takes one person.\n"
    assert (unknown.exit_code, silent.exit_code) == (1, 1)
    assert run_ours("policy", "list").stdout.startswith("No rule")
    history = run_ours("--json", "policy", "list", "--history").document["rules"]
    assert [one["reason"] for one in history] == ["moved to the bank", "audit 7"]
    assert settle(guarded, "ada").exit_code == 0
