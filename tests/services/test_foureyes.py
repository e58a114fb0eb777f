"""Four-eyes: what takes two people, who may be the second, and what is kept."""

from __future__ import annotations

import pytest

from continuum.core.errors import (
    AlreadyDecided,
    Conflict,
    DecisionChanged,
    InvalidInput,
    ItemHeld,
    NotFound,
    OpenItems,
    SecondPersonNeeded,
)
from continuum.domain.events import Origin
from continuum.services.actions import (
    Settlement,
    compensate_action,
    find_slot,
    settle_action,
)
from continuum.services.acts import Act
from continuum.services.decisions import compensate, complete, confirm, second, settle
from continuum.services.desk import claim
from continuum.services.foureyes import (
    OVER_OPEN_ITEMS,
    actions_of,
    clear,
    list_changes,
    read_rules,
    require_two,
)
from continuum.services.inbox import open_items
from continuum.services.offers import prepare
from continuum.services.proposals import list_proposals, withdraw
from continuum.services.recovery import assess_run
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

YES = Settlement(occurred=True, external_id="x9")
NO = Settlement(occurred=False)


def by_bob(**more):
    return by_ada(**{"by": "bob", "reason": "saw it too", **more})


@pytest.fixture
def guarded(store):
    """A run with one claimed email, and a rule that two people settle emails."""
    run_id = started(store)
    key = claimed(store, run_id)
    require_two(store, actions_of("send_email"), by_ada(reason="mail goes to customers"))
    return run_id, key


def kept(decision):
    """Return the proposal a decision was kept as."""
    assert decision.is_proposed
    return decision.proposal


def statuses(store, run_id):
    return [row.status for row in reversed(store.proposals(run_id))]


def test_the_first_person_proposes_and_writes_no_event(store, guarded):
    run_id, key = guarded
    head = store.head(run_id)

    decision = settle(store, run_id, key, by_ada(request_id="r-1"), YES)

    assert decision.is_proposed
    assert decision.events == ()
    assert not decision.verdict.safe
    assert store.head(run_id) == head
    [shown] = list_proposals(store, assess_run(store, run_id, at=LATER))
    assert shown.is_current
    assert (shown.row.person, shown.row.reason) == ("ada", "checked the log")
    assert shown.content["external_id"] == "x9"


def test_the_second_person_writes_an_event_that_names_both(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)

    decision = settle(store, run_id, key, by_bob(), Settlement(occurred=True))

    (event,) = decision.events
    assert not decision.is_proposed
    assert event.payload["by"] == "bob"
    assert event.payload["reason"] == "saw it too"
    assert event.payload["proposed_by"] == "ada"
    assert event.payload["proposed_reason"] == "checked the log"
    assert event.payload["proposed_via"] == "cli"
    assert event.payload["action"]["external_id"] == "x9"
    assert decision.verdict.safe
    [row] = store.proposals(run_id)
    assert (row.status, row.closed_by, row.event_sequence) == ("confirmed", "bob", event.sequence)


def test_a_second_person_may_confirm_by_naming_the_proposal(store, guarded):
    run_id, key = guarded
    row = kept(settle(store, run_id, key, by_ada(), NO))

    decision = second(store, run_id, row.proposal_id, by_bob(request_id="r-2"))

    assert decision.events[0].payload["action"]["status"] == "failed"
    assert store.decision("r-2").person == "bob"


@pytest.mark.parametrize("name", ["ada", "Ada", " ADA "])
def test_the_same_person_is_no_second_one_however_they_spell_themselves(store, guarded, name):
    run_id, key = guarded
    row = kept(settle(store, run_id, key, by_ada(), YES))
    head = store.head(run_id)

    with pytest.raises(SecondPersonNeeded, match="different person"):
        settle(store, run_id, key, by_ada(by=name), YES)
    with pytest.raises(SecondPersonNeeded, match="different person"):
        second(store, run_id, row.proposal_id, by_ada(by=name))

    assert store.head(run_id) == head
    assert statuses(store, run_id) == ["open"]


def test_another_answer_is_another_proposal_and_not_a_confirmation(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)

    decision = settle(store, run_id, key, by_bob(), NO)

    assert decision.is_proposed
    assert statuses(store, run_id) == ["open", "open"]


def test_a_different_receipt_is_another_answer(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)

    assert settle(store, run_id, key, by_bob(), Settlement(True, "x10")).is_proposed


def test_changing_ones_mind_replaces_ones_proposal(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)

    settle(store, run_id, key, by_ada(at=LATER.replace(hour=14)), NO)

    assert statuses(store, run_id) == ["withdrawn", "open"]


