"""The verdict: may this run go on, and if not, who has to do what.

`judge` is the only place that decides.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Action
    from continuum.domain.contract import Contract
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import SemanticState
    from continuum.recovery.facts import ChainFacts, ChildVerdict, Closed, Facts
    from continuum.recovery.plan import Step
    from continuum.recovery.validation import Validation


class Mode(StrEnum):
    """How to go on, least cautious first."""

    RESUME = "resume"
    REPAIR_AND_RESUME = "repair_and_resume"
    REPLAN = "replan"
    WAIT = "wait"
    REQUEST_HUMAN = "request_human"
    ROLLBACK = "rollback"
    ABORT = "abort"


class Finding(NamedTuple):
    """One reason why the run may not go on, for people."""

    code: str
    status: str
    text: str
    target: str
    sequence: int | None = None
    sequence_to: int | None = None


class Verdict(NamedTuple):
    """The answer about one run."""

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


EXIT_OF_MODE = {
    Mode.RESUME: 0,
    Mode.REPAIR_AND_RESUME: 10,
    Mode.REPLAN: 10,
    Mode.WAIT: 20,
    Mode.REQUEST_HUMAN: 20,
    Mode.ROLLBACK: 30,
    Mode.ABORT: 30,
}


def judge(facts: Facts) -> Verdict:
    """Return the verdict on a run."""
    raise NotImplementedError


def permits(verdict: Verdict, step: str) -> bool:
    """Say whether the verdict allows `step`."""
    return verdict.mode is Mode.RESUME or step == verdict.next_allowed_action


def exit_status_of(mode: str) -> int:
    """Return the exit status of a mode; an unclassified one gives 30."""
    return {str(known): status for known, status in EXIT_OF_MODE.items()}.get(mode, 30)


def needs_person(verdict: Verdict) -> bool:
    """Say whether somebody has to look at the run."""
    raise NotImplementedError
