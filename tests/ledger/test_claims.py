"""Claims in sequence: the vectors, and where this client is more careful."""

from __future__ import annotations

import os.path

import pytest

from continuum.core.errors import (
    AlreadyDecided,
    BudgetExhausted,
    GrantSpent,
    InvalidInput,
    KeyReused,
    OutcomeUnknown,
    RunNotFound,
    TooLarge,
)
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.events import EventType
from continuum.ledger.identity import arguments_hash, ledger_key
from continuum.ledger.transitions import Mark, action_event
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
    list_actions,
    settle_action,
)
from tests.ledger.memory import NOON, memory_store
from tests.vectors import load_vectors

RUN = "run-a"
MATCHING = load_vectors("claim_matching")["cases"]
RECOGNITION = load_vectors("idempotency")["recognition"]
SEQUENCES = load_vectors("grant_sequences")["cases"]
SECOND_UNKNOWN_IS_SILENT = {
    "exact key, prior status unknown",
    "renamed argument, prior status unknown",
}
"""Deviation unknown-claimed-again: nothing is appended a second time."""

GRANT_DEVIATIONS: dict = {
    "spent by completion, same key and grant again": {2: {"fresh": False, "status": "completed"}},
    "not spent while unknown": {2: {"denied": "g-1", "prior_status": "unknown"}},
    "open attempt under one key, same grant under another": {
        1: {"denied": "g-1", "prior_status": "started"}
    },
    "fresh grant on a failed key is not attached": {
        4: {"denied": "g-2", "prior_status": "completed"}
    },
}
"""Deviations grant-cached-outcome, grant-held-while-open and grant-on-reopened."""


@pytest.fixture
def store():
    with memory_store(RUN, "run-b") as opened:
        yield opened


def pay(**members):
    return Claim("pay", **members)


def claim(store, wanted, run_id=RUN):
    return claim_action(store, run_id, wanted, at=NOON)


def log(store, run_id=RUN):
    return [(str(one.type), one.payload.get("status")) for one in store.events(run_id)]


def bring_to(store, status, wanted, *, external_id=None):
    """Claim and record what it takes to reach `status`; return the key."""
    key = claim(store, wanted).key
    if status in ("completed", "compensated"):
        complete_action(store, RUN, key, external_id=external_id, at=NOON)
    if status == "compensated":
        compensate_action(store, RUN, key, at=NOON)
    if status in ("failed", "unknown"):
        fail_action(store, RUN, key, error="e", certain=status == "failed", at=NOON)
    if status == "requires_review":
        escalate_action(store, RUN, key, reason="r", at=NOON)
    return key


@pytest.mark.parametrize("case", MATCHING, ids=lambda case: case["note"])
def test_claims_match_earlier_attempts_as_in_the_vectors(store, case):
    keys = []
    for one in case["prior"]:
        wanted = Claim(one["action_type"], one["arguments"], key=one.get("key"))
        keys.append(bring_to(store, one["then"], wanted, external_id=one.get("external_id")))
    assert keys == case["prior_keys"]
    call, expected, events = case["claim"], case["expected"], case["events"]
    wanted = Claim(
        call["action_type"],
        call["arguments"],
        key=call.get("key"),
        volatile=tuple(call.get("volatile", ())),
    )

    if "raises" in expected:
        with pytest.raises(OutcomeUnknown) as caught:
            claim(store, wanted)
        assert caught.value.key == expected["key"] == keys[expected["matched_prior"]]
        assert store.slot(RUN, expected["key"]).action.status == expected["status_after"]
    else:
        answer = claim(store, wanted)
        assert answer.proceed is expected["fresh"]
        assert (answer.key, answer.action.status) == (expected["key"], expected["status"])

    silent = case["note"] in SECOND_UNKNOWN_IS_SILENT
    assert [list(one) for one in log(store)] == (events[:-1] if silent else events)


