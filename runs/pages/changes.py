"""What changed since a person looked: then and now, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from continuum.core.errors import ContinuumError
from continuum.domain.events import ACTION_EVENTS
from continuum.services import slots
from continuum.services.states import current_state, replay
from runs.pages.events import EventLine, line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from continuum.store.base import ReadStore

    _Fact = tuple[str, Any, Any]

_EVENTS_SHOWN = 20
_COUNTERS = ("completed", "failed", "pending", "total")


class Change(NamedTuple):
    """One fact, as it was and as it is."""

    name: str
    then: str
    now: str


class Changes(NamedTuple):
    """What happened after `seen`.

    Attributes:
        facts: only those that differ.
        events: the newest that came since, newest first.
    """

    seen: int
    facts: list[Change]
    events: list[EventLine]


def since(store: ReadStore, run_id: str, key: str | None, seen: int) -> Changes:
    """Return what is different now from what event `seen` showed."""
    with store.reading():
        page = store.event_page(run_id, limit=_EVENTS_SHOWN)
        lines = [line_of(row) for row in page if row.row.sequence > seen]
        facts = _action_facts(store, run_id, key, seen) if key else _run_facts(store, run_id, seen)
    return Changes(seen, facts, lines)


def _action_facts(store: ReadStore, run_id: str, key: str, seen: int) -> list[Change]:
    slot = slots.find_slot(store, run_id, key)
    events = store.events(
        run_id, after=slot.first_sequence - 1, upto=slot.last_sequence, types=ACTION_EVENTS
    )
    then: dict[str, Any] = {}
    now: dict[str, Any] = {}
    for event in events:
        if event.payload.get("key") == slot.key:
            now = event.payload
            then = now if event.sequence <= seen else then
    names = ("status", "external_id", "by", "reason")
    return _differing((name, then.get(name), now.get(name)) for name in names)


def _run_facts(store: ReadStore, run_id: str, seen: int) -> list[Change]:
    try:
        then = replay(store, run_id, upto=seen).state
        now = current_state(store, run_id).state
    except ContinuumError:
        return []  # the events below still say what came since
    rows: list[_Fact] = [("goal", then["goal"]["description"], now["goal"]["description"])]
    before: Mapping[str, Any] = then["progress"]
    after: Mapping[str, Any] = now["progress"]
    rows += [(f"progress: {name}", before[name], after[name]) for name in _COUNTERS]
    return _differing(rows)


def _differing(rows: Iterable[_Fact]) -> list[Change]:
    return [Change(name, _text(then), _text(now)) for name, then, now in rows if then != now]


def _text(value: Any) -> str:
    return "–" if value in (None, "") else str(value)[:500]
