"""The one place that judges a run.

Every front end calls `assess`: the command line, MCP, the sidecar, the
console and the library give the same answer on the same store. Assessing
appends nothing.

Order of what is gathered, all in one read snapshot of the store:

1. The chain: the whole of it when somebody acts on the verdict (`audit=True`),
   else from the last verified mark to the head.
2. The facts: snapshot plus tail, archive included.
3. The newest checkpoint, its seal checked.
4. The family: every child that still counts, judged the same way, to any
   depth, each run at most once.
"""

from __future__ import annotations

from continuum.core.errors import ContinuumError, Corrupted, NoEvents
from continuum.core.records import NamedTuple
from continuum.domain.runfacts import OBSERVATIONS_KEPT
from continuum.recovery.facts import (
    ChildVerdict,
    Closed,
    Confirmations,
    Facts,
    RetryFacts,
)
from continuum.recovery.facts import Question as Question
from continuum.recovery.verdict import judge
from continuum.services.chain import audit as audit_chain
from continuum.services.chain import chain_facts, glance, row_disagreement
from continuum.services.facts import load_facts
from continuum.services.observations import observation_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from continuum.domain.chain import Verification
    from continuum.domain.checkpoints import Checkpoint
    from continuum.domain.environment import Environment
    from continuum.domain.runfacts import RunFacts
    from continuum.domain.runs import Run
    from continuum.recovery.facts import ChainFacts
    from continuum.recovery.verdict import Verdict
    from continuum.store.base import ReadStore
    from continuum.store.modelport import Summary


class HostFacts(NamedTuple):
    """What the machine that asks contributes: guidance and files, never the mode.

    Attributes:
        probes: action types with a registered reconciliation probe.
        gate_active: a gate registry is present.
        directory: where relative paths of observations start; None leaves the
            disk alone.
    """

    probes: frozenset[str] = frozenset()
    gate_active: bool = False
    directory: str | None = None


class Inquiry(NamedTuple):
    """How an assessment is done: what is asked, when, how thoroughly, from where.

    Attributes:
        walked: the outcome of a walk over the whole chain in this very snapshot.
        most_events: how many events of a run may be read for it; None for all.
    """

    question: Question
    at: datetime
    audit: bool
    host: HostFacts
    walked: Verification | None = None
    most_events: int | None = None


class Assessed(NamedTuple):
    """A verdict with everything it came from."""

    verdict: Verdict
    judged_from: Facts
    facts: RunFacts
    run: Run


READ_AT_ONCE = 20_000
"""Events of one run that are read while a page is waited for: a quarter of a second's work."""

_NO_HOST = HostFacts()
_PLAIN_QUESTION = Question()


def assess(
    store: ReadStore,
    run_id: str,
    question: Question = _PLAIN_QUESTION,
    *,
    at: datetime,
    audit: bool = False,
    walked: Verification | None = None,
    host: HostFacts = _NO_HOST,
) -> Verdict:
    """Judge whether it is safe to go on with `run_id`.

    Args:
        audit: walk the whole chain first; ask for it wherever somebody acts on
            the answer.
        walked: the outcome of such a walk, where the caller did it just now in
            the same snapshot; spares a second one.

    Raises:
        RunNotFound: no such run.
        NoEvents: the run has a row and nothing else.
        Corrupted: a row or a checkpoint cannot be read, or the log has no start.
    """
    judged = assess_run(store, run_id, question, at=at, audit=audit, walked=walked, host=host)
    return judged.verdict


def assess_run(
    store: ReadStore,
    run_id: str,
    question: Question = _PLAIN_QUESTION,
    *,
    at: datetime,
    audit: bool = False,
    walked: Verification | None = None,
    host: HostFacts = _NO_HOST,
) -> Assessed:
    """Judge as `assess`, and keep the facts it was judged from."""
    inquiry = Inquiry(question, at, audit, host, walked)
    with store.reading():
        return _judged(store, run_id, inquiry, seen=frozenset())


def assess_at_once(store: ReadStore, run_id: str, *, at: datetime) -> Assessed:
    """Judge as shown, for somebody who waits for a page and not for a long log to be read.

    A store that cannot be written keeps no snapshot to go on from, so there all is read.

    Raises:
        NotReadYet: more than `READ_AT_ONCE` events of the run were never read.
    """
    most = None if store.read_only else READ_AT_ONCE
    inquiry = Inquiry(_PLAIN_QUESTION, at, audit=False, host=_NO_HOST, most_events=most)
    with store.reading():
        return _judged(store, run_id, inquiry, seen=frozenset())


def _judged(store: ReadStore, run_id: str, inquiry: Inquiry, *, seen: frozenset[str]) -> Assessed:
    run = store.run(run_id)
    chain = _chain(store, run_id, inquiry)
    facts = load_facts(store, run_id, most_events=inquiry.most_events)
    if not facts.sequence and chain.ok:
        raise NoEvents(run_id)
    _ensure_start(facts, chain)
    checkpoint = store.newest_checkpoint(run_id)
    gathered = _gather(facts, chain, checkpoint, inquiry)._replace(
        observations=_observations(store, facts, inquiry.host),
        children=_children(store, run, inquiry, seen | {run_id}),
        row_disagreement=row_disagreement(run, facts) or _seal_disagreement(facts, checkpoint),
    )
    return Assessed(judge(gathered), gathered, facts, run)


