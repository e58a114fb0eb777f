"""The projection: a run's log folded into its semantic state, event by event.

The state depends on events alone, never on a clock or on chance. An event
whose rule fails is *unprojectable*. Folding then stops for good: either with
the error (when writing), or with the state of the events before it, marked
`invalid` (when showing or judging).

A snapshot of a projection plus the tail of the log gives the same state as
the whole log.
"""

from __future__ import annotations

from continuum.core.clock import column_to_body
from continuum.core.errors import InvalidInput, Unprojectable, UnreadableRecord
from continuum.core.records import NamedTuple
from continuum.domain.components import Components
from continuum.domain.events import EventType
from continuum.domain.projection_rules import RULES, keep_request
from continuum.domain.state import StateStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    from continuum.domain.events import Event
    from continuum.domain.state import SemanticState

IGNORED = frozenset(
    {
        EventType.REVIEW_CONFIRMED,
        EventType.REASONING_SUMMARY,
        EventType.PERCEPTION_OBSERVED,
        EventType.BRANCH_RESOLVED,
    }
)
"""Types a fold report counts as ignored; other types without a rule are mere annotations."""


class ProjectionFailure(NamedTuple):
    """The first event that does not fold, and why, in one sentence."""

    sequence: int
    event_type: str
    reason: str


class FoldReport(NamedTuple):
    """How many events were read, how many changed the state, and which types were ignored."""

    consumed: int
    applied: int
    ignored_types: dict[str, int]


class Projection:
    """An incremental fold of one run, costing O(1) per event.

    Attributes:
        sequence: the last event folded; 0 before any.
        failure: the event folding stopped at, or None.
    """

    def __init__(self, run_id: str, base: SemanticState | None = None) -> None:
        self.run_id = run_id
        self.sequence = 0
        self.failure: ProjectionFailure | None = None
        self._version = 0
        self._consumed = 0
        self._applied = 0
        self._ignored: dict[str, int] = {}
        self._parts = Components()
        if base is not None:
            self._start_from(base)

    def _start_from(self, base: SemanticState) -> None:
        if base["run_id"] != self.run_id:
            raise InvalidInput(f"a state of run {base['run_id']!r} is no base for {self.run_id!r}")
        self.sequence = base["source_sequence"]
        self._version = base["version"]
        self._parts = Components.from_document(base)

    # -- folding

    def apply(self, event: Event) -> None:
        """Fold one event; an event that fails leaves the state as it was.

        Raises:
            Unprojectable: the event's rule fails, or folding has stopped before.
            InvalidInput: the event is of another run, or not behind the last one.
        """
        if self.failure is not None:
            raise _error(self.failure)
        reason = self._fold(event)
        if reason:
            raise _error(ProjectionFailure(event.sequence, str(event.type), reason))

    def apply_or_degrade(self, event: Event) -> bool:
        """Fold one event, or stop folding for good; return whether it was folded.

        Raises:
            InvalidInput: the event is of another run, or not behind the last one.
        """
        if self.failure is not None:
            return False
        reason = self._fold(event)
        if not reason:
            return True
        self._consumed += 1
        keep_request(self._parts, event)
        self.fail(ProjectionFailure(event.sequence, str(event.type), reason))
        return False

    def fail(self, failure: ProjectionFailure) -> None:
        """Stop folding for good at `failure`; a first failure stays."""
        self.failure = self.failure or failure

    def _fold(self, event: Event) -> str:
        """Fold `event`, or change nothing and return why it does not fold."""
        if event.sequence <= self.sequence or event.run_id != self.run_id:
            raise _misplaced(self, event)
        parts = self._parts
        rule = RULES.get(event.type)
        if rule is not None:
            try:
                rule(parts, event)
            except (Unprojectable, ValueError, RecursionError) as exc:
                return str(exc) or type(exc).__name__
            parts.updated_at = _body_time(event)
            self._applied += 1
        elif event.type in IGNORED:
            self._ignored[event.type] = self._ignored.get(event.type, 0) + 1
        if not parts.created_at:
            parts.created_at = _body_time(event)
        self.sequence = event.sequence
        self._consumed += 1
        return ""

    # -- what was folded

    @property
    def has_goal(self) -> bool:
        """True once a start was folded."""
        return self._parts.goal is not None

    def state(self) -> SemanticState:
        """Return the state so far; degraded when folding has stopped.

        Raises:
            Unprojectable: no start was folded, so there is no state.
        """
        if self._parts.goal is None:
            raise self._no_start()
        parts = self._parts.document()
        created, updated = parts.pop("created_at"), parts.pop("updated_at")
        failure = self.failure
        document: Any = {
            "run_id": self.run_id,
            **parts,
            "version": self._version,
            "source_sequence": self.sequence,
            "status": (StateStatus.INVALID if failure else StateStatus.VALID).value,
            "unprojectable_at_sequence": failure.sequence if failure else None,
            "unprojectable_event_type": failure.event_type if failure else None,
            "unprojectable_reason": failure.reason if failure else None,
            "created_at": created,
            "updated_at": updated or created,
        }
        state: SemanticState = document
        return state

    def report(self) -> FoldReport:
        """Return what the fold has read since it began, base excluded."""
        return FoldReport(self._consumed, self._applied, {**self._ignored})

    def _no_start(self) -> Unprojectable:
        if self.failure is not None:
            return _error(self.failure)
        return Unprojectable(f"run {self.run_id!r} has no start recorded", sequence=self.sequence)

    # -- copies and snapshots

    def copy(self) -> Self:
        """Return a projection that can be folded on without changing this one."""
        return type(self).restore(self.run_id, self.snapshot())

    def snapshot(self) -> dict[str, Any]:
        """Return everything folded so far as a JSON-ready object for `restore`."""
        return {
            "sequence": self.sequence,
            "version": self._version,
            "failure": list(self.failure) if self.failure else None,
            "counts": [self._consumed, self._applied, {**self._ignored}],
            "parts": self._parts.document(),
        }

    @classmethod
    def restore(cls, run_id: str, snapshot: Mapping[str, Any]) -> Self:
        """Return the projection a snapshot holds.

        Raises:
            UnreadableRecord: it is no snapshot of a projection.
        """
        projection = cls(run_id)
        try:
            failure = snapshot["failure"]
            projection.sequence = snapshot["sequence"]
            projection.failure = ProjectionFailure(*failure) if failure else None
            projection._version = snapshot["version"]
            projection._consumed, projection._applied, ignored = snapshot["counts"]
            projection._ignored = {**ignored}
            projection._parts = Components.from_document(snapshot["parts"])
        except (KeyError, TypeError, ValueError) as exc:
            raise UnreadableRecord(f"the fold snapshot of run {run_id!r} is malformed") from exc
        return projection


