"""What a person decides: confirm, settle, complete, compensate.

Each verb exists once; the command line and the console append the same events.
The protocol, in one transaction (design 5):

1. Lock the run. A request id that was answered before is answered again.
2. Audit the whole chain and judge. A broken chain takes no decision.
3. Refuse what somebody else has claimed, and compare with what the person was
   shown; a changed question is refused.
4. Append, with who, why, where and on what it was based.
5. Read back: the events as written, and the verdict as it is now.
"""

from __future__ import annotations

from continuum.core.errors import Conflict, InvalidInput
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Head, Origin
from continuum.domain.runfacts import CONFIRMABLE
from continuum.domain.runs import RunStatus
from continuum.ledger.transitions import Mark, plan_compensation, plan_settlement
from continuum.ledger.transitions import Settlement as Settlement
from continuum.recovery.facts import Question
from continuum.services.actions import find_slot
from continuum.services.acts import act_members, ensure_act
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
from continuum.store.base import DecisionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from continuum.domain.events import Event
    from continuum.recovery.verdict import Verdict
    from continuum.services.acts import Act
    from continuum.store.base import Store, Writer

_PLAIN_QUESTION = Question()


class Decision(NamedTuple):
    """What came of a decision.

    Attributes:
        events: what was written, oldest first; empty when there was nothing to do.
        repeated: this request was answered before, or the run was closed
            already; nothing was written now.
        verdict: how the run stands afterwards.
    """

    verb: str
    run_id: str
    events: tuple[Event, ...]
    repeated: bool
    verdict: Verdict


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

    def drafts(before: Assessed, act: Act) -> list[Draft]:
        ensure_open(before)
        return [_human(EventType.REVIEW_CONFIRMED, act, {"components": components})]

    return _decide(store, run_id, act, _Case("confirm", drafts, question=question))


def settle(
    store: Store,
    run_id: str,
    identifier: str,
    act: Act,
    found: Settlement,
) -> Decision:
    """Record whether an action's effect really happened.

    Args:
        identifier: ledger key, action id, or the explicit key the agent used.
        found: the true outcome; the note is the act's reason.

    Raises:
        ActionNotFound: the run has no such action.
        InvalidInput: a reason is missing where one is required.
        AlreadyDecided: it was settled before and `correction` is not set.
        DecisionChanged: the action is no longer what the person was shown.
    """
    slot = find_slot(store, run_id, identifier)

    def drafts(before: Assessed, act: Act) -> list[Draft]:
        current = find_slot(store, run_id, slot.key)
        ensure_reason(act, needed=not found.occurred or found.correction)
        return [plan_settlement(current, found._replace(note=act.reason), _mark(act))]

    return _decide(store, run_id, act, _Case("settle", drafts, key=slot.key))


def compensate(store: Store, run_id: str, identifier: str, act: Act) -> Decision:
    """Record that a completed effect was undone outside.

    Raises:
        ActionNotFound: the run has no such action.
        InvalidInput: no reason given.
        Refused: the action is not completed.
    """
    slot = find_slot(store, run_id, identifier)

    def drafts(before: Assessed, act: Act) -> list[Draft]:
        current = find_slot(store, run_id, slot.key)
        ensure_reason(act, needed=True)
        return [plan_compensation(current, _mark(act), note=act.reason, by=act.by)]

    return _decide(store, run_id, act, _Case("compensate", drafts, key=slot.key))


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
    """

    def drafts(before: Assessed, act: Act) -> list[Draft]:
        if before.verdict.closed:
            return []
        ensure_nothing_open(before, act, over_open_items=over_open_items)
        closing: dict[str, Any] = {"closed_by": act.via}
        if summary.strip():
            closing["summary"] = summary.strip()
        if before.verdict.uncertain:
            closing["over_open_items"] = [one.action_id for one in before.verdict.uncertain]
        return [
            _human(EventType.REVIEW_CONFIRMED, act, {"components": list(CONFIRMABLE)}),
            _human(EventType.RUN_COMPLETED, act, closing),
        ]

    case = _Case("complete", drafts, status=RunStatus.COMPLETED)
    return _decide(store, run_id, act, case)


class _Case(NamedTuple):
    """One verb at work."""

    verb: str
    drafts: Callable[[Assessed, Act], list[Draft]]
    key: str | None = None
    status: RunStatus | None = None
    question: Question = _PLAIN_QUESTION


def _decide(store: Store, run_id: str, act: Act, case: _Case) -> Decision:
    act = ensure_act(act)
    with store.writing(run_id) as writer:
        answered = _answered_before(store, run_id, act, case)
        if answered is not None:
            return answered
        before = assess_run(store, run_id, at=act.at, audit=True)
        ensure_whole(before)
        ensure_unclaimed(store, act, run_id, case.key)
        slot = find_slot(store, run_id, case.key) if case.key else None
        ensure_as_seen(act, case.verb, before, slot)
        events = writer.append(run_id, case.drafts(before, act))
        if events:
            _record(writer, events[-1], act, case)
        _mark_audited(writer, before, events, act)
        if case.status is not None and (events or before.run.status is not case.status):
            _set_status(writer, before, case.status, act)
        verdict = assess_run(store, run_id, case.question, at=act.at).verdict
        write_summary(store, writer, run_id, at=act.at)
    return Decision(case.verb, run_id, tuple(events), not events, verdict)


def _answered_before(store: Store, run_id: str, act: Act, case: _Case) -> Decision | None:
    row = store.decision(act.request_id) if act.request_id else None
    if row is None:
        return None
    if (row.run_id, row.verb, row.person) != (run_id, case.verb, act.by):
        raise Conflict("this form was already used for another decision; open the page again")
    events = list(store.events(run_id, after=row.sequence - 1, upto=row.sequence))
    verdict = assess_run(store, run_id, case.question, at=act.at).verdict
    return Decision(case.verb, run_id, tuple(events), True, verdict)


def _mark(act: Act) -> Mark:
    return Mark(act.at, Origin.HUMAN, act_members(act))


def _human(kind: EventType, act: Act, payload: dict[str, Any]) -> Draft:
    return Draft(kind, {**payload, **act_members(act)}, Origin.HUMAN, act.at)


def _record(writer: Writer, event: Event, act: Act, case: _Case) -> None:
    writer.save_decision(
        DecisionRow(
            request_id=act.request_id or new_id("request"),
            run_id=event.run_id,
            verb=case.verb,
            person=act.by,
            via=act.via,
            at=event.timestamp,
            seen_digest=act.seen_digest,
            sequence=event.sequence,
            event_id=event.event_id,
            event_hash=event.hash,
        )
    )


def _mark_audited(writer: Writer, before: Assessed, events: Sequence[Event], act: Act) -> None:
    """The whole chain was walked under this lock, and what follows was sealed here."""
    last = Head(events[-1].sequence, events[-1].hash) if events else None
    head = last or Head(before.facts.sequence, before.facts.hash)
    writer.save_verified(before.run.run_id, head, act.at)


def _set_status(writer: Writer, before: Assessed, status: RunStatus, act: Act) -> None:
    closed = before.verdict.closed
    if closed is None or closed.status == status:
        writer.set_run_status(before.run.run_id, status, act.at)
