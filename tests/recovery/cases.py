"""Facts for verdicts, built from short descriptions of a log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from continuum.core.clock import body_time
from continuum.domain.environment import make_environment
from continuum.domain.events import (
    NO_HEAD,
    Draft,
    Event,
    EventType,
    Head,
    Origin,
    event_from_row,
    seal,
)
from continuum.domain.runfacts import RunFacts
from continuum.recovery.facts import (
    ChainFacts,
    ChildVerdict,
    Closed,
    Confirmations,
    Facts,
    Question,
    RetryFacts,
)

if TYPE_CHECKING:
    from continuum.domain.environment import Environment

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
START = datetime(2026, 1, 1, tzinfo=UTC)
RUN = "run-a"
HEALTHY = ChainFacts(ok=True, checked_through=99, full=True)

Told = tuple[str, str, dict[str, Any]]
"""An event in short: type, source, payload."""

STARTED: Told = ("RUN_STARTED", "deterministic", {"goal": "g"})
AGENT_STARTED: Told = ("RUN_STARTED", "external_agent", {"goal": "g"})


def agent_progress(completed: int) -> Told:
    return ("TASK_UPDATED", "external_agent", {"completed": completed, "total": 10})


def planned(*units: dict[str, Any], plan_id: str = "main", source: str = "external_agent") -> Told:
    upsert = {"tool": "continuum_record_plan", "extension": "PLAN_UPSERT", "plan_id": plan_id}
    return ("TOOL_CALLED", source, {**upsert, "units": list(units)})


def unit(unit_id: str, *depends_on: str, status: str = "pending") -> dict[str, Any]:
    return {
        "id": unit_id, "title": f"Do {unit_id}", "status": status, "depends_on": [*depends_on]
    }  # fmt: skip


def confirmed(*components: str, source: str = "human", **members: Any) -> Told:
    named = list(components or ("goal", "progress"))
    return ("REVIEW_CONFIRMED", source, {"components": named, **members})


def action(status: str, *, action_id: str = "action_1", kind: str = "pay", **more: Any) -> Told:
    record = {
        "action_id": action_id,
        "run_id": RUN,
        "action_type": kind,
        "status": status,
        "created_at": body_time(START),
        **more,
    }
    copies = {name: record[name] for name in ("action_id", "action_type", "status")}
    return (
        "ACTION_RECORDED",
        "deterministic",
        {"key": f"k-{action_id}", **copies, "action": record},
    )


def make_events(told: list[Told]) -> list[Event]:
    """Return a sealed log, one second between its events."""
    events: list[Event] = []
    head = NO_HEAD
    for number, (event_type, source, payload) in enumerate(told):
        at = START + timedelta(seconds=number)
        draft = Draft(EventType(event_type), payload, Origin(source), at)
        row = seal(draft, run_id=RUN, head=head)
        head = Head(row.sequence, row.hash)
        events.append(event_from_row(row))
    return events


def make_facts(*told: Told, **overrides: Any) -> Facts:
    """Return the facts of a healthy run with this log; `overrides` replace members."""
    seen = RunFacts(RUN).apply_all(make_events(list(told) or [STARTED]))
    mode, steps = seen.last_attempt
    opened = seen.open_actions
    facts = Facts(
        run_id=RUN,
        now=NOON,
        question=Question(),
        state=seen.projection.state(),
        projection_failure=seen.projection.failure,
        checkpoint_version=0,
        checkpoint_environment=None,
        confirmations=Confirmations(**seen.confirmed),
        uncertain=tuple(one.action for one in opened),
        observations=(),
        retry=RetryFacts(
            **seen.retry_counts,
            last_attempt_mode=mode,
            last_attempt_steps=tuple(steps),
            settled_effects=tuple(seen.settled),
            seen=seen.retry_seen,
        ),
        probes=frozenset(),
        gate_active=False,
        closed=Closed(*seen.closed) if seen.closed else None,
        chain=HEALTHY,
        action_sequences={one.action.action_id: one.sequence for one in opened},
        self_reports={
            name: (one.sequence, one.last_sequence) for name, one in seen.reported.items() if one
        },
        plans=tuple(seen.plans.values()),
        leases={
            one.action.action_id: one.lease for one in opened if one.lease and one.is_held(NOON)
        },
    )
    return facts._replace(**overrides)


def environment(
    versions: dict[str, str], metadata: dict[str, dict[str, str]] | None = None
) -> Environment:
    snapshot = make_environment(RUN, versions, at=START, env_id="env_1")
    for name, members in (metadata or {}).items():
        snapshot["resources"][name]["metadata"] = {**members}
    return snapshot


def child(run_id: str = "child", **members: Any) -> ChildVerdict:
    blocked = {
        "status": "started",
        "mode": "request_human",
        "safe": False,
        "uncertain_actions": 1,
    }
    return ChildVerdict(run_id, **{**blocked, **members})
