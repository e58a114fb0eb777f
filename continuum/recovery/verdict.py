"""The verdict: may this run go on, and if not, who has to do what.

`judge` is the only place that decides. Every row of `_proposals` that applies
proposes a mode, the most cautious one wins, and the texts of its rows are the
rationale. Rows 1 to 8 are the reference client's (recovery.md 6); the others
make a verdict more cautious than its, never less (docs/reference/deviations.md).
"""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus
from continuum.domain.state import StateStatus
from continuum.recovery.family import blocking_children, child_line
from continuum.recovery.findings import Finding as Finding
from continuum.recovery.findings import FindingCode as FindingCode
from continuum.recovery.findings import find
from continuum.recovery.guidance import human_steps
from continuum.recovery.modes import CAUTION, EXIT_CHAIN_BROKEN, more_cautious
from continuum.recovery.modes import EXIT_OF_MODE as EXIT_OF_MODE
from continuum.recovery.modes import Mode as Mode
from continuum.recovery.modes import exit_status_of as exit_status_of
from continuum.recovery.plan import make_plan
from continuum.recovery.retry import informed_retry
from continuum.recovery.terms import Ruling, draw_contract
from continuum.recovery.validation import validate
from continuum.recovery.wording import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Action
    from continuum.domain.contract import Contract
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import SemanticState
    from continuum.recovery.facts import ChainFacts, ChildVerdict, Closed, Facts
    from continuum.recovery.plan import Step
    from continuum.recovery.validation import Validation


class Verdict(NamedTuple):
    """The answer about one run. Computed, never stored.

    Attributes:
        mode: how to go on, the family counted in.
        safe: true only when the mode is resume.
        own_mode: the mode without the family.
        exit_status: what the command line exits with.
        rationale: why this mode, one text per rule that led to it.
        findings: every reason against going on, worst first; empty when safe.
        next_allowed_action: identifier of the plan's first step.
        human_steps: what people do about it, in order.
        uncertain: the unresolved actions the question is about.
        informed_retry: context for the next attempt, or None.
        self_report_only: nothing is wrong except that nobody has confirmed
            what the agent reported about itself.
        family_rationale: one line per child that blocks.
    """

    run_id: str
    mode: Mode
    safe: bool
    own_mode: Mode
    exit_status: int
    rationale: tuple[str, ...]
    findings: tuple[Finding, ...]
    validation: Validation
    plan: tuple[Step, ...]
    next_allowed_action: str | None
    human_steps: tuple[str, ...]
    contract: Contract
    uncertain: tuple[Action, ...]
    informed_retry: dict[str, Any] | None
    self_report_only: bool
    children: tuple[ChildVerdict, ...]
    family_rationale: tuple[str, ...]
    chain: ChainFacts
    closed: Closed | None
    state: SemanticState
    projection_failure: ProjectionFailure | None
    checkpoint_version: int
    at: datetime


def judge(facts: Facts) -> Verdict:
    """Return the verdict on a run, its findings, plan and sealed contract."""
    validation = validate(facts)
    plan = make_plan(facts, validation)
    own = _own_ruling(facts, validation, plan)
    family = tuple(child_line(child) for child in blocking_children(facts.children))
    ruling = _with_family(own, family)
    contract = draw_contract(facts, validation, plan, ruling)
    return Verdict(
        run_id=facts.run_id,
        mode=ruling.mode,
        safe=ruling.mode is Mode.RESUME,
        own_mode=own.mode,
        exit_status=EXIT_OF_MODE[ruling.mode] if facts.chain.ok else EXIT_CHAIN_BROKEN,
        rationale=ruling.rationale,
        findings=find(facts, validation),
        validation=validation,
        plan=plan,
        next_allowed_action=contract.next_allowed_action,
        human_steps=human_steps(facts, plan, ruling.mode),
        contract=contract,
        uncertain=facts.scoped_uncertain,
        informed_retry=informed_retry(facts, validation),
        self_report_only=ruling.mode is Mode.REQUEST_HUMAN
        and not family
        and _only_self_reports(facts, validation),
        children=facts.children,
        family_rationale=family,
        chain=facts.chain,
        closed=facts.closed,
        state=facts.state,
        projection_failure=facts.projection_failure,
        checkpoint_version=facts.checkpoint_version,
        at=facts.now,
    )


