"""A short briefing about a run, for an agent that picks it up again (state.md 7).

Sections come in order of importance. With a budget the later ones are left
out and named at the end, but never the goal, the progress or the warnings.
The wording is format: agents of both clients read it.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.state import UNRELIABLE, StateStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from continuum.domain.state import SemanticState

MAX_ITEMS = 10
"""How many decisions, tasks and findings a section shows unless told otherwise."""

_PROTECTED = ("CURRENT GOAL", "VERIFIED PROGRESS", "STALE STATE — DO NOT RELY ON")


class RecoveryContext(NamedTuple):
    """The briefing.

    Attributes:
        estimated_tokens: of the whole text, see `estimate_tokens`.
        dropped: titles of the sections that did not fit.
    """

    text: str
    estimated_tokens: int
    dropped: tuple[str, ...]

    @property
    def truncated(self) -> bool:
        """True when something was left out."""
        return bool(self.dropped)


class _Section(NamedTuple):
    title: str
    lines: Sequence[str]

    @property
    def text(self) -> str:
        return "\n".join([self.title, *(f"  {line}" for line in self.lines)])


def recovery_context(
    state: SemanticState,
    *,
    next_action: str | None = None,
    environment_changes: Iterable[str] = (),
    max_items: int = MAX_ITEMS,
    token_budget: int | None = None,
) -> RecoveryContext:
    """Return the briefing on `state`.

    Args:
        next_action: the step that is safe to take next, if one is known.
        environment_changes: one line per resource that moved.
        token_budget: upper bound of estimated tokens before the closing note;
            None for no bound.
    """
    sections = [
        _Section("CURRENT GOAL", _goal(state)),
        _Section("NEXT SAFE ACTION", [next_action] if next_action else []),
        _Section("VERIFIED PROGRESS", _progress(state)),
        _Section("STALE STATE — DO NOT RELY ON", _stale(state)),
        _Section("ENVIRONMENT CHANGES", [*environment_changes]),
        _Section("REQUIRES REVIEW", _to_review(state)),
        _Section("VALID DECISIONS", _decisions(state, max_items)),
        _Section("PENDING TASKS", _tasks(state, max_items)),
        _Section("RELEVANT FINDINGS", _findings(state, max_items)),
        _Section("EXTERNAL DEPENDENCIES", _dependencies(state)),
    ]
    return _fit([section for section in sections if section.lines], token_budget)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` has: four characters each, at least one."""
    return max(1, round(len(text) / 4)) if text else 0


def _fit(sections: list[_Section], token_budget: int | None) -> RecoveryContext:
    kept: list[str] = []
    dropped: list[str] = []
    for section in sections:
        longer = "\n\n".join([*kept, section.text])
        fits = token_budget is None or estimate_tokens(longer) <= token_budget
        if fits or section.title in _PROTECTED:
            kept.append(section.text)
        else:
            dropped.append(section.title)
    if dropped:
        kept.append(f"[context truncated to fit budget; omitted: {', '.join(dropped)}]")
    text = "\n\n".join(kept)
    return RecoveryContext(text, estimate_tokens(text), tuple(dropped))


# -- sections


def _goal(state: SemanticState) -> list[str]:
    goal = state["goal"]
    constraints = [f"constraint: {one}" for one in goal["constraints"]]
    return [f"{goal['description']}  (goal v{goal['version']})", *constraints]


def _progress(state: SemanticState) -> list[str]:
    progress = state["progress"]
    total = "unknown" if progress["total"] is None else progress["total"]
    return [
        f"{progress['completed']} completed, {progress['pending']} pending, "
        f"{progress['failed']} failed (of {total})",
        f"derived from events 1..{state['source_sequence']}",
    ]


def _stale(state: SemanticState) -> list[str]:
    decisions = [
        f"[{one['status']}] decision {one['decision_id']}: "
        f"{one['invalidated_reason'] or one['decision']}"
        for one in state["decisions"]
        if one["status"] in UNRELIABLE
    ]
    findings = [
        f"[{one['status']}] finding {one['finding_id']}: {one['claim']}"
        for one in state["findings"]
        if one["status"] in UNRELIABLE
    ]
    dependencies = [
        f"[{one['status']}] dependency {one['resource']}"
        for one in state["external_dependencies"]
        if one["status"] in UNRELIABLE
    ]
    approvals = [
        f"[{one['status']}] approval {one['approval_id']}: {one['subject']}"
        for one in state["approvals"]
        if one["status"] in ("expired", "revoked")
    ]
    dangling = [f"evidence cited but unavailable: {name}" for name in dangling_citations(state)]
    return [*decisions, *findings, *dependencies, *approvals, *dangling]


def dangling_citations(state: SemanticState) -> list[str]:
    """Return cited ids that are neither evidence nor a finding, sorted."""
    known = {one["evidence_id"] for one in state["evidence"]}
    known.update(one["finding_id"] for one in state["findings"])
    cited = {name for one in state["decisions"] for name in one["evidence"]}
    cited.update(name for one in state["findings"] for name in one["evidence"])
    return sorted(cited - known)


def _to_review(state: SemanticState) -> list[str]:
    review = StateStatus.REQUIRES_REVIEW
    decisions = [
        f"decision {one['decision_id']}: {one['decision']}"
        for one in state["decisions"]
        if one["status"] == review
    ]
    findings = [
        f"finding {one['finding_id']}: {one['claim']}"
        for one in state["findings"]
        if one["status"] == review
    ]
    model = state["model"]
    assumptions = [
        f"model-specific: {one['description']} ({one['required_validation']})"
        for one in (model["model_specific_state"] if model else ())
    ]
    return [*decisions, *findings, *assumptions]


def _decisions(state: SemanticState, max_items: int) -> list[str]:
    valid = [one for one in state["decisions"] if one["status"] == StateStatus.VALID]
    return _bounded([f"{one['decision_id']}: {one['decision']}" for one in valid], max_items)


def _tasks(state: SemanticState, max_items: int) -> list[str]:
    open_work = [one for one in state["pending_work"] if one["status"] != StateStatus.INVALID]
    return _bounded([f"{one['task_id']}: {one['description']}" for one in open_work], max_items)


def _findings(state: SemanticState, max_items: int) -> list[str]:
    valid = [one for one in state["findings"] if one["status"] == StateStatus.VALID]
    valid.sort(key=lambda one: (-one["confidence"], one["finding_id"]))
    return _bounded(
        [f"{one['finding_id']} ({one['confidence']:.2f}): {one['claim']}" for one in valid],
        max_items,
    )


def _dependencies(state: SemanticState) -> list[str]:
    return [
        f"{one['resource']}: {one['version'] or 'unversioned'} [{one['status']}]"
        for one in state["external_dependencies"]
        if one["status"] not in UNRELIABLE
    ]


def _bounded(lines: list[str], max_items: int) -> list[str]:
    more = len(lines) - max_items
    return [*lines[:max_items], f"… and {more} more"] if more > 0 else lines
