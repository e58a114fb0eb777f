"""Deciding: what is written, what is refused, and what is told afterwards."""

from __future__ import annotations

import pytest

from continuum.core.errors import (
    AlreadyDecided,
    Conflict,
    Corrupted,
    DecisionChanged,
    InvalidInput,
    ItemHeld,
    OpenItems,
    Refused,
)
from continuum.domain.events import Origin
from continuum.services.actions import Settlement, find_slot
from continuum.services.acts import Act
from continuum.services.decisions import compensate, complete, confirm, settle
from continuum.services.desk import claim
from continuum.services.inbox import open_items
from continuum.services.offers import prepare
from continuum.services.recovery import assess
from continuum.services.summaries import catch_up
from continuum.store.modelport import ItemQuery
from tests.services.acting import (
    LATER,
    by_ada,
    claimed,
    completed,
    reported,
    started,
    types_of,
)


def test_a_confirmation_names_person_reason_surface_and_what_was_seen(store):
    run_id = started(store, agent=True)
    reported(store, run_id, 3, 10)

    decision = confirm(store, run_id, by_ada(seen_sequence=2, request_id="r-1"))

    (event,) = decision.events
    assert event.source is Origin.HUMAN
    assert event.payload == {
        "components": ["goal", "progress"],
        "by": "ada",
        "reason": "checked the log",
        "via": "cli",
        "request_id": "r-1",
        "seen_sequence": 2,
    }
    assert decision.verdict.safe


def test_a_scoped_confirmation_leaves_the_rest_to_review(store):
    run_id = started(store, agent=True)
    reported(store, run_id, 3, 10)

    decision = confirm(store, run_id, by_ada(), scope=("goal",))

    assert decision.events[0].payload["components"] == ["goal"]
    assert [one.target for one in decision.verdict.findings] == ["progress"]


@pytest.mark.parametrize("scope", [(), ("plan",), ("goal", "plan")])
def test_a_scope_that_names_something_else_is_refused_and_writes_nothing(store, scope):
    run_id = started(store, agent=True)

    with pytest.raises(InvalidInput, match="goal"):
        confirm(store, run_id, by_ada(), scope=scope)

    assert store.head(run_id).sequence == 1


def test_a_repeated_request_is_answered_again_and_writes_nothing(store):
    run_id = started(store, agent=True)
    first = confirm(store, run_id, by_ada(request_id="form-1"))

    again = confirm(store, run_id, by_ada(request_id="form-1"))

    assert again.repeated
    assert again.events == first.events
    assert store.head(run_id).sequence == 2


def test_a_request_id_serves_one_decision_only(store):
    run_id = started(store, agent=True)
    confirm(store, run_id, by_ada(request_id="form-1"))

    with pytest.raises(Conflict, match="already used"):
        complete(store, run_id, by_ada(request_id="form-1"))

    assert store.head(run_id).sequence == 2


def test_a_confirmation_of_something_else_than_shown_is_refused(store):
    run_id = started(store, agent=True)
    reported(store, run_id, 3, 10)
    shown = prepare(store, run_id, "confirm", at=LATER)
    reported(store, run_id, 9, 10)
    act = by_ada(seen_sequence=shown.seen_sequence, seen_digest=shown.seen_digest)

    with pytest.raises(DecisionChanged, match="then event 2, now 3"):
        confirm(store, run_id, act)

    assert store.head(run_id).sequence == 3


def test_progress_does_not_refuse_the_settlement_of_an_action(store):
    run_id = started(store, agent=True)
    key = claimed(store, run_id)
    shown = prepare(store, run_id, "settle", key, at=LATER)
    reported(store, run_id, 9, 10)
    act = by_ada(seen_sequence=shown.seen_sequence, seen_digest=shown.seen_digest)

    decision = settle(store, run_id, key, act, Settlement(occurred=True, external_id="x9"))

    assert decision.events[0].payload["action"]["status"] == "completed"


def test_a_settlement_says_who_found_out_and_what(store):
    run_id = started(store)
    claimed(store, run_id)

    decision = settle(store, run_id, "invoice:1", by_ada(), Settlement(True, external_id="x9"))

    (event,) = decision.events
    assert (str(event.type), event.source) == ("ACTION_RECONCILED", Origin.HUMAN)
    assert event.payload["by"] == "ada"
    assert event.payload["action"]["external_id"] == "x9"
    assert event.payload["action"]["last_error"] == "checked the log"
    assert decision.verdict.safe