def permits(verdict: Verdict, step: str) -> bool:
    """Say whether the verdict allows `step`, a step identifier or a word such as continue."""
    return verdict.mode is Mode.RESUME or step == verdict.next_allowed_action


def needs_person(verdict: Verdict) -> bool:
    """Say whether somebody has to look at the run.

    A closed run asks nothing of anybody, unless its chain is broken or an
    effect it started is still in doubt.
    """
    if verdict.closed:
        return not verdict.chain.ok or bool(verdict.uncertain)
    return CAUTION[verdict.mode] >= CAUTION[Mode.REQUEST_HUMAN]


def _own_ruling(facts: Facts, validation: Validation, plan: tuple[Step, ...]) -> Ruling:
    proposals = [
        *_record_proposals(facts),
        *_action_proposals(facts),
        *_state_proposals(facts, validation, plan),
    ]
    mode = max((mode for mode, _ in proposals), key=CAUTION.__getitem__)
    return Ruling(mode, tuple(text for proposed, text in proposals if proposed is mode))


def _with_family(own: Ruling, family: tuple[str, ...]) -> Ruling:
    """A run whose child is blocked is not safe, however it stands itself."""
    if not family:
        return own
    mode = more_cautious(own.mode, Mode.REQUEST_HUMAN)
    if mode is own.mode:
        return Ruling(mode, (*own.rationale, *family))
    return Ruling(mode, family)


def _record_proposals(facts: Facts) -> Iterator[tuple[Mode, str]]:
    """What the record itself says against going on, and row 1."""
    closed, failure = facts.closed, facts.projection_failure
    if not facts.chain.ok:
        at = facts.chain.broken_at
        place = "" if at is None else f" from event {at} on"
        # Said beside the closing too, since a broken chain puts that in doubt.
        mode = Mode.ABORT if closed else Mode.REQUEST_HUMAN
        yield mode, f"the chain does not verify{place}"
    if closed:
        yield Mode.ABORT, f"the run is closed: {closed.status} at event {closed.sequence}"
    if facts.row_disagreement:
        yield Mode.REQUEST_HUMAN, f"row and log disagree: {one_line(facts.row_disagreement)}"
    if failure is not None:
        yield (
            Mode.REQUEST_HUMAN,
            f"the log stops folding at event {failure.sequence} ({failure.event_type}: "
            f"{one_line(failure.reason)}); only what came before it was judged",
        )


def _action_proposals(facts: Facts) -> Iterator[tuple[Mode, str]]:
    """Rows 3 to 5."""
    uncertain = facts.scoped_uncertain
    escalated = [one for one in uncertain if one.status is ActionStatus.REQUIRES_REVIEW]
    if escalated:
        number = counted(len(escalated), "action")
        yield Mode.REQUEST_HUMAN, f"{number} handed to a person and not settled"
    elif uncertain:
        mode = Mode.REQUEST_HUMAN if facts.question.strict else Mode.WAIT
        yield mode, f"{counted(len(uncertain), 'action')} with unknown outcome"


def _state_proposals(
    facts: Facts, validation: Validation, plan: tuple[Step, ...]
) -> Iterator[tuple[Mode, str]]:
    """Rows 2 and 6 to 8."""
    if validation.safe_to_resume and not facts.scoped_uncertain:
        yield Mode.RESUME, "nothing stands in the way"
    if not validation.safe_to_resume:
        number = counted(len(validation.not_valid), "part")
        yield Mode.REPAIR_AND_RESUME, f"{number} of the state to be repaired first"
    if any(step.requires_human for step in plan):
        people = [step.id for step in plan if step.requires_human]
        yield Mode.REQUEST_HUMAN, f"{counted(len(people), 'step')} only a person can take"
    if any(entry.component == "goal" for entry in validation.not_valid):
        yield Mode.REPLAN, "the goal is not to be relied on"


_REPORTED = ("goal", "progress", "plan")


def _only_self_reports(facts: Facts, validation: Validation) -> bool:
    doubts = validation.not_valid
    sound = facts.chain.ok and not facts.row_disagreement and facts.projection_failure is None
    return (
        sound
        and bool(doubts)
        and not facts.scoped_uncertain
        and all(
            entry.component in _REPORTED and entry.status is StateStatus.REQUIRES_REVIEW
            for entry in doubts
        )
    )
