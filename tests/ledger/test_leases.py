"""Leases on a real store: who waits, who may go on, and what is written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import ClaimHeld, OutcomeUnknown, Refused
from continuum.domain.actions import ActionStatus
from continuum.domain.events import Draft
from continuum.domain.leases import LEASE_SECONDS
from continuum.domain.runs import RunStatus
from continuum.services.actions import (
    Claim,
    Holder,
    claim_action,
    complete_action,
    fail_action,
    find_slot,
)
from tests.ledger.memory import NOON, insert_runs

RUN = "run-a"
ALICE = Holder("alice", "connection-1")
ALICE_AGAIN = Holder("alice", "connection-2")
BOB = Holder("bob", "connection-3")
SOON = NOON + timedelta(seconds=LEASE_SECONDS - 1)
LATE = NOON + timedelta(seconds=LEASE_SECONDS)


@pytest.fixture
def run(store):
    insert_runs(store, RUN)
    return store


def claim(store, holder, at=NOON):
    return claim_action(store, RUN, Claim("pay", key="k", holder=holder), at=at)


def events(store):
    return list(store.events(RUN))


def statuses(store):
    return [(str(one.type), one.payload["status"]) for one in events(store)]


def test_a_claim_says_who_holds_it_and_until_when(run):
    claim(run, ALICE)

    assert events(run)[-1].payload["lease"] == {
        "client": "alice",
        "connection": "connection-1",
        "taken_at": "2026-12-01T12:00:00Z",
        "until": "2026-12-01T12:15:00Z",
    }


@pytest.mark.parametrize("claimant", [BOB, ALICE, None], ids=["other", "same", "unnamed"])
def test_a_live_claim_makes_others_wait_and_writes_nothing(run, claimant):
    key = claim(run, ALICE).key

    with pytest.raises(ClaimHeld) as caught:
        claim(run, claimant, at=SOON)

    assert (caught.value.key, caught.value.started_at) == (key, "2026-12-01T12:00:00Z")
    assert caught.value.action_id == find_slot(run, RUN, key).action.action_id
    assert len(events(run)) == 1


def test_the_holder_can_complete_what_others_wait_for(run):
    key = claim(run, ALICE).key
    with pytest.raises(ClaimHeld):
        claim(run, BOB, at=SOON)

    answer = complete_action(run, RUN, key, external_id="x-1", holder=ALICE, at=SOON)

    assert answer.action.status is ActionStatus.COMPLETED
    assert not claim(run, BOB, at=SOON).proceed


@pytest.mark.parametrize(
    ("claimant", "at"),
    [(BOB, LATE), (ALICE, LATE), (None, LATE), (ALICE_AGAIN, SOON)],
    ids=["other, too late", "same, too late", "unnamed, too late", "after a restart"],
)
def test_a_claim_that_is_over_or_was_left_behind_becomes_unknown(run, claimant, at):
    claim(run, ALICE)

    with pytest.raises(OutcomeUnknown):
        claim(run, claimant, at=at)

    assert statuses(run)[-1] == ("ACTION_RECORDED", "unknown")


def test_a_claim_without_a_lease_becomes_unknown_at_once(run):
    claim(run, None)

    with pytest.raises(OutcomeUnknown):
        claim(run, BOB)


def test_the_holder_of_a_doubted_attempt_may_still_say_that_it_is_done(run):
    key = claim(run, ALICE).key
    with pytest.raises(OutcomeUnknown):
        claim(run, BOB, at=LATE)

    answer = complete_action(run, RUN, key, external_id="x-1", holder=ALICE, at=LATE)

    assert statuses(run)[-1] == ("ACTION_RECONCILED", "completed")
    assert answer.action.external_id == "x-1"
    assert "another claim" in (answer.action.last_error or "")


@pytest.mark.parametrize("by", [BOB, ALICE_AGAIN, None], ids=["other", "restarted", "unnamed"])
def test_nobody_else_completes_a_doubted_attempt(run, by):
    key = claim(run, ALICE).key
    with pytest.raises(OutcomeUnknown):
        claim(run, BOB, at=LATE)

    with pytest.raises(OutcomeUnknown):
        complete_action(run, RUN, key, holder=by, at=LATE)

    assert len(events(run)) == 2


def test_a_doubted_attempt_is_completed_by_its_key_only(run):
    key = claim(run, ALICE).key
    with pytest.raises(OutcomeUnknown):
        claim(run, BOB, at=LATE)

    with pytest.raises(OutcomeUnknown):
        action_id = find_slot(run, RUN, key).action.action_id
        complete_action(run, RUN, action_id, holder=ALICE, at=LATE)


def test_what_the_holder_itself_left_unknown_is_not_completed(run):
    key = claim(run, ALICE).key
    fail_action(run, RUN, key, error="timeout", at=NOON)

    with pytest.raises(OutcomeUnknown):
        complete_action(run, RUN, key, holder=ALICE, at=NOON)


def test_a_new_attempt_has_a_lease_of_its_own(run):
    key = claim(run, ALICE).key
    fail_action(run, RUN, key, error="declined", certain=True, at=NOON)
    claim(run, BOB, at=LATE)

    with pytest.raises(ClaimHeld, match="bob"):
        claim(run, ALICE, at=LATE)


@pytest.mark.parametrize("status", [RunStatus.COMPLETED, RunStatus.ABORTED])
def test_a_closed_run_takes_no_claim_but_what_it_left_open_is_settled(run, status):
    key = claim(run, ALICE).key
    with run.writing(RUN) as writer:
        writer.set_run_status(RUN, status, NOON)

    with pytest.raises(Refused, match=status):
        claim_action(run, RUN, Claim("pay", key="other", holder=BOB), at=NOON)

    assert complete_action(run, RUN, key, holder=ALICE, at=NOON).event is not None
    assert len(events(run)) == 2


@pytest.mark.parametrize("broken", [None, 3, {}, {"client": "a", "connection": 1, "until": "x"}])
def test_a_lease_that_cannot_be_read_is_none(run, broken):
    wanted = Claim("pay", key="k")
    claim_action(run, RUN, wanted, at=NOON)
    started = events(run)[-1]
    with run.writing(RUN) as writer:
        payload = started.payload | {"lease": broken}
        writer.append(RUN, [Draft(started.type, payload, started.source, NOON)])

    with pytest.raises(OutcomeUnknown):
        claim(run, BOB)
