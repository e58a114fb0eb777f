"""What a person decides: confirm, settle, complete, compensate; and what a second one confirms.

Each verb exists once; the command line and the console append the same events.
The protocol, in one transaction (design 5):

1. Lock the run. A request id that was answered before is answered again.
2. Audit the whole chain and judge. A broken chain takes no decision.
3. Refuse what somebody else has claimed, and compare with what the person was
   shown; a changed question is refused.
4. Where a rule asks for two people (`services.foureyes`), keep a first one's
   answer as a proposal; it takes a second, different person to go on.
5. Append, with who, why, where and on what it was based.
6. Read back: the events as written, and the verdict as it is now.
"""

from __future__ import annotations

import json

from continuum.core.errors import Conflict, InvalidInput, ProposalOutdated
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Head, Origin
from continuum.domain.runfacts import CONFIRMABLE
from continuum.domain.runs import RunStatus
from continuum.ledger.transitions import Mark, plan_compensation, plan_settlement
from continuum.ledger.transitions import Settlement as Settlement
from continuum.recovery.facts import Question
from continuum.services import proposals
from continuum.services.actions import find_slot
from continuum.services.acts import act_members, ensure_act
from continuum.services.foureyes import read_rules
from continuum.services.proposals import Answer
from continuum.services.recovery import Assessed, assess_run
from continuum.services.safeguards import (
    ensure_as_seen,
    ensure_nothing_open,
    ensure_open,
    ensure_reason,
    ensure_unclaimed,
    ensure_whole,
)
from continuum.services.summaries import write_summary
from continuum.store.modelport import DecisionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from continuum.domain.actions import Slot
    from continuum.domain.events import Event
    from continuum.recovery.verdict import Verdict
    from continuum.services.acts import Act
    from continuum.services.proposals import ProposalRow
    from continuum.store.base import ReadStore, Store, Writer

_PLAIN_QUESTION = Question()


class Decision(NamedTuple):
    """What came of a decision.

    Attributes:
        events: what was written, oldest first; empty when there was nothing to do,
            or when it takes a second person.
        repeated: this request was answered before, or the run was closed
            already; nothing was written now.
        verdict: how the run stands afterwards.
        proposal: what was kept for a second person to confirm.
    """

    verb: str
    run_id: str
    events: tuple[Event, ...]
    repeated: bool
    verdict: Verdict
    proposal: ProposalRow | None = None

    @property
    def is_proposed(self) -> bool:
        """True when no event was written, because a second person has to confirm it."""
        return self.proposal is not None and not self.events


def confirm(
    store: Store,
    run_id: str,
    act: Act,
    *,
    scope: Sequence[str] = CONFIRMABLE,
    question: Question = _PLAIN_QUESTION,
) -> Decision:
    """Record that a person vouches for what the agent reported about itself.

    Args:
        scope: `goal`, `progress` or both.
        question: how the run is judged afterwards.

    Raises:
        InvalidInput: the scope names something else, or nothing.
        Refused: the run is closed.
        DecisionChanged: the run no longer says what the person was shown.
        Corrupted: the chain is broken.
    """
    components = [name for name in CONFIRMABLE if name in scope]
    if not components or set(scope) - set(CONFIRMABLE):
        raise InvalidInput("a confirmation covers `goal`, `progress` or both")

    case = _Case(Answer("confirm", None, {"components": components}), _confirmation)
    return _decide(store, run_id, act, case._replace(question=question))


def settle(
    store: Store,
    run_id: str,
    identifier: str,
    act: Act,
    found: Settlement,
) -> Decision:
    """Record whether an action's effect really happened, or propose it where two must say so.

    Args:
        identifier: ledger key, action id, or the explicit key the agent used.
        found: the true outcome; the note is the act's reason.

    Raises:
        ActionNotFound: the run has no such action.
        InvalidInput: a reason is missing where one is required.
        AlreadyDecided: it was settled before and `correction` is not set.
        DecisionChanged: the action is no longer what the person was shown.
        SecondPersonNeeded: the same person proposed it before.
    """
    slot = find_slot(store, run_id, identifier)
    content = found._asdict()
    del content["note"]
    return _decide(store, run_id, act, _Case(Answer("settle", slot.key, content), _settlement))


