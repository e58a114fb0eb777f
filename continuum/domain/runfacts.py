"""Everything a verdict and a list row need from one log, folded incrementally.

`RunFacts` reads events one at a time, in order, archive included. Its
snapshot plus the tail of the log gives the same facts as the whole log, which
is what keeps a verdict flat in the length of a run.

Unlike the fold of the state it never stops: an event that the state refuses
ends the projection, yet actions, confirmations and the closing behind it still
count (design rule 3: when in doubt, more careful).
"""

from __future__ import annotations

from continuum.core.clock import parse_time
from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED, Action, ActionStatus, action_from_record
from continuum.domain.callers import caller_name
from continuum.domain.events import ACTION_EVENTS, SELF_CERTIFIED, EventType, Origin
from continuum.domain.leases import LONGEST_LEASE, lease_of, lease_record
from continuum.domain.plans import fold_upsert, is_upsert, plan_from_document
from continuum.domain.projection import Projection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any, Self

    from continuum.domain.events import Event
    from continuum.domain.leases import Lease
    from continuum.domain.plans import Plan

SNAPSHOT_FORMAT = 3
OBSERVATIONS_KEPT = 50
_SETTLED_KEPT = 5
_STEPS_KEPT = 8
CONFIRMABLE = ("goal", "progress")

_CLOSING = {EventType.RUN_COMPLETED: "completed", EventType.RUN_ABORTED: "aborted"}
_RECOVERY_COUNTERS = {
    EventType.RECOVERY_STARTED: "attempts",
    EventType.RECOVERY_COMPLETED: "completed_recoveries",
    EventType.RECOVERY_BLOCKED: "blocked_recoveries",
    EventType.ACTION_COMPENSATED: "compensations",
}


class OpenAction(NamedTuple):
    """An action nobody has settled, and the event that last touched it.

    Attributes:
        lease: of the claim that began it, while no doubt was raised.
    """

    key: str
    action: Action
    sequence: int
    lease: Lease | None = None

    def is_held(self, at: datetime) -> bool:
        """Return whether its claimant is presumed at work at the time `at`."""
        return self.lease is not None and at < self.lease.until


class Observation(NamedTuple):
    """A file a tool said it touched."""

    sequence: int
    tool: str
    path: str
    sha256: str | None
    bytes: int | None


class SelfReport(NamedTuple):
    """Since when, and up to which event, a component rests on the agent's word alone."""

    sequence: int
    at: str
    last_sequence: int
    last_at: str


