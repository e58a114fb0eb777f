"""Proposals: what a first person decided where a rule asks for two.

A proposal is no event. It says who would decide what, why, and on which
question (a digest of what the decision rests on). A second, different person
turns it into the event, which then names both. A proposal whose question has
changed turns nothing into anything; like a withdrawn one it is kept.
"""

from __future__ import annotations

import json
import shlex

from continuum.core.clock import column_time
from continuum.core.errors import (
    AlreadyDecided,
    InvalidInput,
    NotFound,
    ProposalOutdated,
    SecondPersonNeeded,
)
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.services.acts import ensure_act
from continuum.services.safeguards import digest_of
from continuum.store.base import MAX_PAGE
from continuum.store.modelport import ItemQuery
from continuum.store.policyport import Closing
from continuum.store.policyport import ProposalRow as ProposalRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.actions import Slot
    from continuum.services.acts import Act
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore, Store, Writer

OPEN = "open"


class Answer(NamedTuple):
    """What somebody decides, before it is known whether they may alone.

    Attributes:
        key: ledger key of the action; None where it is about the run.
        content: JSON-ready; empty members say nothing.
    """

    verb: str
    key: str | None
    content: dict[str, Any]


class ShownProposal(NamedTuple):
    """A proposal with what a page says about it.

    Attributes:
        content: the answer, parsed.
        is_current: it is open, and its question has not changed.
    """

    row: ProposalRow
    content: dict[str, Any]
    is_current: bool

    @property
    def command(self) -> str:
        """The command line by which a second person confirms it."""
        place = (self.row.run_id, self.row.proposal_id)
        return shlex.join(["continuum", "proposals", "confirm", *place, "--reason", "…"])


def find_proposal(store: ReadStore, run_id: str, proposal_id: str) -> ProposalRow:
    """Return one proposal of a run.

    Raises:
        NotFound: the run has no such proposal.
    """
    row = store.proposal(proposal_id)
    if row is None or row.run_id != run_id:
        raise NotFound(f"run {run_id!r} has no proposal {proposal_id!r}")
    return row


def list_proposals(
    store: ReadStore, assessed: Assessed, *, key: str | None = None
) -> list[ShownProposal]:
    """Return the proposals about a run or about one of its actions, newest first."""
    rows = store.proposals(assessed.run.run_id, key=key)
    return [show(store, assessed, row) for row in rows]


def show(store: ReadStore, assessed: Assessed, row: ProposalRow) -> ShownProposal:
    """Return a proposal with what a page says about it."""
    is_current = row.status == OPEN and row.question == _question_of(store, assessed, row)
    return ShownProposal(row, json.loads(row.answer), is_current)


def withdraw(store: Store, run_id: str, proposal_id: str, act: Act) -> ProposalRow:
    """Take one's own proposal back, or decline somebody else's with a reason; return it.

    Raises:
        NotFound: the run has no such proposal.
        AlreadyDecided: it is closed.
        InvalidInput: declining without a reason.
    """
    act = ensure_act(act)
    with store.writing(run_id) as writer:
        row = find_proposal(store, run_id, proposal_id)
        ensure_open(row)
        own = is_same_person(row.person, act.by)
        if not own and not act.reason:
            raise InvalidInput("declining what somebody else proposed needs a reason")
        status = "withdrawn" if own else "declined"
        writer.close_proposal(proposal_id, Closing(status, act.by, act.at, act.reason))
        return find_proposal(store, run_id, proposal_id)


def ensure_open(row: ProposalRow) -> None:
    """Raise `AlreadyDecided` when the proposal is closed."""
    if row.status != OPEN:
        raise AlreadyDecided(
            f"this proposal was {row.status} by {row.closed_by} at {row.closed_at}"
        )


def is_same_person(one: str, other: str) -> bool:
    """Compare names of people: how they are capitalised makes nobody a second person."""
    return one.strip().casefold() == other.strip().casefold()


# -- used by `services.decisions` inside its transaction


def first_of(
    store: ReadStore, before: Assessed, act: Act, answer: Answer, *, named: str = ""
) -> ProposalRow | None:
    """Return what somebody else proposed and `act` confirms; None when `act` is the first.

    Args:
        named: the proposal that is confirmed; else it is found by its answer.

    Raises:
        SecondPersonNeeded: the same person proposed it.
        AlreadyDecided: the named proposal is closed.
        ProposalOutdated: the question has changed since.
    """
    run_id = before.run.run_id
    if named:
        candidates = [find_proposal(store, run_id, named)]
        ensure_open(candidates[0])
    else:
        rows = store.proposals(run_id, status=OPEN, key=answer.key or "")
        candidates = [row for row in rows if _proposes(row, answer)]
    others = [row for row in candidates if not is_same_person(row.person, act.by)]
    if not others:
        _ensure_not_twice(store, before, candidates)
        return None
    if others[0].question != _question_of(store, before, others[0]):
        raise ProposalOutdated(
            f"the question has changed since {others[0].person} proposed an answer "
            f"(at event {others[0].seen_sequence}, now {before.facts.sequence}); "
            "it counts no more, look again and propose anew",
            proposal_id=others[0].proposal_id,
        )
    return others[0]