@pytest.mark.parametrize("case", RECOGNITION, ids=lambda case: case["name"])
def test_recognition_agrees_with_the_second_set_of_vectors(store, case):
    first = claim(store, Claim("send", case["first"]))
    if case["first_outcome"] == "complete":
        complete_action(store, RUN, first.key, at=NOON)
    elif case["first_outcome"] == "fail":
        fail_action(store, RUN, first.key, error="e", certain=True, at=NOON)
    expected = case["result"]

    try:
        second = claim(store, Claim(case["second_type"], case["second"]))
    except OutcomeUnknown as refusal:
        assert "fresh" not in expected
        assert refusal.key == first.key
        return

    assert second.proceed is expected["fresh"]
    assert (second.key == first.key) is expected["same_key"]
    assert second.action.status == expected["status"]


@pytest.mark.parametrize("case", SEQUENCES, ids=lambda case: case["name"])
def test_grants_are_spent_as_in_the_vectors_or_named_deviations(store, case):
    changed: dict = GRANT_DEVIATIONS.get(case["name"], {})
    results = [changed.get(number, one) for number, one in enumerate(case["results"])]

    for step, expected in zip(case["steps"], results, strict=True):
        assert perform(store, step) == expected

    if not changed:
        found = [
            {"type": str(one.type), "status": one.payload.get("status"),
             "grant": one.payload.get("grant")}
            for one in store.events(RUN)
        ]  # fmt: skip
        assert found == case["events"]


def perform(store, step):
    key = ledger_key("pay", None, scope=RUN, explicit_key=step["key"])
    match step["op"]:
        case "complete":
            complete_action(store, RUN, key, at=NOON)
            return "ok"
        case "fail":
            fail_action(store, RUN, key, error="e", certain=step["certain"], at=NOON)
            return "ok"
        case "compensate":
            compensate_action(store, RUN, key, at=NOON)
            return "ok"
    try:
        answer = claim(store, pay(key=step["key"], grant=step["grant"]))
    except OutcomeUnknown:
        return {"unknown": True}
    except GrantSpent:
        denied = [*store.events(RUN, types=(EventType.GRANT_DENIED,))][-1].payload
        return {"denied": denied["grant_id"], "prior_status": denied["prior_status"]}
    return {"fresh": answer.proceed, "status": str(answer.action.status)}


def test_a_first_claim_records_the_whole_action(store):
    arguments = {"path": "/a//b", "attempt": 3}
    wanted = pay(
        arguments=arguments,
        volatile=("attempt",),
        dep_scope="bank",
        pinning={"model_id": "m"},
        grant={"id": "g", "scope": "pay"},
        caller="billing-bot",
    )

    answer = claim(store, wanted)

    payload = answer.event.payload
    assert list(payload) == sorted(
        ["key", "action_id", "action_type", "status", "external_id", "action", "pinning", "grant",
         "caller"]
    )  # fmt: skip
    assert payload["pinning"] == {"model_id": "m"}
    assert payload["grant"] == {"id": "g", "scope": "pay"}
    assert payload["caller"] == "billing-bot"
    action = payload["action"]
    assert action["arguments"] == arguments
    assert action["arguments_hash"] == arguments_hash({"path": "/a/b"})
    assert action["dep_scope"] == "bank"
    assert action["created_at"] == action["started_at"] == "2026-12-01T12:00:00Z"
    assert (answer.proceed, answer.attempt, answer.attempts_left) == (True, 1, 2)


def test_o02_a_late_failure_does_not_undo_a_success(store):
    key = bring_to(store, "completed", pay(key="k1"), external_id="x1")
    before = log(store)

    with pytest.raises(AlreadyDecided, match="completed with external id 'x1'"):
        fail_action(store, RUN, key, error="late", certain=True, at=NOON)

    again = claim(store, pay(key="k1"))
    assert (again.proceed, again.action.external_id) == (False, "x1")
    assert log(store) == before


def test_o03_the_opposite_direction_may_proceed(store):
    bring_to(store, "completed", Claim("xfer", {"from": "acc-1", "to": "acc-2"}))

    answer = claim(store, Claim("xfer", {"from": "acc-2", "to": "acc-1"}))

    assert answer.proceed


