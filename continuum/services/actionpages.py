"""A run's ledger in pages, with how often each action was begun."""

from __future__ import annotations

from continuum.core.errors import ActionNotFound
from continuum.core.records import NamedTuple
from continuum.domain.events import ACTION_EVENTS
from continuum.ledger.budgets import tally_attempts
from continuum.services.slots import list_actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from continuum.domain.actions import ActionStatus, Slot
    from continuum.store.base import ReadStore


class ActionPage(NamedTuple):
    """Some of a run's actions, first seen first.

    Attributes:
        rows: each action with its number of attempts.
        unresolved: how many of the whole run have an unknown outcome.
        next: the action id to go on behind, None at the end.
    """

    rows: tuple[tuple[Slot, int], ...]
    unresolved: int
    next: str | None


def action_page(
    store: ReadStore,
    run_id: str,
    *,
    statuses: Iterable[ActionStatus] | None = None,
    after: str | None = None,
    limit: int,
) -> ActionPage:
    """Return the actions of some statuses from behind the action id `after`.

    Raises:
        RunNotFound: no such run.
        ActionNotFound: `after` is no action of the run.
    """
    wanted = None if statuses is None else frozenset(statuses)
    with store.reading():
        slots = list_actions(store, run_id)
        behind = slots[_place_behind(slots, after, run_id) :]
        shown = [slot for slot in behind if wanted is None or slot.action.status in wanted]
        page = shown[:limit]
        attempts = _attempts(store, run_id, page)
    return ActionPage(
        tuple((slot, attempts.get(slot.key, 0)) for slot in page),
        sum(slot.action.is_unresolved for slot in slots),
        page[-1].action.action_id if len(shown) > limit else None,
    )


def _place_behind(slots: Sequence[Slot], after: str | None, run_id: str) -> int:
    if after is None:
        return 0
    for place, slot in enumerate(slots):
        if slot.action.action_id == after:
            return place + 1
    raise ActionNotFound(f"run {run_id!r} has no action {after[:64]!r} to go on behind")


def _attempts(store: ReadStore, run_id: str, page: Sequence[Slot]) -> dict[str, int]:
    if not page:
        return {}
    first = min(slot.first_sequence for slot in page)
    last = max(slot.last_sequence for slot in page)
    keys = {slot.key for slot in page}
    events = store.events(run_id, after=first - 1, upto=last, types=ACTION_EVENTS)
    tallies = tally_attempts(one for one in events if one.payload.get("key") in keys)
    return {key: tally.attempts for key, tally in tallies.items()}
