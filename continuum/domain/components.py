"""The parts of a state while it is folded: dicts by id, so an event costs O(1).

Items are never changed in place; a rule puts a new one in the old one's place.
A copy and a document therefore share items with the fold, at the price of one
shallow copy per collection.
"""

from __future__ import annotations

from continuum.domain.state import empty_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self

    from continuum.domain.state import (
        Approval,
        ConstraintPin,
        Decision,
        Evidence,
        ExternalDependency,
        Finding,
        Goal,
        ModelAssumption,
        ModelState,
        PendingWork,
        PlanStep,
        Progress,
    )


class Components:
    """Everything a rule may read or replace.

    Attributes:
        model: the model's own members; its assumptions are indexed apart.
        unmatched: ids of retractions that found no pin, in order (a dict as ordered set).
        created_at, updated_at: body texts, empty while unset.
    """

    __slots__ = (
        "approvals",
        "assumptions",
        "created_at",
        "decisions",
        "dependencies",
        "evidence",
        "findings",
        "goal",
        "model",
        "pending_work",
        "pins",
        "plan",
        "progress",
        "unmatched",
        "updated_at",
    )

    def __init__(self) -> None:
        self.goal: Goal | None = None
        self.progress: Progress = empty_progress()
        self.plan: list[PlanStep] = []
        self.decisions: dict[Any, Decision] = {}
        self.findings: dict[Any, Finding] = {}
        self.evidence: dict[Any, Evidence] = {}
        self.pending_work: dict[Any, PendingWork] = {}
        self.approvals: dict[Any, Approval] = {}
        self.dependencies: dict[Any, ExternalDependency] = {}
        self.pins: dict[str, ConstraintPin] = {}
        self.unmatched: dict[str, None] = {}
        self.model: ModelState | None = None
        self.assumptions: dict[Any, ModelAssumption] = {}
        self.created_at = ""
        self.updated_at = ""

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the parts of a state document, or of `document()` of unfinished parts."""
        parts = cls()
        parts.goal = document["goal"]
        parts.progress = document["progress"]
        parts.plan = [*document["plan"]]
        parts.decisions = _indexed(document["decisions"], "decision_id")
        parts.findings = _indexed(document["findings"], "finding_id")
        parts.evidence = _indexed(document["evidence"], "evidence_id")
        parts.pending_work = _indexed(document["pending_work"], "task_id")
        parts.approvals = _indexed(document["approvals"], "approval_id")
        parts.dependencies = _indexed(document["external_dependencies"], "resource")
        parts.pins = {**document["pins"]}
        parts.unmatched = dict.fromkeys(document["unmatched_pin_retractions"])
        parts.model = document["model"]
        if parts.model is not None:
            parts.assumptions = _indexed(parts.model["model_specific_state"], "item_id")
        parts.created_at = document["created_at"]
        parts.updated_at = document["updated_at"]
        return parts

    def document(self) -> dict[str, Any]:
        """Return the parts as members of a state document, in stored order."""
        return {
            "goal": self.goal,
            "progress": self.progress,
            "plan": [*self.plan],
            "decisions": [*self.decisions.values()],
            "findings": [*self.findings.values()],
            "evidence": [*self.evidence.values()],
            "pending_work": [*self.pending_work.values()],
            "approvals": [*self.approvals.values()],
            "external_dependencies": [*self.dependencies.values()],
            "pins": {**self.pins},
            "unmatched_pin_retractions": [*self.unmatched],
            "model": self._model_document(),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }

    def copy(self) -> Self:
        """Return parts that can be folded on without changing these."""
        return type(self).from_document(self.document())

    def _model_document(self) -> ModelState | None:
        if self.model is None:
            return None
        return {**self.model, "model_specific_state": [*self.assumptions.values()]}


def _indexed(items: Iterable[Any], name: str) -> dict[Any, Any]:
    """Return `items` by id, keeping their order.

    The fold never makes two items of one id, but a stored state may hold them.
    Later ones keep their place under a key no event can name, so none is lost.
    """
    index: dict[Any, Any] = {}
    for place, item in enumerate(items):
        key = item[name]
        index[key if key not in index else (key, place)] = item
    return index