def compensate(store: Store, run_id: str, identifier: str, act: Act) -> Decision:
    """Record that a completed effect was undone outside, or propose it where two must say so.

    Raises:
        ActionNotFound: the run has no such action.
        InvalidInput: no reason given.
        Refused: the action is not completed.
        SecondPersonNeeded: the same person proposed it before.
    """
    slot = find_slot(store, run_id, identifier)
    return _decide(store, run_id, act, _Case(Answer("compensate", slot.key, {}), _compensation))


def complete(
    store: Store, run_id: str, act: Act, *, summary: str = "", over_open_items: bool = False
) -> Decision:
    """Close a run: confirm what it reported, record the end, set the row.

    Completing a closed run writes nothing.

    Args:
        over_open_items: close although outcomes are unresolved; needs a reason.

    Raises:
        OpenItems: actions are unresolved and `over_open_items` is not set.
        InvalidInput: closing over open items without a reason.
        DecisionChanged: the run no longer says what the person was shown.
        SecondPersonNeeded: the same person proposed it before.
    """
    content = {"summary": summary.strip(), "over_open_items": over_open_items}
    return _decide(store, run_id, act, _completing(content))


def second(store: Store, run_id: str, proposal_id: str, act: Act) -> Decision:
    """Confirm, as a different person, what somebody proposed; it is written now.

    Raises:
        NotFound: the run has no such proposal.
        AlreadyDecided: it was confirmed, withdrawn or declined, or counts no more.
        SecondPersonNeeded: the person proposed it themselves.
        ProposalOutdated: the question has changed since; that is kept.
        InvalidInput: a reason is missing where one is required.
    """
    row = proposals.find_proposal(store, run_id, proposal_id)
    content = json.loads(row.answer)
    if row.verb == "complete":
        return _decide(store, run_id, act, _completing(content)._replace(named=proposal_id))
    drafts = _settlement if row.verb == "settle" else _compensation
    case = _Case(Answer(row.verb, row.key, content), drafts, named=proposal_id)
    return _decide(store, run_id, act, case)


class _Case(NamedTuple):
    """One verb at work.

    Attributes:
        named: the proposal that is confirmed, where the person names one.
    """

    answer: Answer
    drafts: Callable[[ReadStore, Assessed, Act, Answer], list[Draft]]
    status: RunStatus | None = None
    question: Question = _PLAIN_QUESTION
    named: str = ""


def _completing(content: dict[str, Any]) -> _Case:
    return _Case(Answer("complete", None, content), _completion, status=RunStatus.COMPLETED)


# -- what each verb appends


def _confirmation(_: ReadStore, before: Assessed, act: Act, answer: Answer) -> list[Draft]:
    ensure_open(before)
    return [_human(EventType.REVIEW_CONFIRMED, act, answer.content)]


def _settlement(store: ReadStore, before: Assessed, act: Act, answer: Answer) -> list[Draft]:
    slot = find_slot(store, before.run.run_id, str(answer.key))
    found = Settlement(**answer.content, note=act.reason)
    ensure_reason(act, needed=not found.occurred or found.correction)
    return [plan_settlement(slot, found, _mark(act))]


def _compensation(store: ReadStore, before: Assessed, act: Act, answer: Answer) -> list[Draft]:
    slot = find_slot(store, before.run.run_id, str(answer.key))
    ensure_reason(act, needed=True)
    return [plan_compensation(slot, _mark(act), note=act.reason, by=act.by)]


def _completion(_: ReadStore, before: Assessed, act: Act, answer: Answer) -> list[Draft]:
    if before.verdict.closed:
        return []
    unresolved = before.verdict.uncertain
    ensure_nothing_open(before, act, over_open_items=answer.content["over_open_items"])
    closing: dict[str, Any] = {"closed_by": act.via}
    if answer.content["summary"]:
        closing["summary"] = answer.content["summary"]
    if unresolved:
        closing["over_open_items"] = [one.action_id for one in unresolved]
    return [
        _human(EventType.REVIEW_CONFIRMED, act, {"components": list(CONFIRMABLE)}),
        _human(EventType.RUN_COMPLETED, act, closing),
    ]


# -- the protocol


def _decide(store: Store, run_id: str, act: Act, case: _Case) -> Decision:
    act = ensure_act(act)
    try:
        with store.writing(run_id) as writer:
            answered = _answered_before(store, run_id, act, case)
            return answered or _decide_now(store, writer, run_id, act, case)
    except ProposalOutdated as exc:
        proposals.close_outdated(store, exc, act)
        raise


