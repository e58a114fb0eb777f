"""What a verdict is judged from: everything gathered beforehand, nothing fetched.

The service collects these values from the log, the ledger, the chain audit
and the host; `continuum.recovery.verdict.judge` turns them into a verdict
without I/O and without a clock.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Action
    from continuum.domain.environment import Environment
    from continuum.domain.leases import Lease
    from continuum.domain.plans import Plan
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import SemanticState


class Closed(NamedTuple):
    """The log says that the run is over.

    Attributes:
        status: `completed` or `aborted`.
        sequence: the event that closed it.
    """

    status: str
    sequence: int


class Confirmations(NamedTuple):
    """How far people have confirmed what agents reported about themselves.

    Attributes:
        goal, progress: self-reports up to this sequence are covered; 0 = none.
            Only confirmations written by a human count.
    """

    goal: int = 0
    progress: int = 0


class ChainFacts(NamedTuple):
    """The outcome of the chain audit that went before the verdict.

    Attributes:
        broken_at: first sequence that is not to be trusted, None when healthy
            or when the place cannot be named.
        checked_through: last sequence known to be good.
        full: True when the whole chain was walked, False when the walk
            started at a verified mark.
    """

    ok: bool
    broken_at: int | None = None
    detail: str = ""
    checked_through: int = 0
    full: bool = False


class RetryFacts(NamedTuple):
    """What earlier recoveries of this run did, counted from its log.

    Attributes:
        last_attempt_steps: steps of the newest attempt's plan, oldest first.
        settled_effects: rows `{action_id, action_type, occurred}`, oldest first.
        seen: the log holds at least one recovery, settlement or compensation.
    """

    attempts: int = 0
    completed_recoveries: int = 0
    blocked_recoveries: int = 0
    compensations: int = 0
    last_attempt_mode: str | None = None
    last_attempt_steps: tuple[str, ...] = ()
    settled_effects: tuple[dict[str, Any], ...] = ()
    seen: bool = False


class ChildVerdict(NamedTuple):
    """How one child of the run was judged.

    Attributes:
        status: the child's run row status.
        mode: the child's mode as presented, or `error: …` when it could not
            be judged.
        uncertain_actions: how many actions have an unknown outcome.
        error: why the child could not be judged; empty when it was.
    """

    run_id: str
    status: str
    mode: str
    safe: bool
    uncertain_actions: int
    error: str = ""


class Question(NamedTuple):
    """What the caller asks, beside which run.

    Attributes:
        environment: the world as the caller sees it now; None = not supplied.
        expected_model: the model that would resume the work.
        strict: unknown blocks; False tolerates it.
        scope: judge only these dependencies and what hangs on them.
    """

    environment: Environment | None = None
    expected_model: str | None = None
    strict: bool = True
    scope: frozenset[str] | None = None


class Facts(NamedTuple):
    """Everything one verdict depends on.

    Attributes:
        now: aware UTC.
        state: the fold of the log; the good prefix when it stops folding.
        checkpoint_version: version of the newest checkpoint, 0 without one.
        uncertain: every unresolved action, in ledger order.
        observations: what was seen on disk after the last state version.
        probes: action types that have a registered probe.
        gate_active: a gate registry is present on the host.
        children: judged children that still count, newest first.
        action_sequences: action id to the sequence of its last ledger event.
        row_disagreement: what the run row says against its log; empty = nothing.
        self_reports: `goal` or `progress` to the first and last event that
            nobody confirmed; only the findings' evidence comes from it.
        plans: what agents said they mean to do, first reported first.
        leases: action id to the live claim that is working on it; only words
            come from it, the action stays unresolved.
    """

    run_id: str
    now: datetime
    question: Question
    state: SemanticState
    projection_failure: ProjectionFailure | None
    checkpoint_version: int
    checkpoint_environment: Environment | None
    confirmations: Confirmations
    uncertain: tuple[Action, ...]
    observations: tuple[dict[str, Any], ...]
    retry: RetryFacts
    probes: frozenset[str]
    gate_active: bool
    closed: Closed | None
    chain: ChainFacts
    children: tuple[ChildVerdict, ...] = ()
    action_sequences: Mapping[str, int] = {}
    row_disagreement: str = ""
    self_reports: Mapping[str, tuple[int, int]] = {}
    plans: tuple[Plan, ...] = ()
    leases: Mapping[str, Lease] = {}

    @property
    def scoped_uncertain(self) -> tuple[Action, ...]:
        """The unresolved actions the question is about; untagged ones always count."""
        scope = self.question.scope
        if scope is None:
            return self.uncertain
        return tuple(
            one for one in self.uncertain if one.dep_scope is None or one.dep_scope in scope
        )
