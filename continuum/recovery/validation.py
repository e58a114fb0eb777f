"""Validation: is each part of the restored state still to be relied on?

Entries come in a fixed order (recovery.md 3): dependencies as declared;
evidence, findings and decisions that a moved resource taints; goal; progress;
plans; approvals; model; citations of nothing. A scoped question is answered with the
first two groups only.
"""

from __future__ import annotations

from continuum.core.clock import column_time, parse_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.environment import BREAKING, compare_environments
from continuum.domain.events import SELF_CERTIFIED
from continuum.domain.plans import UnitStatus, contradictions
from continuum.domain.state import StateStatus
from continuum.recovery.wording import argument, counted, one_line, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from continuum.domain.environment import Delta
    from continuum.domain.state import Approval, ExternalDependency, Provenance, SemanticState
    from continuum.recovery.facts import Facts

_SHOWN_IN_REASON = 5


class Entry(NamedTuple):
    """What was found about one part of the state.

    Attributes:
        component: goal, progress, plan, external_dependency, evidence, finding,
            decision, approval or model.
        component_id: which one, where there are several.
    """

    component: str
    component_id: str | None
    status: StateStatus
    detail: str

    @property
    def name(self) -> str:
        """`component`, or `component:id`."""
        return f"{self.component}:{self.component_id}" if self.component_id else self.component

    @property
    def is_valid(self) -> bool:
        """True when nothing is wrong with this part."""
        return self.status is StateStatus.VALID


class Validation(NamedTuple):
    """All entries, and whether any of them stands in the way.

    Attributes:
        deltas: the comparison of the two environments the entries rest on.
    """

    entries: tuple[Entry, ...]
    safe_to_resume: bool
    reason: str
    deltas: tuple[Delta, ...] = ()

    @property
    def not_valid(self) -> tuple[Entry, ...]:
        """The entries with another status than valid, tolerated ones included."""
        return tuple(entry for entry in self.entries if not entry.is_valid)


def validate(facts: Facts) -> Validation:
    """Return what can be relied on, as far as the question reaches."""
    deltas = compare_environments(facts.checkpoint_environment, facts.question.environment)
    entries = [*_dependencies(facts, deltas), *_tainted(facts, deltas)]
    if facts.question.scope is None:
        entries += [_goal(facts), _progress(facts), *_plans(facts)]
        entries += [_approval(one, facts.now) for one in facts.state["approvals"]]
        entries += [*_model(facts), *_dangling(facts.state)]
    blocking = [entry for entry in entries if blocks(entry, strict=facts.question.strict)]
    return Validation(tuple(entries), not blocking, _reason(blocking), tuple(deltas))


def blocks(entry: Entry, *, strict: bool) -> bool:
    """Say whether an entry stands in the way; only a lenient question tolerates unknown."""
    return not entry.is_valid and (strict or entry.status is not StateStatus.UNKNOWN)


def valid_until(state: SemanticState, now: datetime) -> str | None:
    """Return when time alone changes the verdict: the next expiry of an approval.

    A column time (`…+00:00`), or None when no approval expires after `now`.
    """
    expiries = (
        _expiry(one)
        for one in state["approvals"]
        if one["status"] not in ("revoked", "expired") and one["expires_at"]
    )
    ahead = [expiry for expiry in expiries if expiry is not None and expiry > now]
    return column_time(min(ahead)) if ahead else None


def delta_line(delta: Delta) -> str:
    """Return one line for people about a resource that was compared."""
    return f"{one_line(delta.resource)}: {_compared(delta)}"


def _reason(blocking: list[Entry]) -> str:
    if not blocking:
        return "nothing that was checked stands in the way"
    shown = "; ".join(
        f"{one_line(entry.name)} is {entry.status}" for entry in blocking[:_SHOWN_IN_REASON]
    )
    more = len(blocking) - _SHOWN_IN_REASON
    return f"{shown}; and {more} more" if more > 0 else shown


# Dependencies and what rests on them.

_STATUS_OF_CHANGE = {
    "unchanged": StateStatus.VALID,
    "added": StateStatus.VALID,
    "changed": StateStatus.CONFLICTED,
    "removed": StateStatus.INVALID,
}