def _decide_now(store: Store, writer: Writer, run_id: str, act: Act, case: _Case) -> Decision:
    answer = case.answer
    before = assess_run(store, run_id, at=act.at, audit=True)
    ensure_whole(before)
    ensure_unclaimed(store, act, run_id, answer.key)
    slot = find_slot(store, run_id, answer.key) if answer.key else None
    ensure_as_seen(act, answer.verb, before, slot)
    drafts, first = case.drafts(store, before, act, answer), None
    if drafts and (case.named or _takes_two(store, before, slot, answer)):
        first = proposals.first_of(store, before, act, answer, named=case.named)
        if first is None:
            return _proposed(store, writer, before, act, case)
        answer = proposals.merged(first, answer)
        drafts = case.drafts(store, before, proposals.seconded(act, first), answer)
    events = writer.append(run_id, drafts)
    if events:
        request_id = _record(writer, events[-1], act, answer.verb)
        _note_overturned(writer, request_id, before, slot, answer)
        proposals.close_all(
            store, writer, answer, act,
            run_id=run_id, first=first, event_sequence=events[-1].sequence,
        )  # fmt: skip
    _mark_audited(writer, before, events, act)
    if case.status is not None and (events or before.run.status is not case.status):
        _set_status(writer, before, case.status, act)
    verdict = assess_run(store, run_id, case.question, at=act.at).verdict
    write_summary(store, writer, run_id, at=act.at)
    return Decision(answer.verb, run_id, tuple(events), not events, verdict, first)


def _takes_two(store: ReadStore, before: Assessed, slot: Slot | None, answer: Answer) -> bool:
    if answer.verb == "confirm":
        return False
    rules = read_rules(store)
    if slot is not None:
        return rules.bind_type(slot.action.action_type)
    return rules.bind_completion(before.verdict.uncertain)


def _proposed(store: Store, writer: Writer, before: Assessed, act: Act, case: _Case) -> Decision:
    row = proposals.propose(store, writer, before, act, case.answer)
    _mark_audited(writer, before, (), act)
    return Decision(case.answer.verb, before.run.run_id, (), False, before.verdict, row)


def _answered_before(store: Store, run_id: str, act: Act, case: _Case) -> Decision | None:
    verb = case.answer.verb
    row = store.decision(act.request_id) if act.request_id else None
    kept = store.proposal_of_request(act.request_id) if act.request_id and not row else None
    answered = row or kept
    if answered is None:
        return None
    if (answered.run_id, answered.verb, answered.person) != (run_id, verb, act.by):
        raise Conflict("this form was already used for another decision; open the page again")
    verdict = assess_run(store, run_id, case.question, at=act.at).verdict
    events = store.events(run_id, after=row.sequence - 1, upto=row.sequence) if row else ()
    return Decision(verb, run_id, tuple(events), True, verdict, kept)


def _mark(act: Act) -> Mark:
    return Mark(act.at, Origin.HUMAN, act_members(act))


def _human(kind: EventType, act: Act, payload: dict[str, Any]) -> Draft:
    return Draft(kind, {**payload, **act_members(act)}, Origin.HUMAN, act.at)


def _record(writer: Writer, event: Event, act: Act, verb: str) -> str:
    request_id = act.request_id or new_id("request")
    writer.save_decision(
        DecisionRow(
            request_id=request_id,
            run_id=event.run_id,
            verb=verb,
            person=act.by,
            via=act.via,
            at=event.timestamp,
            seen_digest=act.seen_digest,
            sequence=event.sequence,
            event_id=event.event_id,
            event_hash=event.hash,
        )
    )
    return request_id


def _note_overturned(
    writer: Writer, request_id: str, before: Assessed, slot: Slot | None, answer: Answer
) -> None:
    """Count where a person overruled what the engine held."""
    if answer.verb == "settle" and slot is not None and not slot.action.is_unresolved:
        writer.save_overturned(request_id, "override")
    elif answer.verb == "complete" and before.verdict.uncertain:
        writer.save_overturned(request_id, "over_open_items")


def _mark_audited(writer: Writer, before: Assessed, events: Sequence[Event], act: Act) -> None:
    """The whole chain was walked under this lock, and what follows was sealed here."""
    last = Head(events[-1].sequence, events[-1].hash) if events else None
    head = last or Head(before.facts.sequence, before.facts.hash)
    writer.save_verified(before.run.run_id, head, act.at)


def _set_status(writer: Writer, before: Assessed, status: RunStatus, act: Act) -> None:
    closed = before.verdict.closed
    if closed is None or closed.status == status:
        writer.set_run_status(before.run.run_id, status, act.at)
