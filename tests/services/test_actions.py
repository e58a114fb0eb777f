"""The action services on a real store: what is committed, and the ledger as a state machine."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from continuum.core.errors import (
    AlreadyDecided,
    ContinuumError,
    GrantSpent,
    OutcomeUnknown,
    Refused,
    StoreReadOnly,
)
from continuum.domain.actions import ActionStatus
from continuum.domain.chain import ChainWalk
from continuum.domain.slots import fold_slots
from continuum.ledger.identity import ledger_key
from continuum.services.actions import (
    Budgets,
    Claim,
    attempts_of,
    budget_rows,
    claim_action,
    compensate_action,
    complete_action,
    escalate_action,
    fail_action,
    find_slot,
    settle_action,
)
from continuum.store.opening import open_store
from tests.ledger.memory import NOON, insert_runs

RUN = "run-a"
KEYS = st.sampled_from(["invoice:1", "invoice:2"])
RECEIPTS = st.sampled_from([None, "x-1", "x-2"])


@pytest.fixture
def url(store_url):
    """The address of a store, on each back end, that holds two runs."""
    with open_store(store_url) as store:
        insert_runs(store, RUN, "run-b")
    return store_url


def ledger(url):
    with open_store(url, read_only=True) as store:
        return [(one.type, one.payload.get("status")) for one in store.events(RUN)]


def compact(store, run_id):
    """Move all but the newest event to the archive."""
    with store.writing(run_id) as writer:
        writer.archive(run_id, store.head(run_id).sequence - 1)


def test_a_refused_claim_has_committed_the_doubt_it_raises(url):
    with open_store(url) as store:
        key = claim_action(store, RUN, Claim("pay", key="k"), at=NOON).key

        with pytest.raises(OutcomeUnknown) as caught:
            claim_action(store, RUN, Claim("pay", key="k"), at=NOON)

        assert caught.value.action_id == find_slot(store, RUN, key).action.action_id
    assert ledger(url) == [("ACTION_RECORDED", "started"), ("ACTION_RECORDED", "unknown")]


def test_a_denied_grant_is_committed_before_it_is_raised(url):
    grant = {"id": "g", "scope": "pay"}
    with open_store(url) as store:
        key = claim_action(store, RUN, Claim("pay", key="a", grant=grant), at=NOON).key
        complete_action(store, RUN, key, at=NOON)

        with pytest.raises(GrantSpent):
            claim_action(store, RUN, Claim("pay", key="b", grant=grant), at=NOON)

    assert ledger(url)[-1][0] == "GRANT_DENIED"


def test_a_store_opened_for_reading_takes_no_claim(url):
    with open_store(url, read_only=True) as store, pytest.raises(StoreReadOnly):
        claim_action(store, RUN, Claim("pay", key="k"), at=NOON)

    assert ledger(url) == []


def test_compaction_changes_no_answer(url):
    grant = {"id": "g", "scope": "pay"}
    with open_store(url) as store:
        done = claim_action(store, RUN, Claim("pay", key="done", grant=grant), at=NOON).key
        complete_action(store, RUN, done, external_id="x", at=NOON)
        for _ in range(3):
            failed = claim_action(store, RUN, Claim("mail", key="failed"), at=NOON).key
            fail_action(store, RUN, failed, error="e", certain=True, at=NOON)
        claim_action(store, RUN, Claim("pay", key="open"), at=NOON)
        compact(store, RUN)

        answer = claim_action(store, RUN, Claim("pay", key="done"), at=NOON)
        with pytest.raises(Refused, match="attempted 3 times"):
            claim_action(store, RUN, Claim("mail", key="failed"), at=NOON)
        with pytest.raises(GrantSpent):
            claim_action(store, RUN, Claim("pay", key="new", grant=grant), at=NOON)

        assert (answer.proceed, answer.action.external_id) == (False, "x")
        assert attempts_of(store, RUN, "failed") == 3
        assert [row[:2] for row in budget_rows(store, RUN, Budgets())] == [("mail", 3), ("pay", 1)]


def test_a_claim_is_answered_without_its_grant_once_it_is_done(url):
    grant = {"id": "g", "scope": "pay"}
    with open_store(url) as store:
        key = claim_action(store, RUN, Claim("pay", key="a", grant=grant), at=NOON).key
        complete_action(store, RUN, key, external_id="x", at=NOON)

        answer = claim_action(store, RUN, Claim("pay", key="a", grant=grant), at=NOON)

    assert (answer.proceed, answer.action.external_id) == (False, "x")


def test_names_reach_an_action_after_its_settlement(url):
    with open_store(url) as store:
        claim_action(store, RUN, Claim("pay", key="invoice:INV-001"), at=NOON)

        answer = settle_action(store, RUN, "invoice:INV-001", occurred=True, at=NOON)

    assert answer.key == ledger_key("pay", None, scope=RUN, explicit_key="invoice:INV-001")


class LedgerMachine(RuleBasedStateMachine):
    """Any verb in any order keeps the promises a claimant relies on."""

    def __init__(self, store, run_id):
        super().__init__()
        insert_runs(store, run_id)
        self.store = store
        self.run_id = run_id
        self.performing = set()
        """Keys somebody was told to perform and nobody has settled since."""
        self.done = set()
        """Keys whose effect happened and was neither undone nor corrected."""

    def attempt(self, verb, key, **members):
        """Return the answer, or None when the verb was refused; a refusal writes nothing."""
        before = len(list(self.store.events(self.run_id)))
        try:
            return verb(self.store, self.run_id, key, at=NOON, **members)
        except ContinuumError as refusal:
            assert isinstance(refusal, (AlreadyDecided, Refused)) or "no action" in str(refusal)
            assert len(list(self.store.events(self.run_id))) == before
            return None

    def settled(self, key, answer):
        if answer is None or answer.event is None:
            return
        self.performing.discard(key)
        (self.done.add if answer.action.status is ActionStatus.COMPLETED else self.done.discard)(
            key
        )

    @rule(key=KEYS)
    def claim(self, key):
        wanted = Claim("pay", key=key, budgets=Budgets(default=1000))
        try:
            answer = claim_action(self.store, self.run_id, wanted, at=NOON)
        except OutcomeUnknown:
            assert key not in self.done
            return
        if not answer.proceed:
            assert key in self.done
            return
        assert key not in self.performing, "two claimants perform one effect"
        assert key not in self.done, "an effect that happened is claimable"
        self.performing.add(key)

    @rule(key=KEYS, external_id=RECEIPTS)
    def complete(self, key, external_id):
        self.settled(key, self.attempt(complete_action, key, external_id=external_id))

    @rule(key=KEYS, certain=st.booleans())
    def fail(self, key, certain):
        answer = self.attempt(fail_action, key, error="e", certain=certain)
        if certain:
            self.settled(key, answer)
            assert answer is None or key not in self.done

    @rule(key=KEYS, occurred=st.booleans(), correction=st.booleans())
    def settle(self, key, occurred, correction):
        was_done = key in self.done
        answer = self.attempt(settle_action, key, occurred=occurred, correction=correction)
        self.settled(key, answer)
        assert not was_done or key in self.done or correction

    @rule(key=KEYS)
    def compensate(self, key):
        answer = self.attempt(compensate_action, key, by="ann")
        if answer is not None and answer.event is not None:
            assert key in self.done
            self.done.discard(key)

    @rule(key=KEYS)
    def escalate(self, key):
        self.attempt(escalate_action, key, reason="r")

    @rule()
    def archive_all_but_the_newest(self):
        if self.store.head(self.run_id).sequence > 1:
            compact(self.store, self.run_id)

    @invariant()
    def rows_are_the_fold_of_the_log(self):
        assert self.store.slots(self.run_id) == [
            *fold_slots(self.store.events(self.run_id)).values()
        ]

    @invariant()
    def recorded_outcomes_are_those_performed(self):
        for slot in self.store.slots(self.run_id):
            by_text = {find_slot(self.store, self.run_id, key).key: key for key in self.performing}
            if slot.key in by_text:
                assert slot.action.is_unresolved

    def teardown(self):
        walk = ChainWalk(self.run_id)
        walk.archive(self.store.event_rows(self.run_id, archived=True))
        walk.live(self.store.event_rows(self.run_id, archived=False))
        assert walk.result().ok


def test_the_ledger_keeps_its_promises_in_any_order(store):
    numbers = count(1)

    class OnFreshRun(LedgerMachine):
        def __init__(self):
            super().__init__(store, f"run-{next(numbers)}")

    run_state_machine_as_test(
        OnFreshRun,
        settings=settings(max_examples=60, stateful_step_count=25, deadline=None),
    )