def _dependencies(facts: Facts, deltas: list[Delta]) -> Iterator[Entry]:
    by_name = {delta.resource: delta for delta in deltas}
    for dependency in facts.state["external_dependencies"]:
        name = dependency["resource"]
        if not _in_scope(name, facts):
            continue
        delta = by_name.get(name)
        if delta is not None:
            status = _STATUS_OF_CHANGE.get(delta.change, StateStatus.UNKNOWN)
            yield Entry("external_dependency", name, status, _compared(delta))
        elif deltas:
            detail = f"in neither snapshot; pass --env {argument(name)}=VERSION"
            yield Entry("external_dependency", name, StateStatus.UNKNOWN, detail)
        else:
            yield _uncompared(dependency, facts)


def _uncompared(dependency: ExternalDependency, facts: Facts) -> Entry:
    name = dependency["resource"]
    status = StateStatus.UNKNOWN
    if not facts.question.strict:
        status = StateStatus(dependency["status"])
    if facts.question.environment is None:
        detail = f"its current version was not given; pass --env {argument(name)}=VERSION"
    else:
        detail = "the last checkpoint holds no environment to compare with"
    return Entry("external_dependency", name, status, detail)


def _compared(delta: Delta) -> str:
    before, after = one_line(delta.before), one_line(delta.after)
    if delta.change == "unchanged":
        return "unchanged since the checkpoint"
    if delta.change == "added":
        return f"new since the checkpoint, now {after}"
    if delta.change == "removed":
        return f"was {before} at the checkpoint, is gone now"
    if delta.change == "changed":
        return f"was {before} at the checkpoint, is {after} now"
    return f"cannot be compared: {one_line(delta.detail)}"


def _tainted(facts: Facts, deltas: list[Delta]) -> Iterator[Entry]:
    """One pass: evidence, then findings, then decisions; nothing taints its own kind."""
    moved = {
        delta.resource: delta
        for delta in deltas
        if delta.change in BREAKING and _in_scope(delta.resource, facts)
    }
    state = facts.state
    tainted: set[str] = set()
    for evidence in state["evidence"]:
        delta = moved.get(evidence["source"] or "")
        if delta is None or evidence["status"] != StateStatus.VALID:
            continue
        tainted.add(evidence["evidence_id"])
        unknown = delta.change == "unknown"
        status = StateStatus.UNKNOWN if unknown else StateStatus.STALE
        detail = f"its source {quoted(delta.resource)} {'is uncertain' if unknown else 'moved'}"
        yield Entry("evidence", evidence["evidence_id"], status, detail)
    findings = [(one["finding_id"], one["status"], one["evidence"]) for one in state["findings"]]
    stale = [*_stale("finding", findings, tainted)]
    yield from stale
    # A finding and a piece of evidence of one id are told apart by nobody who cites.
    tainted |= {entry.component_id for entry in stale if entry.component_id}
    decisions = [(one["decision_id"], one["status"], one["evidence"]) for one in state["decisions"]]
    yield from _stale("decision", decisions, tainted)


def _stale(
    component: str, items: Iterable[tuple[str, str, list[str]]], tainted: set[str]
) -> Iterator[Entry]:
    for item_id, status, cited in items:
        support = sorted(tainted.intersection(cited))
        if support and status == StateStatus.VALID:
            detail = f"rests on what is no longer current: {_id_list(support)}"
            yield Entry(component, item_id, StateStatus.STALE, detail)


def _in_scope(resource: str, facts: Facts) -> bool:
    return facts.question.scope is None or resource in facts.question.scope


# Goal, progress and plans.

_WHO = {"external_agent": "the agent itself", "llm": "a model", "imported": "an import"}


def _goal(facts: Facts) -> Entry:
    goal = facts.state["goal"]
    known = f"version {goal['version']}"
    doubt = _self_report(goal["provenance"], confirmed=facts.confirmations.goal)
    if doubt:
        return Entry("goal", None, StateStatus.REQUIRES_REVIEW, f"{known}, {doubt}")
    return Entry("goal", None, StateStatus.VALID, known)


def _progress(facts: Facts) -> Entry:
    progress = facts.state["progress"]
    total = progress["total"]
    done = (
        f"{progress['completed']} done"
        if total is None
        else (f"{progress['completed']} of {total} done")
    )
    doubt = _self_report(progress["provenance"], confirmed=facts.confirmations.progress)
    if doubt:
        return Entry("progress", None, StateStatus.REQUIRES_REVIEW, f"{done}, {doubt}")
    # As the reference reads it, 0 means that no event stands behind the numbers.
    if progress["provenance"]["source_sequence"] == 0 and progress["completed"] > 0:
        return Entry("progress", None, StateStatus.UNKNOWN, f"{done}, but no event says so")
    return Entry("progress", None, StateStatus.VALID, done)