@pytest.mark.parametrize("status", ["started", "completed", "failed", "unknown", "compensated"])
def test_o04_a_key_used_for_another_call_is_a_conflict_naming_the_difference(store, status):
    bring_to(store, status, pay(key="k2", arguments={"amount": 100, "to": "a"}))
    before = log(store)

    with pytest.raises(KeyReused, match=r"amount was 100, now 5000"):
        claim(store, pay(key="k2", arguments={"amount": 5000, "to": "a"}))

    assert log(store) == before


@pytest.mark.parametrize(
    ("first", "second", "volatile"),
    [
        (None, {"amount": 1}, ()),
        ({"amount": 1}, None, ()),
        ({"amount": 1}, {}, ()),
        ({"amount": 1}, {"amount": 1}, ()),
        ({"amount": 1, "try": 1}, {"amount": 1, "try": 2}, ("try",)),
        ({"path": "/a//b"}, {"path": "/a/b"}, ()),
    ],
)
def test_absent_or_equal_arguments_under_a_key_are_no_conflict(store, first, second, volatile):
    bring_to(store, "completed", pay(key="k2", arguments=first))

    answer = claim(store, pay(key="k2", arguments=second, volatile=volatile))

    assert not answer.proceed


def test_arguments_volatile_at_the_first_claim_do_not_conflict_later(store):
    wanted = pay(key="k", arguments={"amount": 1, "try": 1}, volatile=("try",))
    bring_to(store, "completed", wanted)

    assert not claim(store, wanted._replace(arguments={"amount": 1, "try": 2})).proceed
    assert not claim(store, pay(key="k", arguments={"amount": 1})).proceed


@pytest.mark.parametrize("spelling", [" k2 ", "k2", "k2\n"])
def test_o05_blanks_around_a_key_find_the_first_record(store, spelling):
    key = bring_to(store, "completed", pay(key="k2"))

    answer = claim(store, pay(key=spelling))

    assert (answer.proceed, answer.key) == (False, key)
    assert key == ledger_key("pay", None, scope=RUN, explicit_key="k2")


def test_o05_a_decomposed_spelling_finds_the_composed_record(store):
    bring_to(store, "completed", pay(key="caf\u00e9"))

    assert not claim(store, pay(key="cafe\u0301")).proceed


def test_a_record_of_the_other_client_under_a_raw_spelling_is_found(store):
    raw = ledger_key("pay", None, scope=RUN, explicit_key=" k2 ")
    done = Action("action_1", RUN, "pay", status=ActionStatus.COMPLETED)
    with store.writing(RUN) as writer:
        writer.append(RUN, [action_event(EventType.ACTION_RECORDED, raw, done, Mark(NOON))])

    answer = claim(store, pay(key=" k2 "))

    assert (answer.proceed, answer.key) == (False, raw)


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (pay(key=""), InvalidInput),
        (pay(key=" "), InvalidInput),
        (pay(key="k" * 5_000_000), TooLarge),
        (Claim(" "), InvalidInput),
        (pay(arguments={"n": float("nan")}), InvalidInput),
        (pay(arguments=[1]), InvalidInput),
        (pay(pinning={"nope": "x"}), InvalidInput),
        (pay(grant={"id": "g"}), InvalidInput),
        (pay(dep_scope=3), InvalidInput),
    ],
)
def test_what_cannot_be_recorded_is_refused_before_anything_is_written(store, wanted, error):
    with pytest.raises(error):
        claim(store, wanted)

    assert log(store) == []


def test_an_unknown_run_is_refused(store):
    with pytest.raises(RunNotFound):
        claim(store, pay(key="k"), "nowhere")


def test_o06_an_open_attempt_at_an_empty_budget_is_unknown_not_exhausted(store):
    for _ in range(2):
        bring_to(store, "failed", pay(key="k"))
    claim(store, pay(key="k"))

    with pytest.raises(OutcomeUnknown):
        claim(store, pay(key="k"))

    assert log(store)[-1] == ("ACTION_RECORDED", "unknown")


