"""Claims over the door: one winner, live claims wait, a late holder is heard."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from continuum import open_store
from tests.conftest import NOON
from tests.mcp.talking import Caller

RACES = 200
CLAIM = {"run_id": "run-a", "action_type": "pay", "key": "k"}


@pytest.fixture
def first(store):
    caller = Caller(store, connection="connection-1")
    caller.data("record_progress", run_id="run-a", completed=0, goal="demo")
    return caller


def test_of_two_claimants_one_wins_every_race(store_url):
    with open_store(store_url) as one, open_store(store_url) as other:
        Caller(one).data("record_progress", run_id="run-a", completed=0, goal="demo")
        callers = [
            Caller(one, name="probe", connection="connection-1"),
            Caller(other, name="other", connection="connection-2"),
        ]
        with ThreadPoolExecutor(2) as threads:
            for number in range(RACES):
                wanted = {**CLAIM, "key": f"k{number}"}
                answers = list(
                    threads.map(
                        lambda caller, w=wanted: caller.data("intercept_action", **w), callers
                    )
                )
                told = Counter(answer["proceed"] for answer in answers)
                assert told == {True: 1, False: 1}, answers
                (waits,) = [answer for answer in answers if not answer["proceed"]]
                assert waits["in_flight"] is True

        assert one.head("run-a").sequence == 2 + RACES


def test_a_live_claim_is_told_with_since_when(store, first):
    mine = first.data("intercept_action", **CLAIM)
    head = store.head("run-a")

    told = Caller(store, name="other", connection="connection-2").data("intercept_action", **CLAIM)

    assert (told["proceed"], told["status"], told["in_flight"]) == (False, "started", True)
    assert told["action_key"] == mine["action_key"]
    assert told["started_at"] == "2026-12-01T12:00:00Z"
    assert store.head("run-a") == head
    assert first.data("complete_action", run_id="run-a", action_key=mine["action_key"])


def test_the_same_client_on_a_new_connection_has_lost_its_attempt(store, first):
    first.data("intercept_action", **CLAIM)

    told = Caller(store, connection="connection-2").data("intercept_action", **CLAIM)

    assert (told["proceed"], told["status"]) == (False, "unknown")
    assert "continuum_reconcile_action" in told["guidance"]


def test_after_the_lease_the_attempt_is_in_doubt_and_its_holder_still_heard(store, first):
    mine = first.data("intercept_action", **CLAIM)
    late = NOON + timedelta(minutes=15)
    other = Caller(store, name="other", connection="connection-2", at=late)

    assert other.data("intercept_action", **CLAIM)["status"] == "unknown"
    first.at = late
    done = first.data(
        "complete_action", run_id="run-a", action_key=mine["action_key"], external_id="x-1"
    )

    assert done["status"] == "completed"
    last = list(store.events("run-a"))[-1]
    assert str(last.type) == "ACTION_RECONCILED"
    assert "another claim" in last.payload["action"]["last_error"]
    assert other.data("intercept_action", **CLAIM)["external_id"] == "x-1"


def test_attempts_are_counted_down(store, first):
    remaining = []
    for _ in range(3):
        claim = first.data("intercept_action", **CLAIM)
        remaining.append((claim["attempt"], claim["attempts_remaining"]))
        first.data(
            "fail_action", run_id="run-a", action_key=claim["action_key"], error="no", certain=True
        )

    assert remaining == [(1, 2), (2, 1), (3, 0)]
    refusal = first.refusal("intercept_action", **CLAIM)
    assert refusal["code"] == "budget_exhausted"
    assert "action_types.pay.max_attempts" in refusal["text"]
