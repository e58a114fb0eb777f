"""The run page: everything a person needs to judge and decide, in its order."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from continuum.core.errors import Corrupted, NoEvents, NotReadYet
from continuum.services import inbox, runs
from continuum.services.foureyes import Rules, read_rules
from continuum.services.inbox import ItemQuery
from continuum.services.offers import offers
from continuum.services.proposals import list_proposals
from continuum.services.recovery import assess_at_once
from runs.pages import events
from runs.pages.family import tree_beside
from runs.pages.record import LABELS, Wanted, content_of, read_notes

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.actions import Action
    from continuum.domain.runfacts import OpenAction
    from continuum.domain.runs import Run, RunRow
    from continuum.recovery.findings import Finding
    from continuum.recovery.verdict import Verdict
    from continuum.services.families import FamilyNode
    from continuum.services.offers import Offer
    from continuum.services.proposals import ShownProposal
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore
    from continuum.store.modelport import HeadMark, Item
    from runs.pages.record import TabContent

_REASONS_SHOWN = 3
_REASONS_FOLDED = 30
_SETTLEMENTS = 10
_OPEN_SHOWN = 20
_MOST_COUNTED = 1000


class RunTab(NamedTuple):
    """One tab with what it holds."""

    name: str
    label: str
    number: int | str | None
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
        unread: how many events nobody read yet, where those are too many for a page.
    """

    run_id: str
    row: RunRow
    assessed: Assessed | None
    trouble: str
    reasons: list[Reason]
    offers: list[Offer]
    proposals: tuple[ShownProposal, ...] = ()
    rules: Rules = Rules(())
    unread: int = 0

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
    def shown_actions(self) -> list[OpenAction]:
        """As many of them as the page has room for; the tab of actions has all."""
        return self.open_actions[:_OPEN_SHOWN]

    @property
    def more_settlements(self) -> int:
        """How many open actions are not offered to settle, for want of room."""
        return max(0, len(self.open_actions) - _SETTLEMENTS) if self.offers else 0

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
        if self.unread:
            return "info"
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
        """The next ones, folded away."""
        return self.reasons[_REASONS_SHOWN : _REASONS_SHOWN + _REASONS_FOLDED]

    @property
    def more_reasons(self) -> int:
        """How many there are beyond the leading ones, shown or not."""
        return len(self.reasons) - len(self.leading_reasons)


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


def stand(store: ReadStore, run_id: str, *, now: datetime) -> Standing:
    """Return how a run stands; a run that cannot be judged, or not at once, says why.

    Raises:
        RunNotFound: no such run.
    """
    row = store.run_row(run_id)
    try:
        assessed = assess_at_once(store, run_id, at=now)
    except NotReadYet as exc:
        return Standing(run_id, row, None, str(exc), [], [], unread=exc.events)
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
        offers(assessed, settlements=_SETTLEMENTS),
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
        notes = read_notes(store, run_id)
        content = content_of(store, standing, wanted, tree, notes)
        head = events.head_of(store, run_id, content.events)
        counts = {
            "events": head,
            "actions": _action_count(store, run_id) if standing.assessed else None,
            "family": tree.size if tree and tree.is_whole else None,
            "notes": notes.number,
        }
        return RunScreen(
            standing=standing,
            ancestors=ancestors,
            items=inbox.open_items(store, ItemQuery(run_id=run_id)),
            mark=store.head_mark(run_id),
            strip=events.strip_of(store, run_id, content.events),
            tree=tree,
            tabs=[
                RunTab(name, label, counts.get(name), name == wanted.tab)
                for name, label in LABELS.items()
            ],
            tab=wanted.tab,
            content=content,
            head_sequence=head,
        )


def _action_count(store: ReadStore, run_id: str) -> int | str:
    number = store.count_slots(run_id, most=_MOST_COUNTED + 1)
    return number if number <= _MOST_COUNTED else f"{_MOST_COUNTED:,}+"


def _tree(store: ReadStore, standing: Standing, ancestors: list[Run]) -> FamilyNode | None:
    if standing.assessed is None:
        return None
    if not ancestors and not store.children(standing.run_id):
        return None
    path = [*(run.run_id for run in ancestors), standing.run_id]
    return tree_beside(store, path)


def _link_label(finding: Finding) -> str:
    if finding.sequence is None:
        return ""
    if finding.sequence_to and finding.sequence_to != finding.sequence:
        return f"events {finding.sequence}–{finding.sequence_to}"
    return f"event {finding.sequence}"