def test_a_fourth_attempt_is_refused_and_the_setting_named(store):
    for attempt in (1, 2, 3):
        answer = claim(store, pay(key="k"))
        assert (answer.attempt, answer.attempts_left) == (attempt, 3 - attempt)
        fail_action(store, RUN, answer.key, error="e", certain=True, at=NOON)
    before = log(store)

    with pytest.raises(BudgetExhausted, match=r"action_types\.pay\.max_attempts"):
        claim(store, pay(key="k"))

    assert log(store) == before
    assert claim(store, pay(key="k", budgets=Budgets({"pay": 4}))).attempt == 4
    assert claim(store, pay(key="other")).attempt == 1


def test_the_budget_follows_an_action_recognised_by_its_tokens(store):
    bring_to(store, "completed", pay(arguments={"id": "INV-1"}))

    assert not claim(store, pay(arguments={"i": "INV-1"}, budgets=Budgets({"pay": 1}))).proceed


def test_an_effect_settled_as_done_uses_no_budget(store):
    key = bring_to(store, "unknown", pay(key="k"))
    settle_action(store, RUN, key, occurred=True, at=NOON)

    (row,) = budget_rows(store, RUN, Budgets())

    assert (row.action_type, row.attempts, row.remaining) == ("pay", 0, 3)
    assert attempts_of(store, RUN, key) == 1


def test_a_compensated_effect_may_begin_again_at_an_empty_budget(store):
    bring_to(store, "compensated", pay(key="k"))

    answer = claim(store, pay(key="k", budgets=Budgets({"pay": 1})))

    assert answer.proceed
    assert (answer.action.external_id, answer.attempts_left) == (None, 0)


def test_a_grant_of_a_reopened_action_is_spent_by_it(store):
    bring_to(store, "failed", pay(key="a"))
    key = claim(store, pay(key="a", grant={"id": "g-2", "scope": "pay"})).key
    complete_action(store, RUN, key, at=NOON)

    with pytest.raises(GrantSpent, match="g-2"):
        claim(store, pay(key="z", grant={"id": "g-2", "scope": "pay"}))

    (denied,) = store.events(RUN, types=(EventType.GRANT_DENIED,))
    assert denied.payload["prior_status"] == "completed"
    assert denied.payload["attempted_action_type"] == "pay"


def test_a_store_wide_claim_is_answered_by_another_run(store):
    wanted = pay(key="k", scoped_to_run=False)
    key = claim(store, wanted).key
    complete_action(store, RUN, key, external_id="x", at=NOON)

    answer = claim(store, wanted, "run-b")

    assert (answer.proceed, answer.key, answer.action.external_id) == (False, key, "x")
    assert log(store, "run-b") == []


@pytest.mark.parametrize("status", ["started", "unknown", "requires_review"])
def test_a_store_wide_claim_waits_for_another_runs_outcome(store, status):
    wanted = pay(key="k", scoped_to_run=False)
    bring_to(store, status, wanted)

    with pytest.raises(OutcomeUnknown) as caught:
        claim(store, wanted, "run-b")

    assert (caught.value.key, caught.value.action_id) == (None, None)
    assert log(store, "run-b") == []


def test_a_store_wide_action_is_not_reopened_where_another_run_did_it(store):
    wanted = pay(key="k", scoped_to_run=False)
    bring_to(store, "failed", wanted)
    key = claim(store, wanted, "run-b").key
    complete_action(store, "run-b", key, external_id="x", at=NOON)

    answer = claim(store, wanted)

    assert (answer.proceed, answer.action.external_id) == (False, "x")


def test_drift_is_told_when_the_pins_moved(store):
    claim(store, pay(key="a", pinning={"model_id": "m1"}))
    claim(store, pay(key="b"))

    answer = claim(store, pay(key="c", pinning={"model_id": "m2"}))

    assert answer.drift == ("pinning drift: model_id changed (m1... -> m2...)",)


def test_the_home_folder_enters_the_key(store):
    answer = claim(store, pay(arguments={"path": "~/out.csv"}))

    home = {"path": os.path.expanduser("~/out.csv")}
    assert answer.key == ledger_key("pay", home, scope=RUN)
    assert [slot.key for slot in list_actions(store, RUN)] == [answer.key]
