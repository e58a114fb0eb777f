"""The repair plan: what has to happen before the run may go on, in order."""

from __future__ import annotations

from enum import StrEnum

from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus
from continuum.domain.state import StateStatus
from continuum.recovery.wording import one_line, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.domain.actions import Action
    from continuum.recovery.facts import Facts
    from continuum.recovery.validation import Entry, Validation


class StepKind(StrEnum):
    """The kinds both clients know, in the order in which they are done."""

    REPAIR_LOG = "repair_log"
    RECONCILE_ACTION = "reconcile_action"
    HUMAN_REVIEW = "human_review"
    RENEW_APPROVAL = "renew_approval"
    REVALIDATE_DEPENDENCY = "revalidate_dependency"
    REVALIDATE_MODEL_STATE = "revalidate_model_state"
    REDERIVE_EVIDENCE = "rederive_evidence"
    REDERIVE_FINDING = "rederive_finding"
    REVIEW_DECISION = "review_decision"


_RANK = {kind: rank for rank, kind in enumerate(StepKind)}

_KIND_OF_COMPONENT = {
    "external_dependency": StepKind.REVALIDATE_DEPENDENCY,
    "evidence": StepKind.REDERIVE_EVIDENCE,
    "finding": StepKind.REDERIVE_FINDING,
    "decision": StepKind.REVIEW_DECISION,
    "approval": StepKind.RENEW_APPROVAL,
    "model": StepKind.REVALIDATE_MODEL_STATE,
}

_ALWAYS_HUMAN = frozenset({StepKind.RENEW_APPROVAL, StepKind.HUMAN_REVIEW})


class Step(NamedTuple):
    """One thing to do.

    Attributes:
        target: an action id, a component's id or name, or `sequence_N`.
        blocking: always true; the interchange format carries it.
    """

    kind: StepKind
    target: str
    reason: str
    blocking: bool = True
    requires_human: bool = False

    @property
    def id(self) -> str:
        """How contracts and callers name the step: `kind:target`."""
        return f"{self.kind}:{self.target}"


def make_plan(facts: Facts, validation: Validation) -> tuple[Step, ...]:
    """Return the steps in the order they are to be done, each once.

    Tolerated entries get a step too: a lenient verdict can be `resume` with
    a plan.
    """
    steps: dict[tuple[StepKind, str], Step] = {}
    for step in _steps(facts, validation):
        steps.setdefault((step.kind, step.target), step)
    return tuple(sorted(steps.values(), key=lambda step: (_RANK[step.kind], step.target)))


def _steps(facts: Facts, validation: Validation) -> Iterator[Step]:
    strict = facts.question.strict
    yield from _log_repairs(facts)
    for action in facts.scoped_uncertain:
        yield _reconciliation(action, strict=strict)
    for entry in validation.not_valid:
        yield _repair(entry, strict=strict)


def _log_repairs(facts: Facts) -> Iterator[Step]:
    chain, failure = facts.chain, facts.projection_failure
    if not chain.ok:
        first = chain.checked_through + 1 if chain.broken_at is None else chain.broken_at
        reason = "the chain does not verify from here on"
        if chain.detail:
            reason = f"{reason}: {one_line(chain.detail)}"
        yield Step(StepKind.REPAIR_LOG, f"sequence_{first}", reason, requires_human=True)
    if failure is not None:
        reason = f"{failure.event_type} does not fold: {one_line(failure.reason)}"
        target = f"sequence_{failure.sequence}"
        yield Step(StepKind.REPAIR_LOG, target, reason, requires_human=True)


def _reconciliation(action: Action, *, strict: bool) -> Step:
    escalated = action.status is ActionStatus.REQUIRES_REVIEW
    reason = (
        f"{quoted(action.action_type)} was handed to a person, who has to say whether it happened"
        if escalated
        else f"{quoted(action.action_type)} was begun; whether it happened is not known"
    )
    return Step(
        StepKind.RECONCILE_ACTION,
        action.action_id,
        reason,
        requires_human=strict or escalated,
    )


def _repair(entry: Entry, *, strict: bool) -> Step:
    kind = _KIND_OF_COMPONENT.get(entry.component, StepKind.HUMAN_REVIEW)
    needs_person = kind in _ALWAYS_HUMAN
    if kind is StepKind.REVALIDATE_DEPENDENCY:
        needs_person = strict and entry.status is StateStatus.UNKNOWN
    # A plan's id is free text, which must not read as the name of another part.
    target = entry.name if entry.component == "plan" else entry.component_id or entry.component
    return Step(kind, target, entry.detail, requires_human=needs_person)
