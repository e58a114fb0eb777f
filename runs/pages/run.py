"""The run page: everything a person needs to judge and decide, in its order."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, NamedTuple

from continuum.core.errors import Corrupted, NoEvents
from continuum.services import desk, inbox, runs
from continuum.services.foureyes import Rules, read_rules
from continuum.services.inbox import ItemQuery
from continuum.services.offers import offers
from continuum.services.proposals import list_proposals
from continuum.services.recovery import assess_run
from continuum.services.slots import list_actions
from continuum.services.states import diff_since_checkpoint
from runs.pages import events
from runs.pages.family import tree_around, tree_beside

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.actions import Action, Slot
    from continuum.domain.runfacts import OpenAction
    from continuum.domain.runs import Run, RunRow
    from continuum.recovery.findings import Finding
    from continuum.recovery.verdict import Verdict
    from continuum.services.desk import NoteRow
    from continuum.services.families import FamilyNode
    from continuum.services.offers import Offer
    from continuum.services.proposals import ShownProposal
    from continuum.services.recovery import Assessed
    from continuum.services.states import StateDiff
    from continuum.store.base import DecisionRow, HeadMark, Item, ReadStore

TABS = ("events", "actions", "diff", "contract", "family", "notes")
_LABELS = {
    "events": "Events",
    "actions": "Actions",
    "diff": "State diff",
    "contract": "Contract",
    "family": "Family",
    "notes": "Notes",
}
_REASONS_SHOWN = 3
_CONTRACT_CHARACTERS = 100_000


class RunTab(NamedTuple):
    """One tab with what it holds."""

    name: str
    label: str
    number: int | None
    current: bool


class Reason(NamedTuple):
    """A finding and where its evidence is."""

    finding: Finding
    link_label: str


class Standing(NamedTuple):
    """How a run stands: its verdict with words, or why it cannot be judged.

    Attributes:
        trouble: why there is no verdict; empty when there is one.
        tone: of the panel: `warn`, `bad`, `ok`, `info` or empty.
        proposals: what first persons decided where two are needed, newest first.
        rules: what takes two people.
    """

    run_id: str
    row: RunRow
    assessed: Assessed | None
    trouble: str
    reasons: list[Reason]
    offers: list[Offer]
    proposals: tuple[ShownProposal, ...] = ()
    rules: Rules = Rules(())

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, where there is one."""
        return self.assessed.verdict if self.assessed else None

    @property
    def goal(self) -> str:
        """The goal as the log says it, else as the row does."""
        return str(self.verdict.state["goal"]["description"]) if self.verdict else self.row.goal

    @property
    def status(self) -> str:
        """The status as the log says it, else as the row does."""
        closed = self.verdict.closed if self.verdict else None
        return closed.status if closed else str(self.row.status)

    @property
    def head(self) -> int:
        """The newest event the verdict was judged at."""
        return self.assessed.facts.sequence if self.assessed else 0

    @property
    def open_actions(self) -> list[OpenAction]:
        """The actions whose outcome nobody knows."""
        return list(self.assessed.facts.open_actions) if self.assessed else []

    @property
    def broken_at(self) -> int | None:
        """The first event that is not to be trusted, where the chain is broken."""
        return self.verdict.chain.broken_at if self.verdict else None

    @property
    def takes_two_to_complete(self) -> bool:
        """True when closing the run over what is open takes two people."""
        return self.verdict is not None and self.rules.bind_completion(self.verdict.uncertain)

    @property
    def awaits_confirmation(self) -> bool:
        """True when goal or progress rests on the agent's word alone."""
        return any(offer.verb == "confirm" for offer in self.offers)

    @property
    def verify_command(self) -> str:
        """The command line that walks the run's chain."""
        return shlex.join(["continuum", "verify", self.run_id])

    def key_of(self, action: Action) -> str:
        """Return the ledger key of one of the open actions."""
        known = {one.action.action_id: one.key for one in self.open_actions}
        return known.get(action.action_id, action.action_id)

    @property
    def tone(self) -> str:
        """What the Why panel's edge repeats."""
        if self.verdict is None or not self.verdict.chain.ok:
            return "bad"
        if self.verdict.closed:
            return ""
        return "ok" if self.verdict.safe else "warn"

    @property
    def leading_reasons(self) -> list[Reason]:
        """The worst reasons, few enough to read at once."""
        return self.reasons[:_REASONS_SHOWN]

    @property
    def other_reasons(self) -> list[Reason]:
        """The rest, folded away."""
        return self.reasons[_REASONS_SHOWN:]


class Note(NamedTuple):
    """A decision somebody took, with the reason they gave."""

    decision: DecisionRow
    reason: str


class Notes(NamedTuple):
    """What people decided on a run, oldest first, and noted on its items, newest first."""

    decisions: list[DecisionRow]
    on_items: list[NoteRow]