def project(
    run_id: str, events: Iterable[Event], *, base: SemanticState | None = None
) -> SemanticState:
    """Return the state of `events`, folded onto `base`.

    Raises:
        Unprojectable: an event does not fold, or none of them started the run.
        InvalidInput: an event is of another run or out of order.
    """
    projection = Projection(run_id, base)
    for event in events:
        projection.apply(event)
    return projection.state()


def project_or_degrade(
    run_id: str, events: Iterable[Event], *, base: SemanticState | None = None
) -> SemanticState:
    """Return the state of `events` up to the first that does not fold.

    Raises:
        Unprojectable: the run was not started by then.
        InvalidInput: an event is of another run or out of order.
    """
    projection = Projection(run_id, base)
    for event in events:
        if not projection.apply_or_degrade(event):
            break
    return projection.state()


def locate_failure(run_id: str, events: Iterable[Event]) -> ProjectionFailure | None:
    """Return the first event after which there is no valid state, or None.

    Stricter than folding the log as a whole: the state must have a goal after
    every event, so a log has to open with its start (state.md 2.7).
    """
    projection = Projection(run_id)
    for event in events:
        projection.apply_or_degrade(event)
        failure = failure_after(projection, event)
        if failure is not None:
            return failure
    return None


def failure_after(projection: Projection, event: Event) -> ProjectionFailure | None:
    """Return why there is no valid state after `event`, which was just folded, or None."""
    if projection.failure is not None or projection.has_goal:
        return projection.failure
    reason = "the log does not open with a start, so there is no goal yet"
    return ProjectionFailure(event.sequence, str(event.type), reason)


def _body_time(event: Event) -> str:
    return column_to_body(event.timestamp)


def _error(failure: ProjectionFailure) -> Unprojectable:
    return Unprojectable(
        f"event {failure.sequence} ({failure.event_type}) does not fold: {failure.reason}",
        sequence=failure.sequence,
        event_type=failure.event_type,
    )


def _misplaced(projection: Projection, event: Event) -> InvalidInput:
    if event.run_id != projection.run_id:
        return InvalidInput(f"an event of run {event.run_id!r} in the log of {projection.run_id!r}")
    return InvalidInput(f"event {event.sequence} does not follow event {projection.sequence}")