def test_a_question_that_changed_in_between_is_refused_and_the_proposal_kept(store, guarded):
    run_id, key = guarded
    row = kept(settle(store, run_id, key, by_ada(), YES))
    settle_action(
        store, run_id, key, occurred=True, external_id="probe-1", source=Origin.DETERMINISTIC,
        at=LATER,
    )  # fmt: skip
    head = store.head(run_id)

    with pytest.raises((DecisionChanged, AlreadyDecided)):
        second(store, run_id, row.proposal_id, by_bob())

    assert store.head(run_id) == head


def test_an_outdated_completion_says_so_and_stays_on_record(store):
    run_id = started(store)
    claimed(store, run_id)
    require_two(store, OVER_OPEN_ITEMS, by_ada())
    row = kept(complete(store, run_id, by_ada(), over_open_items=True))
    claimed(store, run_id, "invoice:2")
    head = store.head(run_id)

    with pytest.raises(DecisionChanged, match="has changed since ada"):
        complete(store, run_id, by_bob(), over_open_items=True)

    assert store.head(run_id) == head
    closed = store.proposal(row.proposal_id)
    assert closed is not None
    assert (closed.status, closed.closed_by) == ("outdated", "bob")
    assert complete(store, run_id, by_bob(), over_open_items=True).is_proposed


def test_completing_over_open_items_takes_two_where_a_rule_says_so(store):
    run_id = started(store)
    claimed(store, run_id)
    require_two(store, OVER_OPEN_ITEMS, by_ada())

    first = complete(store, run_id, by_ada(), summary="good enough", over_open_items=True)
    decision = complete(store, run_id, by_bob(), over_open_items=True)

    assert first.is_proposed
    assert types_of(store, run_id, after=2) == ["REVIEW_CONFIRMED", "RUN_COMPLETED"]
    assert decision.events[-1].payload["proposed_by"] == "ada"
    assert decision.events[-1].payload["summary"] == "good enough"
    assert store.run(run_id).status == "completed"


def test_leaving_a_guarded_action_open_for_good_takes_two_as_well(store, guarded):
    run_id, _ = guarded

    with pytest.raises(OpenItems):
        complete(store, run_id, by_ada())

    assert complete(store, run_id, by_ada(), over_open_items=True).is_proposed


def test_completing_with_nothing_open_takes_one(store, guarded):
    run_id = started(store, "run-b")

    assert complete(store, run_id, by_ada()).events


def test_undoing_takes_two_people_with_a_reason_each(store):
    run_id = started(store)
    key = completed(store, run_id)
    require_two(store, actions_of("*"), by_ada())
    row = kept(compensate(store, run_id, key, by_ada()))

    with pytest.raises(InvalidInput, match="reason"):
        second(store, run_id, row.proposal_id, by_bob(reason=""))
    decision = compensate(store, run_id, key, by_bob())

    assert decision.events[0].payload["proposed_by"] == "ada"
    assert find_slot(store, run_id, key).action.status == "compensated"


def test_a_confirmation_of_goal_and_progress_takes_one(store):
    run_id = started(store, agent=True)
    reported(store, run_id, 3, 10)
    require_two(store, actions_of("*"), by_ada())

    assert confirm(store, run_id, by_ada()).events


def test_a_type_without_a_rule_takes_one(store):
    run_id = started(store)
    key = claimed(store, run_id)
    require_two(store, actions_of("send_money"), by_ada())

    assert settle(store, run_id, key, by_ada(), YES).events


def test_an_agent_alone_neither_settles_nor_undoes_what_takes_two(store, guarded):
    run_id, key = guarded
    done = completed(store, run_id, "invoice:2")
    head = store.head(run_id)

    with pytest.raises(SecondPersonNeeded, match="two people"):
        settle_action(store, run_id, key, occurred=True, source=Origin.EXTERNAL_AGENT, at=LATER)
    with pytest.raises(SecondPersonNeeded, match="two people"):
        compensate_action(store, run_id, done, source=Origin.EXTERNAL_AGENT, at=LATER)

    assert store.head(run_id) == head


def test_a_proposal_gives_the_item_back_for_the_second_person(store, guarded):
    run_id, key = guarded
    catch_up(store, limit=10, at=LATER)
    [item] = open_items(store, ItemQuery(run_id=run_id))
    claim(store, item.item_id, Act("ada", "cli", LATER))

    settle(store, run_id, key, by_ada(), YES)

    assert open_items(store, ItemQuery(run_id=run_id))[0].claimed_by is None
    assert settle(store, run_id, key, by_bob(), YES).events


