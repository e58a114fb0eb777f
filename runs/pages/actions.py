"""One action: what was meant, what is known, and what came before."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from continuum.core.errors import ConfigurationError
from continuum.domain.actions import ActionStatus
from continuum.domain.events import ACTION_EVENTS
from continuum.host.budgets import read_budgets
from continuum.services import inbox, offers, slots
from runs.pages.run import Standing, stand

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.actions import Action, Slot
    from continuum.domain.events import Event
    from continuum.domain.leases import Lease
    from continuum.services.proposals import ShownProposal
    from continuum.store.base import ReadStore
    from continuum.store.modelport import Item

_VALUE_CHARACTERS = 2000
_ARGUMENTS_SHOWN = 60
_HISTORY_SHOWN = 100


class Step(NamedTuple):
    """One ledger event of an action."""

    sequence: int
    timestamp: str
    type: str
    source: str
    status: str
    by: str
    reason: str


class ActionScreen(NamedTuple):
    """Everything known about one action.

    Attributes:
        limit: how often it may be begun, as the registry beside the console says; 0 where
            that cannot be read.
        lease: who claimed it, and how long others have to wait.
        probe_command: asks the outside itself, where the registered probes are.
    """

    standing: Standing
    slot: Slot
    arguments: list[tuple[str, str]]
    result: str
    attempts: int
    limit: int
    lease: Lease | None
    history: list[Step]
    item: Item | None
    happened_command: str
    did_not_happen_command: str
    compensate_command: str
    probe_command: str

    @property
    def attempts_left(self) -> int:
        """How often it may be begun again."""
        return max(0, self.limit - self.attempts)

    @property
    def is_settled(self) -> bool:
        """True when an outcome is recorded; a settlement would overrule it."""
        return not self.action.is_unresolved

    @property
    def is_correctable(self) -> bool:
        """True when a recorded outcome may be overruled with a reason."""
        return self.action.status in (ActionStatus.COMPLETED, ActionStatus.FAILED)

    @property
    def takes_two(self) -> bool:
        """True when settling or undoing it takes two people."""
        return self.standing.rules.bind_type(self.action.action_type)

    @property
    def proposals(self) -> list[ShownProposal]:
        """What first persons decided about it, newest first."""
        return [one for one in self.standing.proposals if one.row.key == self.slot.key]

    @property
    def consequence(self) -> str:
        """How the run stands once this is settled, either way."""
        assessed = self.standing.assessed
        return offers.outcome_consequence(assessed, self.action) if assessed else ""

    @property
    def action(self) -> Action:
        """The newest record under the key."""
        return self.slot.action


def build(store: ReadStore, run_id: str, key: str, *, now: datetime) -> ActionScreen:
    """Return one action.

    Raises:
        RunNotFound, ActionNotFound: there is none.
    """
    with store.reading():
        return build_on(store, stand(store, run_id, now=now), key)


def build_on(store: ReadStore, standing: Standing, key: str) -> ActionScreen:
    """Return one action of a run that was judged already.

    Raises:
        ActionNotFound: there is none.
    """
    run_id = standing.run_id
    slot = slots.find_slot(store, run_id, key)
    return ActionScreen(
        standing=standing,
        slot=slot,
        arguments=rows_of(slot.action.arguments),
        result=_text(slot.action.result) if slot.action.result else "",
        attempts=slots.attempts_of(store, run_id, slot.key),
        limit=_limit(slot.action.action_type),
        lease=next((one.lease for one in standing.open_actions if one.key == slot.key), None),
        history=_history(store, slot),
        item=store.item(inbox.item_id_of(run_id, "action", slot.key)),
        happened_command=offers.settle_command(run_id, slot.action, occurred=True),
        did_not_happen_command=offers.settle_command(run_id, slot.action, occurred=False),
        compensate_command=offers.compensate_command(run_id, slot.action),
        probe_command=shlex.join(["continuum", "reconcile", run_id]),
    )


def chosen_command(screen: ActionScreen, chosen: dict[str, Any]) -> str:
    """Return the command line that records exactly what was chosen on the form."""
    return offers.settle_command(
        screen.action.run_id,
        screen.action,
        occurred=chosen["outcome"] == "occurred",
        external_id=chosen["external_id"],
        overrides=bool(chosen["correction"]),
        reason=chosen["reason"],
    )


def rows_of(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Return arguments as names and texts, cut to what a page can hold."""
    return [(str(name), _text(value)) for name, value in list(arguments.items())[:_ARGUMENTS_SHOWN]]


def _limit(action_type: str) -> int:
    try:
        return read_budgets().limit(action_type)
    except ConfigurationError:
        return 0


def _history(store: ReadStore, slot: Slot) -> list[Step]:
    events = store.events(
        slot.action.run_id,
        after=slot.first_sequence - 1,
        upto=slot.last_sequence,
        types=ACTION_EVENTS,
    )
    steps = [_step(event) for event in events if event.payload.get("key") == slot.key]
    return steps[::-1][:_HISTORY_SHOWN]


def _step(event: Event) -> Step:
    payload = event.payload
    return Step(
        sequence=event.sequence,
        timestamp=event.timestamp,
        type=str(event.type),
        source=str(event.source),
        status=str(payload.get("status", "")),
        by=str(payload.get("by") or payload.get("caller") or ""),
        reason=str(payload.get("reason") or payload.get("note") or "")[:_VALUE_CHARACTERS],
    )


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text[:_VALUE_CHARACTERS]
