"""What stands below the tabs of the run page, of which one is shown at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from continuum.services import comparisons, desk, timelines
from runs.pages import events
from runs.pages.family import tree_around

if TYPE_CHECKING:
    from continuum.domain.actions import Slot
    from continuum.recovery.verdict import Verdict
    from continuum.services.comparisons import Comparison
    from continuum.services.desk import NoteRow
    from continuum.services.families import FamilyNode
    from continuum.services.timelines import Timeline
    from continuum.store.base import ReadStore
    from continuum.store.modelport import DecisionRow
    from runs.pages.run import Standing

LABELS = {
    "events": "Events",
    "actions": "Actions",
    "timeline": "Timeline",
    "diff": "State diff",
    "contract": "Contract",
    "family": "Family",
    "notes": "Notes",
}
TABS = tuple(LABELS)
ACTIONS = 50
_CONTRACT_CHARACTERS = 100_000
_DECISIONS = 100


class Wanted(NamedTuple):
    """What the address asks for below the tabs.

    Attributes:
        before: of events and actions, those below this number.
        kind, origin: of events.
        old, new: versions to compare; None for the newest checkpoint, and for now.
    """

    tab: str = "events"
    before: int | None = None
    kind: str = ""
    origin: str = ""
    old: int | None = None
    new: int | None = None


class Note(NamedTuple):
    """A decision somebody took, with the reason they gave."""

    decision: DecisionRow
    reason: str


class Notes(NamedTuple):
    """What people decided on a run, oldest first, and noted on its items, newest first."""

    decisions: list[DecisionRow]
    on_items: list[NoteRow]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.decisions) + len(self.on_items)


class SlotPage(NamedTuple):
    """Some of a run's actions, the newest first; `older` is the place of the next ones."""

    slots: list[Slot]
    older: int | None
    newest: bool


class TabContent(NamedTuple):
    """What is below the tabs; only the member of the current tab is filled."""

    events: events.EventPage | None = None
    actions: SlotPage | None = None
    timeline: Timeline | None = None
    comparison: Comparison | None = None
    contract: str = ""
    family: FamilyNode | None = None
    notes: list[Note] | None = None
    item_notes: list[NoteRow] | None = None


def read_notes(store: ReadStore, run_id: str) -> Notes:
    """Return what people decided and noted."""
    return Notes(store.decisions(run_id), desk.notes_of_run(store, run_id))


def content_of(
    store: ReadStore,
    standing: Standing,
    wanted: Wanted,
    tree: FamilyNode | None,
    notes: Notes,
) -> TabContent:
    """Return what the current tab shows.

    Raises:
        VersionNotFound: a version that is to be compared is not there.
    """
    run_id = standing.run_id
    if wanted.tab == "events":
        page = events.build_page(
            store, run_id, before=wanted.before, kind=wanted.kind, origin=wanted.origin
        )
        return TabContent(events=page)
    if wanted.tab == "family":
        return TabContent(family=tree and tree_around(store, run_id))
    if wanted.tab == "notes":
        decided = [_note(store, row) for row in notes.decisions[: -_DECISIONS - 1 : -1]]
        return TabContent(notes=decided, item_notes=notes.on_items)
    return _judged(store, standing, wanted)


def _judged(store: ReadStore, standing: Standing, wanted: Wanted) -> TabContent:
    """What only a run has that can be judged."""
    run_id = standing.run_id
    if standing.verdict is None:
        return TabContent()
    if wanted.tab == "actions":
        return TabContent(actions=_slot_page(store, run_id, wanted.before))
    if wanted.tab == "timeline":
        return TabContent(timeline=timelines.timeline(store, run_id))
    if wanted.tab == "diff":
        compared = comparisons.compare(store, run_id, before=wanted.old, after=wanted.new)
        return TabContent(comparison=compared)
    return TabContent(contract=contract_text(standing.verdict))


def contract_text(verdict: Verdict) -> str:
    """Return the sealed contract as JSON, as files of it are written."""
    text = json.dumps(verdict.contract._asdict(), indent=2, ensure_ascii=False, default=str)
    return text[:_CONTRACT_CHARACTERS]


def _slot_page(store: ReadStore, run_id: str, before: int | None) -> SlotPage:
    slots = store.slot_page(run_id, before=before, limit=ACTIONS + 1)
    older = slots[ACTIONS - 1].first_sequence if len(slots) > ACTIONS else None
    return SlotPage(slots[:ACTIONS], older, before is None)


def _note(store: ReadStore, row: DecisionRow) -> Note:
    paged = store.event_row(row.run_id, row.sequence)
    payload = paged.event.payload if paged and paged.event else {}
    reason = payload.get("reason") or payload.get("summary") or ""
    return Note(row, str(reason)[:4000])