def _chain(store: ReadStore, run_id: str, inquiry: Inquiry) -> ChainFacts:
    if inquiry.walked is not None:
        return chain_facts(inquiry.walked, full=True)
    if inquiry.audit:
        return audit_chain(store, run_id)
    return glance(store, run_id, most_events=inquiry.most_events)


def _ensure_start(facts: RunFacts, chain: ChainFacts) -> None:
    """Without a start there is no state to judge; say what is wrong instead."""
    if not chain.ok and not facts.projection.has_goal:
        raise Corrupted(
            f"run {facts.run_id!r} cannot be judged: {chain.detail or 'its log is damaged'}; "
            f"`continuum verify {facts.run_id}` shows the extent"
        )


def _gather(
    facts: RunFacts, chain: ChainFacts, checkpoint: Checkpoint | None, inquiry: Inquiry
) -> Facts:
    opened = facts.open_actions
    return Facts(
        run_id=facts.run_id,
        now=inquiry.at,
        question=inquiry.question,
        state=facts.projection.state(),
        projection_failure=facts.projection.failure,
        checkpoint_version=checkpoint.version if checkpoint else 0,
        checkpoint_environment=_environment(checkpoint),
        confirmations=Confirmations(**facts.confirmed),
        uncertain=tuple(one.action for one in opened),
        observations=(),
        retry=_retry(facts),
        probes=inquiry.host.probes,
        gate_active=inquiry.host.gate_active,
        closed=Closed(*facts.closed) if facts.closed else None,
        chain=chain,
        action_sequences={one.action.action_id: one.sequence for one in opened},
        self_reports={
            name: (one.sequence, one.last_sequence) for name, one in facts.reported.items() if one
        },
        plans=tuple(facts.plans.values()),
        leases={
            one.action.action_id: one.lease
            for one in opened
            if one.lease and one.is_held(inquiry.at)
        },
    )


def _environment(checkpoint: Checkpoint | None) -> Environment | None:
    return checkpoint.environment if checkpoint else None


def _retry(facts: RunFacts) -> RetryFacts:
    mode, steps = facts.last_attempt
    return RetryFacts(
        **facts.retry_counts,
        last_attempt_mode=mode,
        last_attempt_steps=tuple(steps),
        settled_effects=tuple(facts.settled),
        seen=facts.retry_seen,
    )


def _observations(store: ReadStore, facts: RunFacts, host: HostFacts) -> tuple[dict[str, Any], ...]:
    if not facts.observed:
        return ()
    cover = store.newest_version_cover(facts.run_id)
    seen, omitted = facts.observed_after(cover[1] if cover else 0)
    return observation_rows(seen, omitted, directory=host.directory, limit=OBSERVATIONS_KEPT)


def _seal_disagreement(facts: RunFacts, checkpoint: Checkpoint | None) -> str:
    """A checkpoint that was replaced and sealed anew no longer matches its event."""
    told = facts.checkpoint or {}
    if checkpoint is None or told.get("checkpoint_id") != checkpoint.checkpoint_id:
        return ""
    if told.get("integrity_hash") in (None, checkpoint.integrity_hash):
        return ""
    return f"checkpoint {checkpoint.checkpoint_id} is not the one the log recorded"


def _children(
    store: ReadStore, run: Run, inquiry: Inquiry, seen: frozenset[str]
) -> tuple[ChildVerdict, ...]:
    """Judge the children strictly, without environment or model of their own."""
    children = [child for child in store.children(run.run_id) if child.run_id not in seen]
    if not children:
        return ()
    known = {one.run_id: one for one in store.current_child_summaries(run.run_id, inquiry.at)}
    plain = inquiry._replace(question=_PLAIN_QUESTION, audit=False, host=_NO_HOST, walked=None)
    verdicts = (
        _from_summary(known[child.run_id])
        if child.run_id in known and known[child.run_id].status != "aborted"
        else _child(store, child, plain, seen)
        for child in children
    )
    return tuple(one for one in verdicts if one is not None)


def _from_summary(summary: Summary) -> ChildVerdict | None:
    """The child as the read model has it; its reasons are empty while it is sound."""
    if summary.status == "completed" and not summary.open_actions and not summary.oldest_open_at:
        return None
    return ChildVerdict(
        summary.run_id, summary.status, summary.mode, summary.safe, summary.open_actions
    )


def _child(
    store: ReadStore, child: Run, inquiry: Inquiry, seen: frozenset[str]
) -> ChildVerdict | None:
    """Judge a child; None when its log completed it, chain whole and no effect in doubt."""
    try:
        assessed = _judged(store, child.run_id, inquiry, seen=seen)
    except ContinuumError as exc:
        return ChildVerdict(child.run_id, child.status, f"error: {exc}", False, 0, str(exc))
    verdict = _as_a_child(assessed)
    if verdict.closed and verdict.chain.ok and not verdict.uncertain:
        return None
    status = verdict.closed.status if verdict.closed else str(child.status)
    return ChildVerdict(
        child.run_id, status, str(verdict.mode), verdict.safe, len(verdict.uncertain)
    )


def _as_a_child(assessed: Assessed) -> Verdict:
    """An aborted child blocks its parent only for what it left open, not for being aborted."""
    closed = assessed.verdict.closed
    if closed is None or closed.status != "aborted":
        return assessed.verdict
    return judge(assessed.judged_from._replace(closed=None))
