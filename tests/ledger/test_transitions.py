"""Which changes of an action are legal, and what they write."""

from __future__ import annotations

import pytest

from continuum.core.canonical import stable_hash
from continuum.core.errors import (
    ActionNotFound,
    AlreadyDecided,
    DecisionChanged,
    InvalidInput,
    Refused,
    RunNotFound,
)
from continuum.domain.actions import Action, ActionStatus, Slot
from continuum.domain.events import EventType, Origin
from continuum.ledger.transitions import (
    NO_EFFECT_NOTE,
    Mark,
    Settlement,
    action_event,
    plan_compensation,
    plan_completion,
    plan_escalation,
    plan_failure,
    plan_settlement,
)
from continuum.services.actions import (
    Claim,
    claim_action,
    compensate_action,
    complete_action,
    escalate_action,
    fail_action,
    find_slot,
    list_actions,
    settle_action,
)
from tests.ledger.memory import NOON, memory_store

RUN = "run-a"
STATUSES = [str(status) for status in ActionStatus]
MARK = Mark(NOON)
VERBS = {
    "complete": lambda slot: plan_completion(slot, MARK),
    "fail": lambda slot: plan_failure(slot, MARK, error="e", certain=True),
    "fail uncertainly": lambda slot: plan_failure(slot, MARK, error="e"),
    "settle": lambda slot: plan_settlement(slot, Settlement(True), MARK),
    "correct": lambda slot: plan_settlement(slot, Settlement(False, correction=True), MARK),
    "compensate": lambda slot: plan_compensation(slot, MARK),
    "escalate": lambda slot: plan_escalation(slot, MARK, reason="r"),
}
UNSETTLED = {"started", "unknown", "requires_review", "planned", "expired"}
ALLOWED = {
    "complete": {"started", "completed"},
    "fail": {"started"},
    "fail uncertainly": {"started", "unknown"},
    "settle": UNSETTLED,
    "correct": UNSETTLED | {"completed", "failed"},
    "compensate": {"completed"},
    "escalate": {"started", "unknown"},
}
SETTLED = {"completed", "failed", "compensated"}


@pytest.fixture
def store():
    with memory_store(RUN) as opened:
        yield opened


def slot_in(status):
    return Slot("k" * 64, Action("action_1", RUN, "pay", status=ActionStatus(status)), 2, 3)


def claimed(store, **members):
    return claim_action(store, RUN, Claim("pay", **{"key": "k", **members}), at=NOON).key


def length(store):
    return len(list(store.events(RUN)))


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_allowed_from_exactly_these_statuses(verb, status):
    slot = slot_in(status)

    if status in ALLOWED[verb]:
        draft = VERBS[verb](slot)
        assert draft.payload["key"] == slot.key
        return
    expected = AlreadyDecided if status in SETTLED else Refused
    with pytest.raises(expected, match=status) as caught:
        VERBS[verb](slot)
    assert ";" in str(caught.value), "the message names the next step"


def test_completion_keeps_what_it_is_not_given_and_hashes_the_result(store):
    key = claimed(store)
    complete_action(store, RUN, key, external_id="x", at=NOON)

    answer = complete_action(store, RUN, key, result={"n": 1}, at=NOON)

    assert answer.event
    action = answer.event.payload["action"]
    assert (action["external_id"], action["result"]) == ("x", {"n": 1})
    assert action["result_hash"] == stable_hash({"n": 1})
    assert action["completed_at"] == "2026-12-01T12:00:00Z"


@pytest.mark.parametrize("again", [{}, {"external_id": "x"}, {"result": {"n": 1}}])
def test_completing_again_with_the_same_receipt_writes_nothing(store, again):
    key = claimed(store)
    complete_action(store, RUN, key, external_id="x", result={"n": 1}, at=NOON)
    before = length(store)

    answer = complete_action(store, RUN, key, at=NOON, **again)

    assert (answer.event, answer.action.external_id) == (None, "x")
    assert length(store) == before


@pytest.mark.parametrize("again", [{"external_id": "y"}, {"result": {"n": 2}}])
def test_completing_again_with_another_receipt_is_refused(store, again):
    key = claimed(store)
    complete_action(store, RUN, key, external_id="x", result={"n": 1}, at=NOON)
    before = length(store)

    with pytest.raises(AlreadyDecided, match="external id 'x'"):
        complete_action(store, RUN, key, at=NOON, **again)

    assert length(store) == before


def test_a_failure_is_uncertain_unless_said_otherwise(store):
    answer = fail_action(store, RUN, claimed(store), error="timeout", at=NOON)

    assert answer.event
    action = answer.event.payload["action"]
    assert (action["status"], action["side_effect_uncertain"]) == ("unknown", True)
    assert (action["last_error"], action["completed_at"]) == ("timeout", None)


@pytest.mark.parametrize("certain", [True, False])
def test_the_same_failure_twice_is_written_once(store, certain):
    key = claimed(store)
    fail_action(store, RUN, key, error="e", certain=certain, at=NOON)

    assert fail_action(store, RUN, key, error="e", certain=certain, at=NOON).event is None


def test_an_unknown_outcome_does_not_become_a_certain_failure(store):
    key = claimed(store)
    fail_action(store, RUN, key, error="e", at=NOON)
    before = length(store)

    with pytest.raises(Refused, match="settle"):
        fail_action(store, RUN, key, error="e", certain=True, at=NOON)

    assert length(store) == before