def _plans(facts: Facts) -> Iterator[Entry]:
    """What agents mean to do; it is reviewed together with the progress it belongs to."""
    for plan in facts.plans:
        done = sum(unit.status == UnitStatus.DONE for unit in plan.units)
        known = f"{done} of {counted(len(plan.units), 'unit')} done"
        clashes = contradictions(plan)
        if clashes:
            detail = f"contradicts itself: {one_line('; '.join(clashes))}"
            yield Entry("plan", plan.plan_id, StateStatus.CONFLICTED, detail)
        elif plan.self_certified and plan.sequence > facts.confirmations.progress:
            detail = f"{known}, reported by the agent at event {plan.sequence}, confirmed by nobody"
            yield Entry("plan", plan.plan_id, StateStatus.REQUIRES_REVIEW, detail)
        else:
            yield Entry("plan", plan.plan_id, StateStatus.VALID, known)


def _self_report(provenance: Provenance, *, confirmed: int) -> str:
    """Return why a part cannot be trusted, or empty text when it can.

    A confirmation covers what was reported up to it, and nothing later.
    """
    origin = provenance["origin"]
    if origin not in SELF_CERTIFIED:
        return ""
    who = _WHO.get(origin, origin)
    if not confirmed:
        return f"reported by {who} and confirmed by nobody"
    if (provenance["source_sequence"] or 0) <= confirmed:
        return ""
    return (
        f"reported by {who} at event {provenance['source_sequence']}, "
        f"after what was confirmed (up to event {confirmed})"
    )


# Approvals, model, citations.


def _approval(approval: Approval, now: datetime) -> Entry:
    name, status = approval["approval_id"], approval["status"]
    if status == "revoked":
        return Entry("approval", name, StateStatus.INVALID, "was revoked")
    if status == "expired":
        return Entry("approval", name, StateStatus.EXPIRED, "has expired")
    if approval["expires_at"]:
        expiry = _expiry(approval)
        if expiry is None or expiry <= now:
            detail = f"expired at {one_line(approval['expires_at'])}"
            return Entry("approval", name, StateStatus.EXPIRED, detail)
    if status == "granted":
        return Entry("approval", name, StateStatus.VALID, "granted")
    return Entry("approval", name, StateStatus.REQUIRES_REVIEW, "was asked for and not granted")


def _expiry(approval: Approval) -> datetime | None:
    """Return when an approval ends; a text that is no time counts as past."""
    try:
        return parse_time(approval["expires_at"] or "")
    except InvalidInput:
        return None


def _model(facts: Facts) -> Iterator[Entry]:
    model = facts.state["model"]
    recorded = model["model"] if model else None
    assumptions = len(model["model_specific_state"]) if model else 0
    expected = facts.question.expected_model or None
    verb = "holds" if assumptions == 1 else "hold"
    held = f"{counted(assumptions, 'assumption')} of the run {verb} for one model only"
    if expected and not recorded:
        detail = f"the run records no model to compare with {quoted(expected)}"
        yield Entry("model", None, StateStatus.UNKNOWN, detail)
    elif expected and recorded != expected:
        detail = f"the work was done by {quoted(recorded)}, {quoted(expected)} would resume it"
        if assumptions:
            yield Entry("model", recorded, StateStatus.STALE, f"{detail}; {held}")
        else:
            yield Entry("model", recorded, StateStatus.REQUIRES_REVIEW, detail)
    elif assumptions and expected:
        yield Entry("model", recorded, StateStatus.VALID, f"same model; {held}")
    elif assumptions:
        detail = f"{held}, and it is not known which one resumes"
        yield Entry("model", recorded, StateStatus.UNKNOWN, detail)


def _dangling(state: SemanticState) -> Iterator[Entry]:
    known = {one["evidence_id"] for one in state["evidence"]}
    known |= {one["finding_id"] for one in state["findings"]}
    cited = {ref for one in state["decisions"] for ref in one["evidence"]}
    cited |= {ref for one in state["findings"] for ref in one["evidence"]}
    if cited - known:
        detail = f"cited but not on record: {_id_list(sorted(cited - known))}"
        yield Entry("evidence", None, StateStatus.UNKNOWN, detail)


def _id_list(ids: Iterable[str]) -> str:
    return one_line(", ".join(ids))