class RunFacts:
    """The incremental fold of one run's log.

    Attributes:
        sequence, hash: the last event read; 0 and None before any.
        restored_at: the event the snapshot was taken at, 0 for a fold from the start.
        confirmed: component → sequence up to which a person's confirmation
            covers it, 0 for never.
        reported: component → first self-report no confirmation covers.
        closed: (status, sequence) of the closing event, or None.
        goals: the goals the log ever held, oldest first.
        plans: plan id → plan, first reported first.
        checkpoint: payload members of the newest STATE_CHECKPOINTED.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.projection = Projection(run_id)
        self.sequence = 0
        self.restored_at = 0
        self.hash: str | None = None
        self.events = 0
        self.started_at: str | None = None
        self.last_at: str | None = None
        self.last_type: str | None = None
        self.caller: str | None = None
        self.closed: tuple[str, int] | None = None
        self.confirmed: dict[str, int] = dict.fromkeys(CONFIRMABLE, 0)
        self.reported: dict[str, SelfReport | None] = dict.fromkeys(CONFIRMABLE)
        self.goals: list[str] = []
        self.plans: dict[str, Plan] = {}
        self.retry_seen = False
        self.retry_counts: dict[str, int] = dict.fromkeys(_RECOVERY_COUNTERS.values(), 0)
        self.last_attempt: tuple[str | None, list[str]] = (None, [])
        self.settled: list[dict[str, Any]] = []
        self.observations: list[Observation] = []
        self.observed = 0
        self.pinning: dict[str, Any] = {}
        self.checkpoint: dict[str, Any] | None = None
        self.anchored_through = 0
        self._open: dict[str, OpenAction] = {}

    # -- reading the log

    def apply_all(self, events: Iterable[Event]) -> Self:
        """Read `events` in order; return self."""
        for event in events:
            self.apply(event)
        return self

    def apply(self, event: Event) -> None:
        """Read one event behind the last one.

        Raises:
            UnreadableRecord: a ledger event carries a malformed action.
            InvalidInput: the event is of another run or not behind the last.
        """
        if not self.projection.failure:
            self.projection.apply_or_degrade(event)
        self._note_place(event)
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            handler(self, event)

    def _note_place(self, event: Event) -> None:
        self.sequence, self.hash = event.sequence, event.hash
        self.events += 1
        self.started_at = self.started_at or event.timestamp
        self.last_at, self.last_type = event.timestamp, event.type
        self.caller = caller_name(event.payload) or self.caller

    def _on_goal(self, event: Event) -> None:
        goal = event.payload.get("goal")
        if goal is not None:
            self._remember_goal(str(goal))
            self._note_report("goal", event)
        if event.type is EventType.TASK_UPDATED or event.payload.get("total") is not None:
            self._note_report("progress", event)

    def _on_work(self, event: Event) -> None:
        self._note_report("progress", event)

    def _remember_goal(self, goal: str) -> None:
        if goal not in self.goals:
            self.goals.append(goal)

    def _note_report(self, component: str, event: Event) -> None:
        if event.source not in SELF_CERTIFIED:
            return
        first = self.reported[component] or SelfReport(event.sequence, event.timestamp, 0, "")
        self.reported[component] = first._replace(
            last_sequence=event.sequence, last_at=event.timestamp
        )

    def _on_confirmation(self, event: Event) -> None:
        if event.source is not Origin.HUMAN:
            return
        covered = _covered_through(event)
        for component in _confirmed_components(event.payload):
            self.confirmed[component] = max(self.confirmed[component], covered)
            self.reported[component] = _behind(self.reported[component], covered)

    def _on_closing(self, event: Event) -> None:
        if self.closed is None:
            self.closed = (_CLOSING[event.type], event.sequence)

    def _on_action(self, event: Event) -> None:
        key = event.payload.get("key")
        if not isinstance(key, str) or not key:
            return
        action = action_from_record(event.payload.get("action") or {})
        if action.status in UNRESOLVED:
            self._open[key] = OpenAction(key, action, event.sequence, _lease(action, event))
        else:
            self._open.pop(key, None)
        pinning = event.payload.get("pinning")
        if event.type is EventType.ACTION_RECORDED and isinstance(pinning, dict) and pinning:
            self.pinning = pinning
        if event.type is EventType.ACTION_RECONCILED:
            self._note_settled(action)
        if event.type is EventType.ACTION_COMPENSATED:
            self._on_recovery(event)

    def _note_settled(self, action: Action) -> None:
        self.retry_seen = True
        row = {
            "action_id": action.action_id,
            "action_type": action.action_type,
            "occurred": action.status == "completed",
        }
        self.settled = [*self.settled, row][-_SETTLED_KEPT:]

    def _on_recovery(self, event: Event) -> None:
        self.retry_seen = True
        self.retry_counts[_RECOVERY_COUNTERS[event.type]] += 1
        if event.type is EventType.RECOVERY_STARTED:
            self.last_attempt = _attempt(event.payload)

    def _on_tool(self, event: Event) -> None:
        tool, path = event.payload.get("tool"), event.payload.get("path")
        if not (isinstance(tool, str) and isinstance(path, str) and path):
            return
        seen = Observation(
            event.sequence,
            tool,
            path,
            _text_or_none(event.payload.get("sha256")),
            _int_or_none(event.payload.get("bytes")),
        )
        self.observed += 1
        self.observations = [*self.observations[-(OBSERVATIONS_KEPT - 1) :], seen]

    def _on_call(self, event: Event) -> None:
        if is_upsert(event):
            plan = fold_upsert(self.plans.get(event.payload["plan_id"]), event)
            self.plans[plan.plan_id] = plan

    def _on_checkpoint(self, event: Event) -> None:
        self.checkpoint = {**event.payload, "sequence": event.sequence, "observed": self.observed}

    def _on_anchor(self, event: Event) -> None:
        through = _int_or_none(event.payload.get("anchored_through"))
        self.anchored_through = max(self.anchored_through, through or 0)

    # -- what was read

    @property
    def open_actions(self) -> list[OpenAction]:
        """Unresolved actions, first claimed first."""
        return sorted(self._open.values(), key=lambda one: (one.action.created_at, one.key))

    def observed_after(self, sequence: int) -> tuple[list[Observation], int]:
        """Return kept observations behind `sequence`, newest first, and how many are omitted.

        The number omitted is exact unless a newest version lies further back
        than the last checkpoint, where it is an upper bound.
        """
        shown = [one for one in reversed(self.observations) if one.sequence > sequence]
        if len(shown) < OBSERVATIONS_KEPT:
            return shown, 0
        known = self.checkpoint or {}
        before = int(known.get("observed", 0)) if known.get("source_sequence") == sequence else 0
        return shown, max(self.observed - before - len(shown), 0)

    # -- snapshots

    def snapshot(self) -> dict[str, Any]:
        """Return the facts as a JSON-ready object for `restore`."""
        members = {name: getattr(self, name) for name in _PLAIN_MEMBERS}
        return {
            **members,
            "format": SNAPSHOT_FORMAT,
            "projection": self.projection.snapshot(),
            "plans": [plan.document() for plan in self.plans.values()],
            "observations": [list(one) for one in self.observations],
            "open": [
                [one.key, one.action.record(), one.sequence, lease_record(one.lease)]
                for one in self._open.values()
            ],
        }

    @classmethod
    def restore(cls, run_id: str, snapshot: dict[str, Any]) -> Self | None:
        """Return the facts a snapshot holds, or None for another format."""
        if snapshot.get("format") != SNAPSHOT_FORMAT:
            return None
        facts = cls(run_id)
        for name in _PLAIN_MEMBERS:
            setattr(facts, name, snapshot[name])
        facts.restored_at = facts.sequence
        facts.projection = Projection.restore(run_id, snapshot["projection"])
        facts.closed = _pair(snapshot["closed"])
        facts.last_attempt = (snapshot["last_attempt"][0], snapshot["last_attempt"][1])
        facts.reported = {
            name: SelfReport(*value) if value else None
            for name, value in snapshot["reported"].items()
        }
        facts.plans = {plan.plan_id: plan for plan in map(plan_from_document, snapshot["plans"])}
        facts.observations = [Observation(*one) for one in snapshot["observations"]]
        facts._open = {
            key: OpenAction(key, action_from_record(record), sequence, lease_of(lease))
            for key, record, sequence, lease in snapshot["open"]
        }
        return facts


_PLAIN_MEMBERS = (
    "sequence",
    "hash",
    "events",
    "started_at",
    "last_at",
    "last_type",
    "caller",
    "closed",
    "confirmed",
    "reported",
    "goals",
    "retry_seen",
    "retry_counts",
    "last_attempt",
    "settled",
    "observed",
    "pinning",
    "checkpoint",
    "anchored_through",
)

_HANDLERS = {
    EventType.RUN_STARTED: RunFacts._on_goal,
    EventType.TASK_UPDATED: RunFacts._on_goal,
    EventType.WORK_COMPLETED: RunFacts._on_work,
    EventType.REVIEW_CONFIRMED: RunFacts._on_confirmation,
    EventType.RUN_COMPLETED: RunFacts._on_closing,
    EventType.RUN_ABORTED: RunFacts._on_closing,
    EventType.RECOVERY_STARTED: RunFacts._on_recovery,
    EventType.RECOVERY_COMPLETED: RunFacts._on_recovery,
    EventType.RECOVERY_BLOCKED: RunFacts._on_recovery,
    EventType.TOOL_CALLED: RunFacts._on_call,
    EventType.TOOL_COMPLETED: RunFacts._on_tool,
    EventType.STATE_CHECKPOINTED: RunFacts._on_checkpoint,
    EventType.EVENT_LOG_ANCHORED: RunFacts._on_anchor,
    **dict.fromkeys(ACTION_EVENTS, RunFacts._on_action),
}


def _covered_through(event: Event) -> int:
    """A confirmation covers what its author had seen, at most up to itself."""
    seen = _int_or_none(event.payload.get("seen_sequence"))
    return event.sequence if seen is None else min(seen, event.sequence)


def _behind(reported: SelfReport | None, covered: int) -> SelfReport | None:
    """What a confirmation up to `covered` leaves unreviewed."""
    if reported is None or reported.last_sequence <= covered:
        return None
    return reported._replace(sequence=reported.last_sequence, at=reported.last_at)


def _confirmed_components(payload: dict[str, Any]) -> tuple[str, ...]:
    named = payload.get("components")
    if not isinstance(named, list) or not named:
        return CONFIRMABLE
    return tuple(component for component in CONFIRMABLE if component in named)


def _attempt(payload: dict[str, Any]) -> tuple[str | None, list[str]]:
    plan = payload.get("plan")
    steps = [_step_name(step) for step in plan if isinstance(step, dict)] if plan else []
    return _text_or_none(payload.get("mode")), steps[-_STEPS_KEPT:]


def _lease(action: Action, event: Event) -> Lease | None:
    """Return the lease of a claim that is at work; a lease nobody gives out is none."""
    lease = lease_of(event.payload) if action.status is ActionStatus.STARTED else None
    if lease is None or lease.until > parse_time(event.timestamp) + LONGEST_LEASE:
        return None
    return lease


def _step_name(step: dict[str, Any]) -> str:
    return str(step.get("action_name") or f"{step.get('kind')}:{step.get('target')}")


def _pair(value: list[Any] | None) -> tuple[str, int] | None:
    return (value[0], value[1]) if value else None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _int_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