def test_saying_it_did_not_happen_needs_a_reason(store):
    run_id = started(store)
    key = claimed(store, run_id)

    with pytest.raises(InvalidInput, match="reason"):
        settle(store, run_id, key, by_ada(reason=" "), Settlement(False))

    assert find_slot(store, run_id, key).action.status == "started"


def test_a_settled_action_is_not_settled_again_without_saying_so(store):
    run_id = started(store)
    key = completed(store, run_id)
    head = store.head(run_id)

    with pytest.raises(AlreadyDecided):
        settle(store, run_id, key, by_ada(), Settlement(False))

    assert store.head(run_id) == head


def test_an_override_reopens_a_settled_action_with_a_reason(store):
    run_id = started(store)
    key = completed(store, run_id)

    decision = settle(store, run_id, key, by_ada(), Settlement(False, correction=True))

    assert decision.events[0].payload["status"] == "failed"


def test_a_compensation_needs_a_reason_and_a_completed_action(store):
    run_id = started(store)
    done, open_key = completed(store, run_id), claimed(store, run_id, "invoice:2")

    with pytest.raises(InvalidInput, match="reason"):
        compensate(store, run_id, done, by_ada(reason=""))
    with pytest.raises(Refused):
        compensate(store, run_id, open_key, by_ada())
    decision = compensate(store, run_id, done, by_ada())

    assert decision.events[0].payload["action"]["compensated_by"] == ["ada"]


def test_completing_confirms_closes_and_sets_the_row_in_one_step(store):
    run_id = started(store, agent=True)

    decision = complete(store, run_id, by_ada(), summary="all sent")

    assert types_of(store, run_id, after=1) == ["REVIEW_CONFIRMED", "RUN_COMPLETED"]
    assert decision.events[1].payload["summary"] == "all sent"
    assert decision.events[1].payload["closed_by"] == "cli"
    assert store.run(run_id).status == "completed"
    assert not decision.verdict.safe


def test_o14_completing_over_an_open_question_needs_saying_so(store):
    run_id = started(store)
    key = claimed(store, run_id)

    with pytest.raises(OpenItems, match="send_email"):
        complete(store, run_id, by_ada())
    with pytest.raises(InvalidInput, match="reason"):
        complete(store, run_id, by_ada(reason=""), over_open_items=True)
    assert store.head(run_id).sequence == 2
    complete(store, run_id, by_ada(), over_open_items=True)

    assert find_slot(store, run_id, key).action.is_unresolved
    head = store.head(run_id)
    assert complete(store, run_id, by_ada()).repeated
    assert store.head(run_id) == head


def test_nothing_is_decided_on_a_broken_chain(store, damage):
    run_id = started(store, agent=True)
    reported(store, run_id, 3, 10)
    damage(run_id, 1, payload='{"goal": "something else"}')

    with pytest.raises(Corrupted, match="broken"):
        confirm(store, run_id, by_ada())

    assert store.head(run_id).sequence == 2


def test_a_closed_run_takes_no_confirmation(store):
    run_id = started(store)
    complete(store, run_id, by_ada())
    head = store.head(run_id)

    with pytest.raises(Refused, match="completed"):
        confirm(store, run_id, by_ada())

    assert store.head(run_id) == head


def test_the_lists_show_a_decision_as_soon_as_it_is_written(store):
    run_id = started(store)
    key = claimed(store, run_id)

    settle(store, run_id, key, by_ada(), Settlement(True))

    summary = store.summary(run_id)
    assert summary is not None
    assert (summary.mode, summary.open_actions) == ("resume", 0)
    assert assess(store, run_id, at=LATER).safe


def test_what_somebody_else_claimed_is_left_to_them(store):
    run_id = started(store)
    key = claimed(store, run_id)
    catch_up(store, limit=10, at=LATER)
    (item,) = open_items(store, ItemQuery())
    claim(store, item.item_id, Act("bob", "cli", LATER))
    head = store.head(run_id)

    with pytest.raises(ItemHeld, match="bob"):
        settle(store, run_id, key, by_ada(), Settlement(True))
    assert store.head(run_id) == head
    decision = settle(store, run_id, key, by_ada(by="bob"), Settlement(True))

    assert decision.events[0].payload["by"] == "bob"


def test_a_claim_on_one_action_does_not_hold_up_another(store):
    run_id = started(store)
    held, free = claimed(store, run_id, "a"), claimed(store, run_id, "b")
    catch_up(store, limit=10, at=LATER)
    (item,) = [one for one in open_items(store, ItemQuery()) if one.target == held]
    claim(store, item.item_id, Act("bob", "cli", LATER))

    assert settle(store, run_id, free, by_ada(), Settlement(True)).events
