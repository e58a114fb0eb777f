"""The inbox: what needs a person, worst and oldest first.

An item is one question a person can answer: an action whose outcome nobody
knows, or what else stops a run. A parent that only waits for a child is no
item of its own; the child's item carries the family mark.
"""

from __future__ import annotations

from enum import IntEnum

from continuum.core.clock import column_time
from continuum.core.errors import NotFound
from continuum.core.hashing import hex_digest
from continuum.domain.actions import ActionStatus
from continuum.recovery.verdict import FindingCode, Mode, needs_person
from continuum.store.base import MAX_PAGE as MAX_PAGE
from continuum.store.modelport import Item, ItemCounts
from continuum.store.modelport import ItemQuery as ItemQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.runfacts import OpenAction, RunFacts
    from continuum.domain.runs import Run, RunRow
    from continuum.recovery.verdict import Finding, Verdict
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore

_ID_DIGITS = 20


class Severity(IntEnum):
    """How bad it is that nobody looks; 0 is worst."""

    INTEGRITY = 0
    OUTCOME_UNKNOWN = 1
    BLOCKED = 2
    REVIEW = 3
    NONE = 9


_SEVERITY_OF = {
    FindingCode.CHAIN_BROKEN: Severity.INTEGRITY,
    FindingCode.ROW_DISAGREES: Severity.INTEGRITY,
    FindingCode.LOG_STOPS_FOLDING: Severity.INTEGRITY,
    FindingCode.GOAL_UNCONFIRMED: Severity.REVIEW,
    FindingCode.PROGRESS_UNCONFIRMED: Severity.REVIEW,
    FindingCode.PLAN_UNCONFIRMED: Severity.REVIEW,
}
_REVIEWED = {
    FindingCode.GOAL_UNCONFIRMED: "goal",
    FindingCode.PROGRESS_UNCONFIRMED: "progress",
    FindingCode.PLAN_UNCONFIRMED: "plan",
}
_NOT_ITEMS = frozenset(
    {FindingCode.ACTION_UNRESOLVED, FindingCode.CHILD_BLOCKED, FindingCode.RUN_CLOSED}
)
_STOPPING = frozenset({Mode.REQUEST_HUMAN, Mode.ROLLBACK, Mode.ABORT})


def open_items(store: ReadStore, query: ItemQuery) -> list[Item]:
    """Return one page of what needs a person."""
    return store.items(query)


def counts(store: ReadStore, person: str, since: datetime) -> ItemCounts:
    """Return what the tabs and the badge say, from the same rows as the list."""
    return store.item_counts(person, column_time(since))


def matching_counts(store: ReadStore, query: ItemQuery, since: datetime) -> ItemCounts:
    """Return the same of a narrowed list, by the conditions of the list itself."""
    return store.matching_counts(query._replace(since=column_time(since)))


def get_item(store: ReadStore, item_id: str) -> Item:
    """Return one item, open or closed.

    Raises:
        NotFound: no item of that id.
    """
    item = store.item(item_id)
    if item is None:
        raise NotFound(f"no inbox item {item_id!r}; it may belong to another store")
    return item


def items_of(assessed: Assessed) -> list[Item]:
    """Return the open items of a run as just judged."""
    verdict = assessed.verdict
    # Who holds a live claim is at work; nobody has to look before the lease is over.
    waiting = [one for one in assessed.facts.open_actions if not one.is_held(verdict.at)]
    items = [_action_item(assessed, one) for one in waiting]
    leading = _leading(verdict)
    if leading is not None:
        items.append(_verdict_item(assessed, leading))
    return items


def corrupted_item(run: RunRow, detail: str, at: datetime) -> Item:
    """Return the item of a run whose log cannot be read at all."""
    return _item(
        run,
        kind="verdict",
        target="log",
        severity=Severity.INTEGRITY,
        title="The log cannot be read",
        detail=detail,
        goal=run.goal,
        opened_at=run.updated_at or column_time(at),
    )


def item_id_of(run_id: str, kind: str, target: str) -> str:
    """Return the id of an item: the same question has the same id on every assessment."""
    text = "\n".join((run_id, kind, target))
    return hex_digest(text.encode("utf-8", "surrogatepass"))[:_ID_DIGITS]


