"""The semantic state of a run: a plain JSON document, folded from its log.

Documents are dicts in the stored member order (state.md 2.1), with times as
body texts (`…Z`). The typed shapes below exist for the type checker only.
Documents handed out are shared with the fold that made them: treat them as
immutable and build a changed one with `{**document, …}`.
"""

from __future__ import annotations

from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypedDict

    class Provenance(TypedDict):
        """Who asserted an item, and by which event."""

        origin: str
        source_sequence: int | None
        source_event_id: str | None
        extractor: str | None

    class Goal(TypedDict):
        """What the run is trying to achieve; `version` starts at 1."""

        description: str
        version: int
        constraints: list[str]
        provenance: Provenance

    class Progress(TypedDict):
        """Counters of work; with a total the other three never exceed it."""

        total: int | None
        completed: int
        pending: int
        failed: int
        provenance: Provenance

    class PlanStep(TypedDict):
        """A step of a plan; no event of this version records one."""

        step_id: str
        description: str
        status: str
        depends_on: list[str]
        evidence: list[str]
        provenance: Provenance

    class Decision(TypedDict):
        """What was decided, why, and whether it still holds."""

        decision_id: str
        decision: str
        reason: str
        evidence: list[str]
        status: str
        created_at: str
        invalidated_at: str | None
        invalidated_reason: str | None
        provenance: Provenance

    class Finding(TypedDict):
        """A claim with its evidence; `confidence` is 0.0 to 1.0."""

        finding_id: str
        claim: str
        evidence: list[str]
        confidence: float
        status: str
        created_at: str
        provenance: Provenance

    class Evidence(TypedDict):
        """Something seen, from the resource named by `source`."""

        evidence_id: str
        summary: str
        source: str | None
        checksum: str | None
        status: str
        added_at: str
        provenance: Provenance

    class PendingWork(TypedDict):
        """A task not yet done."""

        task_id: str
        description: str
        prerequisite: list[str]
        status: str
        created_at: str
        provenance: Provenance

    class Approval(TypedDict):
        """A permission asked for; `status` is an `ApprovalStatus`."""

        approval_id: str
        subject: str
        status: str
        granted_at: str | None
        granted_by: str | None
        expires_at: str | None
        reason: str | None

    class ExternalDependency(TypedDict):
        """A resource the run relies on, as it was when declared."""

        resource: str
        kind: str
        version: str | None
        checksum: str | None
        status: str
        metadata: dict[str, Any]
        last_verified_at: str | None
        provenance: Provenance

    class ConstraintPin(TypedDict):
        """The digest a constraint's text is pinned to."""

        constraint_id: str
        sha256: str
        status: str
        provenance: Provenance
        pinned_at: str

    class ModelAssumption(TypedDict):
        """State that holds for one model only."""

        item_id: str
        description: str
        required_validation: str

    class ModelState(TypedDict):
        """The model the run was last known to use."""

        model: str | None
        provider: str | None
        fingerprint: str | None
        model_specific_state: list[ModelAssumption]

    class SemanticState(TypedDict):
        """All that is known of a run; the four bookkeeping members are never stored."""

        run_id: str
        goal: Goal
        progress: Progress
        plan: list[PlanStep]
        decisions: list[Decision]
        findings: list[Finding]
        evidence: list[Evidence]
        pending_work: list[PendingWork]
        approvals: list[Approval]
        external_dependencies: list[ExternalDependency]
        pins: dict[str, ConstraintPin]
        unmatched_pin_retractions: list[str]
        model: ModelState | None
        version: int
        source_sequence: int
        status: str
        unprojectable_at_sequence: int | None
        unprojectable_event_type: str | None
        unprojectable_reason: str | None
        created_at: str
        updated_at: str


class StateStatus(StrEnum):
    """How far a state or one of its items can be relied on."""

    VALID = "valid"
    STALE = "stale"
    CONFLICTED = "conflicted"
    UNKNOWN = "unknown"
    INVALID = "invalid"
    REQUIRES_REVIEW = "requires_review"
    EXPIRED = "expired"


class ApprovalStatus(StrEnum):
    """Where a permission stands."""

    PENDING = "pending"
    GRANTED = "granted"
    REVOKED = "revoked"
    EXPIRED = "expired"
    REQUIRES_REVIEW = "requires_review"


UNRELIABLE = frozenset({StateStatus.INVALID, StateStatus.STALE, StateStatus.CONFLICTED})
"""Statuses of an item that must not be relied on any more."""

BOOKKEEPING = frozenset(
    {
        "status",
        "unprojectable_at_sequence",
        "unprojectable_event_type",
        "unprojectable_reason",
    }
)
"""Members that say how the fold went; shown, but never stored and never hashed."""

EXTRACTOR = "deterministic"
"""The extractor named in the provenance of everything the fold derives."""

REVALIDATION = "Must be revalidated after model change."
"""The fixed `required_validation` of every model assumption; it is hashed."""


def empty_progress() -> Progress:
    """Return the progress of a run that has recorded none."""
    return {
        "total": None,
        "completed": 0,
        "pending": 0,
        "failed": 0,
        "provenance": {
            "origin": "deterministic",
            "source_sequence": None,
            "source_event_id": None,
            "extractor": None,
        },
    }


def stored_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return `state` as a version or checkpoint stores it: without bookkeeping."""
    return {name: value for name, value in state.items() if name not in BOOKKEEPING}
