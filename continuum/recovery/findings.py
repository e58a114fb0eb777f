"""Findings: the reasons that stand in the way, as sentences for people.

Worst first: what makes the record itself doubtful, then what may have
happened in the world, then what nobody has checked. Each finding names the
thing and the events that are its evidence. What a lenient question tolerates
is no finding.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.clock import body_time
from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus
from continuum.domain.state import StateStatus
from continuum.recovery.family import blocking_children, child_line
from continuum.recovery.validation import blocks
from continuum.recovery.wording import one_line, quoted, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from continuum.domain.actions import Action
    from continuum.domain.state import Provenance
    from continuum.recovery.facts import Facts
    from continuum.recovery.validation import Entry, Validation


class FindingCode(StrEnum):
    """What kind of reason a finding is; worst first."""

    CHAIN_BROKEN = "chain_broken"
    RUN_CLOSED = "run_closed"
    LOG_STOPS_FOLDING = "log_stops_folding"
    ACTION_UNRESOLVED = "action_unresolved"
    GOAL_UNCONFIRMED = "goal_unconfirmed"
    PROGRESS_UNCONFIRMED = "progress_unconfirmed"
    PLAN_UNCONFIRMED = "plan_unconfirmed"
    PLAN_CONTRADICTS_ITSELF = "plan_contradicts_itself"
    APPROVAL_MISSING = "approval_missing"
    DEPENDENCY_MOVED = "dependency_moved"
    MODEL_UNCERTAIN = "model_uncertain"
    EVIDENCE_STALE = "evidence_stale"
    FINDING_STALE = "finding_stale"
    DECISION_STALE = "decision_stale"
    CHILD_BLOCKED = "child_blocked"
    ROW_DISAGREES = "row_disagrees"


class Finding(NamedTuple):
    """One reason why the run may not go on.

    Attributes:
        status: one short word for a chip.
        text: a whole sentence.
        target: what it is about: an action id, a component's id or name, a
            child's run id; empty for the run itself.
        sequence, sequence_to: the events that are its evidence; `sequence_to`
            is set for a stretch of several.
    """

    code: FindingCode
    status: str
    text: str
    target: str
    sequence: int | None = None
    sequence_to: int | None = None


_CODE_OF_COMPONENT = {
    "goal": FindingCode.GOAL_UNCONFIRMED,
    "progress": FindingCode.PROGRESS_UNCONFIRMED,
    "plan": FindingCode.PLAN_UNCONFIRMED,
    "approval": FindingCode.APPROVAL_MISSING,
    "external_dependency": FindingCode.DEPENDENCY_MOVED,
    "model": FindingCode.MODEL_UNCERTAIN,
    "evidence": FindingCode.EVIDENCE_STALE,
    "finding": FindingCode.FINDING_STALE,
    "decision": FindingCode.DECISION_STALE,
}
_ORDER = {code: rank for rank, code in enumerate(FindingCode)}
_SHORT = {"requires_review": "review", "request_human": "human", "repair_and_resume": "repair"}
_LABELS = {"external_dependency": "Dependency"}


def find(facts: Facts, validation: Validation) -> tuple[Finding, ...]:
    """Return every reason against going on, worst first."""
    strict = facts.question.strict
    blocking = [entry for entry in validation.entries if blocks(entry, strict=strict)]
    sequences = _item_sequences(facts) if blocking else {}
    found = [
        *_record_findings(facts),
        *(_unresolved(action, facts) for action in facts.scoped_uncertain),
        *(_doubtful(entry, facts, sequences) for entry in blocking),
        *_child_findings(facts),
    ]
    return tuple(sorted(found, key=lambda finding: _ORDER[finding.code]))


def _record_findings(facts: Facts) -> Iterator[Finding]:
    """What is wrong with the record itself."""
    chain, closed, failure = facts.chain, facts.closed, facts.projection_failure
    if not chain.ok:
        place = "" if chain.broken_at is None else f" from event {chain.broken_at} on"
        why = f": {one_line(chain.detail)}" if chain.detail else ""
        text = sentence(f"The chain cannot be trusted{place}{why}")
        yield Finding(FindingCode.CHAIN_BROKEN, "broken", text, "", chain.broken_at)
    if closed:
        text = f"The run was {closed.status} at event {closed.sequence}; it cannot be resumed."
        yield Finding(FindingCode.RUN_CLOSED, closed.status, text, "", closed.sequence)
    if failure is not None:
        text = sentence(
            f"Event {failure.sequence} ({failure.event_type}) does not fold into the state, so "
            f"neither it nor anything after it counts: {one_line(failure.reason)}"
        )
        target = f"sequence_{failure.sequence}"
        yield Finding(FindingCode.LOG_STOPS_FOLDING, "invalid", text, target, failure.sequence)
    if facts.row_disagreement:
        text = sentence(f"The run's row contradicts its log: {one_line(facts.row_disagreement)}")
        yield Finding(FindingCode.ROW_DISAGREES, "conflict", text, "")


def _unresolved(action: Action, facts: Facts) -> Finding:
    name = quoted(action.action_type)
    lease = facts.leases.get(action.action_id)
    if action.status is ActionStatus.REQUIRES_REVIEW:
        text = f"{name} was handed to a person, and nobody has said yet whether it happened."
    elif lease is not None:
        text = (
            f"{name} is being performed by {quoted(lease.client)}, who has until "
            f"{body_time(lease.until)} to record what became of it."
        )
    elif action.status is ActionStatus.STARTED:
        text = f"{name} was started and never settled: it may or may not have happened."
    else:
        text = f"Nobody knows how {name} ended: it may or may not have happened."
    return Finding(
        FindingCode.ACTION_UNRESOLVED,
        _short(action.status),
        text,
        action.action_id,
        facts.action_sequences.get(action.action_id),
    )


def _doubtful(
    entry: Entry, facts: Facts, sequences: Mapping[tuple[str, str], int | None]
) -> Finding:
    target = entry.component_id or entry.component
    first = sequences.get((entry.component, target))
    last = None
    if entry.component in facts.self_reports:
        first, last = facts.self_reports[entry.component]
    return Finding(
        _code_of(entry),
        _short(entry.status),
        sentence(f"{_subject(entry)}: {entry.detail}"),
        target,
        first,
        last if last != first else None,
    )


def _code_of(entry: Entry) -> FindingCode:
    if entry.component == "plan" and entry.status is StateStatus.CONFLICTED:
        return FindingCode.PLAN_CONTRADICTS_ITSELF
    return _CODE_OF_COMPONENT[entry.component]


def _subject(entry: Entry) -> str:
    label = _LABELS.get(entry.component, entry.component.capitalize())
    return f"{label} {quoted(entry.component_id)}" if entry.component_id else label


def _child_findings(facts: Facts) -> Iterator[Finding]:
    for child in blocking_children(facts.children):
        status = "error" if child.error else _short(child.mode)
        text = sentence(child_line(child))
        yield Finding(FindingCode.CHILD_BLOCKED, status, text, child.run_id)


def _item_sequences(facts: Facts) -> dict[tuple[str, str], int | None]:
    """Return the event behind each part of the state; approvals and models record none."""
    state = facts.state
    found: dict[tuple[str, str], int | None] = {
        ("goal", "goal"): state["goal"]["provenance"]["source_sequence"],
        ("progress", "progress"): state["progress"]["provenance"]["source_sequence"],
    }
    found.update((("plan", plan.plan_id), plan.sequence) for plan in facts.plans)
    named: Iterable[tuple[str, str, Provenance]] = (
        *(("evidence", one["evidence_id"], one["provenance"]) for one in state["evidence"]),
        *(("finding", one["finding_id"], one["provenance"]) for one in state["findings"]),
        *(("decision", one["decision_id"], one["provenance"]) for one in state["decisions"]),
        *(
            ("external_dependency", one["resource"], one["provenance"])
            for one in state["external_dependencies"]
        ),
    )
    for component, item_id, provenance in named:
        found[component, item_id] = provenance["source_sequence"]
    return found


def _short(status: str) -> str:
    return _SHORT.get(status, str(status))