def _leading(verdict: Verdict) -> Finding | None:
    """The worst reason that only a person can settle and that is no action's."""
    if verdict.own_mode not in _STOPPING:
        return None
    reasons = [one for one in verdict.findings if one.code not in _NOT_ITEMS]
    return reasons[0] if reasons and needs_person(verdict) else None


def _action_item(assessed: Assessed, opened: OpenAction) -> Item:
    action = opened.action
    asked = "needs review" if action.status is ActionStatus.REQUIRES_REVIEW else "outcome unknown"
    finding = next(
        (one for one in assessed.verdict.findings if one.target == action.action_id), None
    )
    return _item(
        assessed.run,
        kind="action",
        target=opened.key,
        severity=Severity.OUTCOME_UNKNOWN,
        title=f"{action.action_type} · {asked}",
        detail=finding.text if finding else f"{action.action_type} is {action.status}.",
        goal=assessed.verdict.state["goal"]["description"],
        opened_at=_column(action.started_at or action.created_at),
    )._replace(
        action_type=action.action_type,
        opened_sequence=opened.sequence,
        caller=assessed.facts.caller,
    )


def _verdict_item(assessed: Assessed, leading: Finding) -> Item:
    sequence, opened_at = _since(assessed.facts, leading)
    return _item(
        assessed.run,
        kind="verdict",
        target=_verdict_target(leading),
        severity=_SEVERITY_OF.get(leading.code, Severity.BLOCKED),
        title=_title(assessed.verdict, leading),
        detail=leading.text,
        goal=assessed.verdict.state["goal"]["description"],
        opened_at=opened_at,
    )._replace(opened_sequence=sequence, caller=assessed.facts.caller)


def _verdict_target(leading: Finding) -> str:
    """Reviews of goal and progress are one question; others are told apart."""
    return "review" if leading.code in _REVIEWED else f"{leading.code}:{leading.target}"


def _title(verdict: Verdict, leading: Finding) -> str:
    if leading.code in _REVIEWED:
        named = [_REVIEWED[one.code] for one in verdict.findings if one.code in _REVIEWED]
        *most, last = dict.fromkeys(named)
        parts = f"{', '.join(most)} and {last}" if most else last
        return f"{parts.capitalize()} self-reported"
    if leading.code is FindingCode.CHAIN_BROKEN:
        return f"Hash chain broken at event {verdict.chain.broken_at}"
    return _TITLES.get(leading.code, "Needs a decision").format(target=leading.target)


_TITLES = {
    FindingCode.ROW_DISAGREES: "Run row and log disagree",
    FindingCode.LOG_STOPS_FOLDING: "The log stops making sense",
    FindingCode.PLAN_CONTRADICTS_ITSELF: "Plan contradicts itself: {target}",
    FindingCode.APPROVAL_MISSING: "Approval missing: {target}",
    FindingCode.DEPENDENCY_MOVED: "Dependency not settled: {target}",
    FindingCode.MODEL_UNCERTAIN: "Model not settled",
}


def _since(facts: RunFacts, leading: Finding) -> tuple[int, str]:
    """Since when the question stands, from the log alone."""
    if leading.code in _REVIEWED:
        reports = [one for one in facts.reported.values() if one is not None]
        if reports:
            first = min(reports, key=lambda one: one.sequence)
            return first.sequence, first.at
    return leading.sequence or facts.sequence, facts.last_at or facts.started_at or ""


def _item(
    run: Run | RunRow,
    *,
    kind: str,
    target: str,
    severity: Severity,
    title: str,
    detail: str,
    goal: str,
    opened_at: str,
) -> Item:
    return Item(
        item_id=item_id_of(run.run_id, kind, target),
        run_id=run.run_id,
        kind=kind,
        target=target,
        severity=severity,
        title=title,
        detail=detail,
        goal=goal,
        action_type=None,
        caller=None,
        parent_run_id=run.parent_run_id,
        opened_at=opened_at,
        opened_sequence=0,
    )


def _column(body_time: str) -> str:
    return f"{body_time[:-1]}+00:00" if body_time.endswith("Z") else body_time
