"""Reading the ledger: which actions a run has, by any of their names."""

from __future__ import annotations

from continuum.core.errors import ActionNotFound, InvalidInput, RunNotFound
from continuum.domain.events import ACTION_EVENTS
from continuum.ledger.budgets import budget_table, tally_attempts
from continuum.ledger.identity import key_spellings, ledger_key
from continuum.services.facts import load_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from continuum.domain.actions import ActionStatus, Slot
    from continuum.ledger.budgets import BudgetRow, Budgets
    from continuum.store.base import ReadStore


def list_actions(
    store: ReadStore, run_id: str, *, statuses: Iterable[ActionStatus] | None = None
) -> list[Slot]:
    """Return the run's actions in order of first appearance.

    Raises:
        RunNotFound: no such run.
        UnreadableRecord: a row of the log cannot be read.
    """
    with store.reading():
        _ensure_run(store, run_id)
        # An event of a type nobody knows may have been an action's; the list
        # would be silently short without it.
        load_facts(store, run_id)
        return store.slots(run_id, statuses=statuses)


def find_slot(store: ReadStore, run_id: str, identifier: str) -> Slot:
    """Return the action named by ledger key, action id or explicit key.

    Raises:
        RunNotFound: no such run.
        ActionNotFound: the run has no such action.
        InvalidInput: the explicit key was used for several types.
    """
    slot = store.slot(run_id, identifier) or store.slot_by_action_id(run_id, identifier)
    return slot or _by_explicit_key(store, run_id, identifier)


def attempts_of(store: ReadStore, run_id: str, identifier: str) -> int:
    """Return how often an action was begun.

    Raises:
        RunNotFound: no such run.
        ActionNotFound: the run has no such action.
    """
    return count_attempts(store, run_id, find_slot(store, run_id, identifier))


def budget_rows(store: ReadStore, run_id: str, budgets: Budgets) -> list[BudgetRow]:
    """Return one row per type that was attempted or has a limit, sorted by type.

    Raises:
        RunNotFound: no such run.
    """
    _ensure_run(store, run_id)
    return budget_table(tally_attempts(store.events(run_id, types=ACTION_EVENTS)), budgets)


def count_attempts(store: ReadStore, run_id: str, slot: Slot) -> int:
    """Return how often the slot was begun; reads only the events between its ends."""
    events = store.events(
        run_id, after=slot.first_sequence - 1, upto=slot.last_sequence, types=ACTION_EVENTS
    )
    tally = tally_attempts(one for one in events if one.payload.get("key") == slot.key)
    return tally[slot.key].attempts if slot.key in tally else 0


def _by_explicit_key(store: ReadStore, run_id: str, identifier: str) -> Slot:
    _ensure_run(store, run_id)
    slots = store.slots(run_id)
    keys = set(_derived_keys(run_id, identifier, {slot.action.action_type for slot in slots}))
    found = [slot for slot in slots if slot.key in keys]
    if not found:
        raise ActionNotFound(
            f"run {run_id!r} has no action {identifier[:16]!r} among its {len(slots)}; "
            f"`continuum actions {run_id}` lists them"
        )
    if len(found) > 1:
        types = ", ".join(sorted({slot.action.action_type for slot in found}))
        raise InvalidInput(
            f"key {identifier[:64]!r} names {len(found)} actions ({types}); use the action id"
        )
    return found[0]


def _derived_keys(run_id: str, text: str, types: Iterable[str]) -> Iterator[str]:
    try:
        spellings = key_spellings(text)
    except InvalidInput:
        return
    for action_type in types:
        for scope in (run_id, None):
            for spelling in spellings:
                yield ledger_key(action_type, None, scope=scope, explicit_key=spelling)


def _ensure_run(store: ReadStore, run_id: str) -> None:
    if store.find_run(run_id) is None:
        raise RunNotFound(run_id)