def _ensure_not_twice(store: ReadStore, before: Assessed, own: list[ProposalRow]) -> None:
    for row in own:
        if row.question == _question_of(store, before, row):
            raise SecondPersonNeeded(
                f"{row.person} proposed this already at {row.at}; a second, different person "
                "has to confirm it"
            )


def propose(
    store: ReadStore, writer: Writer, before: Assessed, act: Act, answer: Answer
) -> ProposalRow:
    """Keep a first person's answer; an older one of theirs is replaced, their claim given back."""
    run_id, slot = before.run.run_id, _slot(store, before, answer.key or "")
    for row in store.proposals(run_id, status=OPEN, key=answer.key or ""):
        if row.verb == answer.verb and is_same_person(row.person, act.by):
            closing = Closing("withdrawn", act.by, act.at, "replaced by another answer")
            writer.close_proposal(row.proposal_id, closing)
    row = ProposalRow(
        proposal_id=new_id("proposal"),
        run_id=run_id,
        verb=answer.verb,
        key=answer.key or "",
        action_type=slot.action.action_type if slot else "",
        answer=json.dumps(answer.content, sort_keys=True),
        question=digest_of(answer.verb, before, slot),
        person=act.by,
        via=act.via,
        at=column_time(act.at),
        reason=act.reason,
        request_id=act.request_id,
        seen_sequence=before.facts.sequence,
    )
    writer.save_proposal(row)
    _give_back(store, writer, row, act)
    return row


def merged(row: ProposalRow, answer: Answer) -> Answer:
    """Return the answer with what the first person said where the second left it out."""
    first = json.loads(row.answer)
    said = {name: value for name, value in answer.content.items() if value not in _SILENT}
    return answer._replace(content={**first, **said})


def seconded(act: Act, row: ProposalRow) -> Act:
    """Return the act of the second person, naming the first."""
    proposed = {
        "proposed_by": row.person,
        "proposed_reason": row.reason,
        "proposed_at": row.at,
        "proposed_via": row.via,
    }
    return act._replace(proposed={name: text for name, text in proposed.items() if text})


def close_all(
    store: ReadStore,
    writer: Writer,
    answer: Answer,
    act: Act,
    *,
    run_id: str,
    first: ProposalRow | None,
    event_sequence: int,
) -> None:
    """Say what became of the proposals on a question that is answered now."""
    for row in store.proposals(run_id, status=OPEN, key=answer.key or "", limit=MAX_PAGE):
        if row.verb != answer.verb:
            continue
        is_it = first is not None and row.proposal_id == first.proposal_id
        writer.close_proposal(
            row.proposal_id,
            Closing(
                "confirmed" if is_it else "outdated",
                act.by,
                act.at,
                act.reason if is_it else "another answer was written",
                event_sequence,
            ),
        )


def close_outdated(store: Store, outdated: ProposalOutdated, act: Act) -> None:
    """Keep that a proposal counts no more; nothing else was written."""
    with store.writing() as writer:
        closing = Closing("outdated", act.by, act.at, "the question had changed")
        writer.close_proposal(outdated.proposal_id, closing)


_SILENT: tuple[Any, ...] = (None, "", False)


def _proposes(row: ProposalRow, answer: Answer) -> bool:
    """The same answer, where the second person may leave out what the first said."""
    if row.verb != answer.verb:
        return False
    first = json.loads(row.answer)
    decisive = answer.content.get("occurred") == first.get("occurred")
    differing = [
        name
        for name, value in answer.content.items()
        if name not in ("occurred", "summary") and value not in _SILENT and value != first.get(name)
    ]
    return decisive and not differing


def _question_of(store: ReadStore, assessed: Assessed, row: ProposalRow) -> str:
    return digest_of(row.verb, assessed, _slot(store, assessed, row.key))


def _slot(store: ReadStore, assessed: Assessed, key: str) -> Slot | None:
    return store.slot(assessed.run.run_id, key) if key else None


def _give_back(store: ReadStore, writer: Writer, row: ProposalRow, act: Act) -> None:
    """Who proposed has done their part; the item must be free for the second person."""
    for item in store.items(ItemQuery(run_id=row.run_id, limit=MAX_PAGE)):
        about = item.target == row.key if row.key else item.kind == "verdict"
        if about and item.claimed_by == act.by:
            writer.claim_item(item.item_id, None, act.at)
