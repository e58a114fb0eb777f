"""Plans: what an agent means to do, unit by unit, as it reported it.

A plan travels in an event type every client knows and none projects:
`TOOL_CALLED` with `extension: "PLAN_UPSERT"`, a `plan_id` and `units`. A unit
is named by its id within its plan; the newest write of a unit wins, and units
that are not named stay as they were.

A unit that cannot be read is skipped: nothing here decides in favour of going
on. What contradicts itself (a unit that waits for one that is not there, or
units that wait for each other) is kept and reported.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.records import NamedTuple
from continuum.domain.events import SELF_CERTIFIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from continuum.domain.events import Event

PLAN_UPSERT = "PLAN_UPSERT"
MAX_SHOWN_IDS = 5


class UnitStatus(StrEnum):
    """Where one unit of a plan stands."""

    PENDING = "pending"
    WORKING = "working"
    DONE = "done"
    BLOCKED = "blocked"


class PlanUnit(NamedTuple):
    """One unit of work. `depends_on` names units of the same plan."""

    id: str
    title: str
    status: str = UnitStatus.PENDING
    depends_on: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the unit as JSON."""
        return {**self._asdict(), "status": str(self.status), "depends_on": [*self.depends_on]}


class Plan(NamedTuple):
    """A plan as folded: its units by first appearance.

    Attributes:
        sequence: the newest event that changed it.
        self_certified: whether its newest event rests on an agent's word.
    """

    plan_id: str
    units: tuple[PlanUnit, ...]
    sequence: int
    self_certified: bool

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON, for `plan_from_document`."""
        return {**self._asdict(), "units": [unit.document() for unit in self.units]}


def plan_from_document(document: Mapping[str, Any]) -> Plan:
    """Return the plan that `Plan.document` wrote."""
    units = tuple(_unit(unit) for unit in document["units"])
    return Plan(
        document["plan_id"], units, int(document["sequence"]), bool(document["self_certified"])
    )


def is_upsert(event: Event) -> bool:
    """Return whether a `TOOL_CALLED` event carries a plan."""
    payload = event.payload
    return (
        payload.get("extension") == PLAN_UPSERT
        and isinstance(payload.get("plan_id"), str)
        and isinstance(payload.get("units"), list)
    )


def fold_upsert(known: Plan | None, event: Event) -> Plan:
    """Return the plan after an event that `is_upsert`."""
    units = {unit.id: unit for unit in known.units} if known else {}
    for raw in event.payload["units"]:
        if is_unit(raw):
            unit = merged(units.get(raw["id"]), raw)
            units[unit.id] = unit
    return Plan(
        event.payload["plan_id"],
        tuple(units.values()),
        event.sequence,
        event.source in SELF_CERTIFIED,
    )


def is_unit(raw: object) -> bool:
    """Return whether a value has the shape of a unit, whole or in part."""
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str) or not raw["id"]:
        return False
    depends_on = raw.get("depends_on") or []
    return (
        raw.get("status", UnitStatus.PENDING) in _STATUSES
        and isinstance(raw.get("title") or "", str)
        and isinstance(depends_on, list)
        and all(isinstance(one, str) for one in depends_on)
    )


def merged(known: PlanUnit | None, raw: Mapping[str, Any]) -> PlanUnit:
    """Return a unit after a write that may name only what changes."""
    before = known or PlanUnit(raw["id"], "")
    depends_on = raw.get("depends_on")
    return PlanUnit(
        raw["id"],
        raw.get("title") or before.title,
        UnitStatus(raw.get("status") or before.status),
        before.depends_on if depends_on is None else tuple(depends_on),
    )


def remaining(plan: Plan) -> list[str]:
    """Return the ids of units that are not done, each behind what it waits for.

    Units that wait for each other come last, as they first appeared.
    """
    ordered, entangled = _ordered(plan.units)
    return [unit.id for unit in (*ordered, *entangled) if unit.status != UnitStatus.DONE]


def contradictions(plan: Plan) -> list[str]:
    """Return what makes a plan impossible to follow, one sentence each."""
    known = {unit.id for unit in plan.units}
    found = [
        f"unit {unit.id!r} waits for {_shown(missing)}, which the plan does not have"
        for unit in plan.units
        if (missing := [one for one in unit.depends_on if one not in known])
    ]
    _, entangled = _ordered(plan.units)
    if entangled:
        found.append(f"units {_shown([unit.id for unit in entangled])} wait for each other")
    return found


def _ordered(units: Sequence[PlanUnit]) -> tuple[list[PlanUnit], list[PlanUnit]]:
    """Return the units behind what they wait for, and those that wait for themselves."""
    known = {unit.id for unit in units}
    ready: list[PlanUnit] = []
    placed: set[str] = set()
    waiting = list(units)
    while waiting:
        free = [unit for unit in waiting if placed.issuperset(known.intersection(unit.depends_on))]
        if not free:
            break
        ready += free
        placed.update(unit.id for unit in free)
        waiting = [unit for unit in waiting if unit.id not in placed]
    return ready, waiting


def _unit(document: Mapping[str, Any]) -> PlanUnit:
    return PlanUnit(
        document["id"], document["title"], document["status"], tuple(document["depends_on"])
    )


def _shown(ids: Iterable[str]) -> str:
    named = [repr(one) for one in ids]
    more = len(named) - MAX_SHOWN_IDS
    shown = ", ".join(named[:MAX_SHOWN_IDS])
    return f"{shown} and {more} more" if more > 0 else shown


_STATUSES = tuple(map(str, UnitStatus))