def test_who_holds_the_item_is_asked_first(store, guarded):
    run_id, key = guarded
    catch_up(store, limit=10, at=LATER)
    [item] = open_items(store, ItemQuery(run_id=run_id))
    claim(store, item.item_id, Act("cleo", "cli", LATER))

    with pytest.raises(ItemHeld, match="cleo"):
        settle(store, run_id, key, by_ada(), YES)

    assert store.proposals(run_id) == []


def test_a_repeated_form_is_answered_again_and_proposes_once(store, guarded):
    run_id, key = guarded
    first = settle(store, run_id, key, by_ada(request_id="r-1"), YES)

    again = settle(store, run_id, key, by_ada(request_id="r-1"), YES)

    assert again.repeated
    assert again.proposal == first.proposal
    with pytest.raises(Conflict, match="already used"):
        settle(store, run_id, key, by_bob(request_id="r-1"), YES)
    assert statuses(store, run_id) == ["open"]


def test_one_is_held_to_what_one_was_shown(store, guarded):
    run_id, key = guarded
    shown = prepare(store, run_id, "settle", key, at=LATER)
    settle(store, run_id, key, by_ada(), YES)
    settle(store, run_id, key, by_bob(), YES)

    with pytest.raises(DecisionChanged):
        settle(store, run_id, key, by_ada(by="cleo", seen_digest=shown.seen_digest), YES)


def test_progress_in_between_does_not_outdate_a_proposal(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)
    reported(store, run_id, 4, 10)

    assert settle(store, run_id, key, by_bob(), YES).events


def test_one_withdraws_what_one_proposed_and_others_decline_it_with_a_reason(store, guarded):
    run_id, key = guarded
    own = kept(settle(store, run_id, key, by_ada(), YES))
    other = kept(settle(store, run_id, key, by_bob(), NO))

    withdraw(store, run_id, own.proposal_id, by_ada(reason=""))
    with pytest.raises(InvalidInput, match="reason"):
        withdraw(store, run_id, other.proposal_id, by_ada(reason=""))
    withdraw(store, run_id, other.proposal_id, by_ada(reason="the mail is in the outbox"))

    assert sorted(statuses(store, run_id)) == ["declined", "withdrawn"]
    with pytest.raises(AlreadyDecided, match="withdrawn by ada"):
        second(store, run_id, own.proposal_id, by_bob())
    with pytest.raises(AlreadyDecided):
        withdraw(store, run_id, own.proposal_id, by_ada())
    assert types_of(store, run_id) == ["RUN_STARTED", "ACTION_RECORDED"]


def test_a_proposal_of_another_run_is_not_found(store, guarded):
    run_id, key = guarded
    row = kept(settle(store, run_id, key, by_ada(), YES))
    other = started(store, "run-b")

    with pytest.raises(NotFound):
        second(store, other, row.proposal_id, by_bob())


def test_a_rule_that_is_gone_lets_one_decide_and_outdates_what_was_proposed(store, guarded):
    run_id, key = guarded
    settle(store, run_id, key, by_ada(), YES)
    clear(store, actions_of("send_email"), by_ada(reason="not needed"))

    assert settle(store, run_id, key, by_bob(), NO).events
    assert statuses(store, run_id) == ["outdated"]


def test_rules_are_kept_with_who_made_them_and_why(store):
    require_two(store, actions_of("send_money"), by_ada(reason="audit 7"))
    assert require_two(store, actions_of("send_money"), by_bob()) is None
    require_two(store, OVER_OPEN_ITEMS, by_bob(reason="audit 8"))
    clear(store, actions_of("send_money"), by_bob(reason="moved"))

    rules = read_rules(store)

    assert [(row.subject, row.by, row.reason) for row in rules.rows] == [
        ("over_open_items", "bob", "audit 8")
    ]
    assert not rules.bind_type("send_money")
    assert [row.two_people for row in list_changes(store)] == [False, True, True]


def test_a_rule_needs_a_reason_and_a_type(store):
    with pytest.raises(InvalidInput, match="reason"):
        require_two(store, OVER_OPEN_ITEMS, by_ada(reason=" "))
    with pytest.raises(InvalidInput, match="type"):
        actions_of("  ")

    assert list_changes(store) == []


def test_overruling_the_engine_is_counted(store):
    run_id = started(store)
    key = completed(store, run_id)
    correction = Settlement(occurred=False, correction=True)
    settle(store, run_id, key, by_ada(request_id="r-1"), correction)

    recorded_ways = store.queue_decisions(since="")

    assert [(row.verb, row.overturned) for row in recorded_ways] == [("settle", 1)]