def test_settling_as_occurred_keeps_the_receipt_and_the_note(store):
    key = claimed(store)
    fail_action(store, RUN, key, error="e", at=NOON)

    answer = settle_action(
        store, RUN, key, occurred=True, external_id="x", note="seen", at=NOON,
        members={"by": "ann", "via": "console"}, source=Origin.HUMAN,
    )  # fmt: skip

    assert answer.event
    payload = answer.event.payload
    assert answer.event.type is EventType.ACTION_RECONCILED
    assert (answer.event.source, payload["by"], payload["via"]) == (Origin.HUMAN, "ann", "console")
    assert (payload["status"], payload["external_id"]) == ("completed", "x")
    assert payload["action"]["last_error"] == "seen"
    assert "by" not in payload["action"]


@pytest.mark.parametrize(("note", "recorded"), [("", NO_EFFECT_NOTE), ("looked", "looked")])
def test_settling_as_not_occurred_clears_the_receipt(store, note, recorded):
    key = claimed(store)
    complete_action(store, RUN, key, external_id="x", result={"n": 1}, at=NOON)

    answer = settle_action(store, RUN, key, occurred=False, note=note, correction=True, at=NOON)

    action = answer.action
    assert (action.status, action.external_id, action.result) == (ActionStatus.FAILED, None, None)
    assert (action.result_hash, action.last_error) == (None, recorded)
    assert action.completed_at is not None


def test_a_second_opposite_settlement_is_refused_and_writes_nothing(store):
    key = claimed(store)
    settle_action(store, RUN, key, occurred=True, at=NOON)
    before = length(store)

    with pytest.raises(AlreadyDecided, match="correction"):
        settle_action(store, RUN, key, occurred=False, at=NOON)

    assert length(store) == before


@pytest.mark.parametrize("occurred", [True, False])
def test_the_same_settlement_twice_is_written_once(store, occurred):
    key = claimed(store)
    settle_action(store, RUN, key, occurred=occurred, at=NOON)

    assert settle_action(store, RUN, key, occurred=occurred, at=NOON).event is None


def test_what_did_not_happen_has_no_receipt(store):
    key = claimed(store)
    before = length(store)

    with pytest.raises(InvalidInput, match="no external id"):
        settle_action(store, RUN, key, occurred=False, external_id="x", at=NOON)

    assert length(store) == before


def test_a_finding_about_an_action_that_moved_on_is_not_recorded(store):
    key = claimed(store)
    seen = find_slot(store, RUN, key).last_sequence
    fail_action(store, RUN, key, error="e", at=NOON)
    before = length(store)

    with pytest.raises(DecisionChanged, match="look again"):
        settle_action(store, RUN, key, occurred=True, at=NOON, seen_sequence=seen)

    assert length(store) == before


def test_compensation_names_who_undid_it_and_keeps_the_receipt(store):
    key = claimed(store)
    complete_action(store, RUN, key, external_id="x", at=NOON)

    answer = compensate_action(store, RUN, key, note="refunded", by="ann", at=NOON)

    assert answer.event
    assert answer.event.type is EventType.ACTION_COMPENSATED
    assert answer.event.payload["action"]["compensated_by"] == ["ann"]
    assert (answer.action.external_id, answer.action.last_error) == ("x", "refunded")
    assert compensate_action(store, RUN, key, by="bob", at=NOON).event is None


def test_an_escalated_action_waits_for_a_person(store):
    key = claimed(store)

    answer = escalate_action(store, RUN, key, reason="ask the bank", at=NOON)

    assert (answer.action.status, answer.action.last_error) == ("requires_review", "ask the bank")
    assert escalate_action(store, RUN, key, reason="again", at=NOON).event is None
    assert settle_action(store, RUN, key, occurred=True, at=NOON).action.status == "completed"


@pytest.mark.parametrize("name", ["key", "action", "status"])
def test_extra_members_never_replace_the_ledgers_own(name):
    slot = slot_in("started")

    with pytest.raises(InvalidInput, match=name):
        action_event(
            EventType.ACTION_RECORDED, slot.key, slot.action, Mark(NOON, members={name: 1})
        )


@pytest.mark.parametrize("receipt", [{"external_id": 7}, {"result": [1]}])
def test_a_receipt_of_the_wrong_type_is_refused(store, receipt):
    key = claimed(store)
    before = length(store)

    with pytest.raises(InvalidInput):
        complete_action(store, RUN, key, at=NOON, **receipt)

    assert length(store) == before


def test_an_action_is_found_by_any_of_its_names(store):
    key = claimed(store, key="invoice:INV-001")
    action_id = find_slot(store, RUN, key).action.action_id

    for name in (key, action_id, "invoice:INV-001", " invoice:INV-001 "):
        assert find_slot(store, RUN, name).key == key


def test_a_store_wide_key_is_found_by_its_text(store):
    key = claimed(store, key="k", scoped_to_run=False)

    assert find_slot(store, RUN, "k").key == key


def test_a_key_used_for_several_types_has_to_be_told_apart(store):
    claimed(store, key="k")
    claim_action(store, RUN, Claim("mail", key="k"), at=NOON)

    with pytest.raises(InvalidInput, match="mail, pay"):
        find_slot(store, RUN, "k")


@pytest.mark.parametrize("name", ["", "x" * 100, "é"])
def test_an_unknown_action_is_named_with_the_run_and_how_many_there_are(store, name):
    claimed(store)

    with pytest.raises(ActionNotFound) as caught:
        find_slot(store, RUN, name)

    for part in (RUN, repr(name[:16]), "among its 1"):
        assert part in str(caught.value)


def test_a_run_that_does_not_exist_has_no_actions(store):
    for look in (lambda: find_slot(store, "no", "k"), lambda: list_actions(store, "no")):
        with pytest.raises(RunNotFound):
            look()