class TabContent(NamedTuple):
    """What is below the tabs; only the member of the current tab is filled."""

    events: events.EventPage | None = None
    slots: list[Slot] | None = None
    diff: StateDiff | None = None
    contract: str = ""
    family: FamilyNode | None = None
    notes: list[Note] | None = None
    item_notes: list[NoteRow] | None = None


class RunScreen(NamedTuple):
    """Everything the run page shows."""

    standing: Standing
    ancestors: list[Run]
    items: list[Item]
    mark: HeadMark | None
    strip: list[events.Link]
    tree: FamilyNode | None
    tabs: list[RunTab]
    tab: str
    content: TabContent
    head_sequence: int

    @property
    def claimed_by(self) -> str:
        """Who works on the run's items."""
        return ", ".join(sorted({item.claimed_by for item in self.items if item.claimed_by}))


class Wanted(NamedTuple):
    """What the address asks for below the tabs."""

    tab: str = "events"
    before: int | None = None
    kind: str = ""


def stand(store: ReadStore, run_id: str, *, now: datetime) -> Standing:
    """Return how a run stands; a run that cannot be judged says why.

    Raises:
        RunNotFound: no such run.
    """
    row = store.run_row(run_id)
    try:
        assessed = assess_run(store, run_id, at=now)
    except (NoEvents, Corrupted) as exc:
        return Standing(run_id, row, None, str(exc), [], [])
    return standing_of(store, row, assessed)


def standing_of(store: ReadStore, row: RunRow, assessed: Assessed) -> Standing:
    """Return how a run stands that was judged already."""
    reasons = [Reason(one, _link_label(one)) for one in assessed.verdict.findings]
    return Standing(
        row.run_id,
        row,
        assessed,
        "",
        reasons,
        offers(assessed),
        tuple(list_proposals(store, assessed)),
        read_rules(store),
    )


def build(store: ReadStore, run_id: str, wanted: Wanted, *, now: datetime) -> RunScreen:
    """Return the run page, read in one snapshot of the store.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        standing = stand(store, run_id, now=now)
        run = standing.assessed.run if standing.assessed else None
        ancestors = runs.ancestors(store, run) if run else []
        tree = _tree(store, standing, ancestors)
        notes = Notes(store.decisions(run_id), desk.notes_of_run(store, run_id))
        head = store.head(run_id).sequence
        counts = {
            "events": head,
            "actions": store.action_count(run_id) if standing.assessed else None,
            "family": tree.size if tree and tree.is_whole else None,
            "notes": len(notes.decisions) + len(notes.on_items),
        }
        content = _content(store, standing, wanted, tree, notes)
        return RunScreen(
            standing=standing,
            ancestors=ancestors,
            items=inbox.open_items(store, ItemQuery(run_id=run_id)),
            mark=store.head_mark(run_id),
            strip=events.strip_of(store, run_id, content.events),
            tree=tree,
            tabs=[
                RunTab(name, _LABELS[name], counts.get(name), name == wanted.tab) for name in TABS
            ],
            tab=wanted.tab,
            content=content,
            head_sequence=head,
        )


def _tree(store: ReadStore, standing: Standing, ancestors: list[Run]) -> FamilyNode | None:
    if standing.assessed is None:
        return None
    if not ancestors and not store.children(standing.run_id):
        return None
    path = [*(run.run_id for run in ancestors), standing.run_id]
    return tree_beside(store, path)


def _content(
    store: ReadStore,
    standing: Standing,
    wanted: Wanted,
    tree: FamilyNode | None,
    notes: Notes,
) -> TabContent:
    run_id = standing.run_id
    if wanted.tab == "events":
        page = events.build_page(store, run_id, before=wanted.before, kind=wanted.kind)
        return TabContent(events=page)
    if wanted.tab == "family":
        return TabContent(family=tree and tree_around(store, run_id))
    if wanted.tab == "notes":
        decided = [_note(store, row) for row in reversed(notes.decisions)]
        return TabContent(notes=decided, item_notes=notes.on_items)
    if standing.assessed is None:
        return TabContent()
    if wanted.tab == "actions":
        return TabContent(slots=list_actions(store, run_id)[:200])
    if wanted.tab == "diff":
        return TabContent(diff=diff_since_checkpoint(store, run_id))
    return TabContent(contract=contract_text(standing.assessed.verdict))


def contract_text(verdict: Verdict) -> str:
    """Return the sealed contract as JSON, as files of it are written."""
    text = json.dumps(verdict.contract._asdict(), indent=2, ensure_ascii=False, default=str)
    return text[:_CONTRACT_CHARACTERS]


def _note(store: ReadStore, row: DecisionRow) -> Note:
    paged = store.event_row(row.run_id, row.sequence)
    payload = paged.event.payload if paged and paged.event else {}
    reason = payload.get("reason") or payload.get("summary") or ""
    return Note(row, str(reason)[:4000])


def _link_label(finding: Finding) -> str:
    if finding.sequence is None:
        return ""
    if finding.sequence_to and finding.sequence_to != finding.sequence:
        return f"events {finding.sequence}–{finding.sequence_to}"
    return f"event {finding.sequence}"
