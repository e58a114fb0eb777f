"""Plans that agents report: written as one event each, folded on reading."""

from __future__ import annotations

from continuum.core.errors import InvalidInput, TooLarge
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.plans import PLAN_UPSERT, PlanUnit, is_unit, merged
from continuum.domain.plans import contradictions as contradictions
from continuum.domain.plans import remaining as remaining
from continuum.services.facts import load_facts
from continuum.services.progress import append_foldable
from continuum.services.runs import NewRun, ensure_run_id, insert_started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import Event
    from continuum.domain.plans import Plan
    from continuum.store.base import ReadStore, Store

MAX_UNITS = 200
"""Units one call may write."""

MAX_PLAN_UNITS = 1000
MAX_PLANS = 20
MAX_ID = 120
MAX_TITLE = 500
MAX_DEPENDENCIES = 50

_TOOL = "continuum_record_plan"


class PlanWrite(NamedTuple):
    """What an agent says of its plan.

    Attributes:
        units: objects of `id`, `title`, `status` and `depends_on`; what is left
            out of a unit that exists stays as it was.
        goal: what the run is for, if it has to be started.
    """

    plan_id: str
    units: Sequence[Mapping[str, Any]]
    goal: str | None = None


class RecordedPlan(NamedTuple):
    """The event that was written, and the plan as it is now."""

    event: Event
    plan: Plan


def record_plan(
    store: Store,
    run_id: str,
    write: PlanWrite,
    *,
    at: datetime,
    source: Origin = Origin.EXTERNAL_AGENT,
    members: Mapping[str, Any] | None = None,
) -> RecordedPlan:
    """Add units to a plan or change them; start the run if it is new.

    Args:
        members: extra payload members.

    Raises:
        InvalidInput: no unit, a unit twice, a new one without title, or one
            that says something else than a unit may.
        TooLarge: a documented limit bit.
        Refused: the run is closed.
    """
    ensure_run_id(run_id)
    _ensure_shape(write)
    extra = dict(members or {})
    with store.writing() as writer:
        run = store.find_run(run_id)
        if run is None:
            goal = write.goal or f"plan {write.plan_id}"
            insert_started(writer, NewRun(run_id, goal, source=source, members=extra), at=at)
        elif not store.head(run_id).sequence:
            start = Draft(EventType.RUN_STARTED, {"goal": run.goal, **extra}, source, at)
            append_foldable(store, writer, run_id, start)
        plans = load_facts(store, run_id).plans
        units = _whole_units(plans, write)
        payload = {
            "tool": _TOOL,
            "extension": PLAN_UPSERT,
            "plan_id": write.plan_id,
            "units": [unit.document() for unit in units],
            **extra,
        }
        draft = Draft(EventType.TOOL_CALLED, payload, source, at)
        event = append_foldable(store, writer, run_id, draft).event
        plan = load_facts(store, run_id).plans[write.plan_id]
    return RecordedPlan(event, plan)


def list_plans(store: ReadStore, run_id: str) -> list[Plan]:
    """Return the plans of a run, first reported first.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        store.run(run_id)
        return list(load_facts(store, run_id).plans.values())


def _ensure_shape(write: PlanWrite) -> None:
    _ensure_text(write.plan_id, "plan_id", MAX_ID)
    if not write.units:
        raise InvalidInput("a plan needs at least one unit")
    if len(write.units) > MAX_UNITS:
        raise TooLarge(f"units: {len(write.units)} in one call, {MAX_UNITS} are allowed")
    seen: set[str] = set()
    for raw in write.units:
        _ensure_unit(raw)
        if raw["id"] in seen:
            raise InvalidInput(f"units: {raw['id']!r} is in the call twice")
        seen.add(raw["id"])


def _ensure_unit(raw: Mapping[str, Any]) -> None:
    if not is_unit(raw):
        raise InvalidInput(
            "units: each is an object of id, title, status (pending, working, done or blocked) "
            "and depends_on (a list of unit ids)"
        )
    _ensure_text(raw["id"], "id of a unit", MAX_ID)
    if raw.get("title"):
        _ensure_text(raw["title"], f"title of unit {raw['id']!r}", MAX_TITLE)
    depends_on = raw.get("depends_on") or []
    if len(depends_on) > MAX_DEPENDENCIES:
        raise TooLarge(
            f"unit {raw['id']!r} waits for {len(depends_on)} units, {MAX_DEPENDENCIES} are allowed"
        )
    for one in depends_on:
        _ensure_text(one, f"depends_on of unit {raw['id']!r}", MAX_ID)


def _ensure_text(text: str, name: str, limit: int) -> None:
    if not text.strip():
        raise InvalidInput(f"{name} must not be blank")
    if len(text) > limit:
        raise TooLarge(f"{name} has {len(text)} of at most {limit} characters")


def _whole_units(plans: Mapping[str, Plan], write: PlanWrite) -> list[PlanUnit]:
    """Return the units as they are written: whole, sorted by id."""
    plan = plans.get(write.plan_id)
    if plan is None and len(plans) >= MAX_PLANS:
        raise TooLarge(f"the run has {MAX_PLANS} plans already; go on with one of them")
    known = {unit.id: unit for unit in plan.units} if plan else {}
    units = [merged(known.get(raw["id"]), raw) for raw in write.units]
    _ensure_titles(units)
    total = len(known.keys() | {unit.id for unit in units})
    if total > MAX_PLAN_UNITS:
        raise TooLarge(f"the plan would have {total} units, {MAX_PLAN_UNITS} are allowed")
    return sorted(units, key=lambda unit: unit.id)


def _ensure_titles(units: Iterable[PlanUnit]) -> None:
    for unit in units:
        if not unit.title:
            raise InvalidInput(f"unit {unit.id!r} is new, so it needs a title")
