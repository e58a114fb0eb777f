"""Families: a tree of runs with how each stands, and the worst below each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.services import runs, summaries
from continuum.services.summaries import SummaryQuery
from runs.pages.run_list import cursor_text

if TYPE_CHECKING:
    from continuum.services.runs import TreeNode
    from continuum.services.summaries import RunCursor
    from continuum.store.base import ReadStore, Summary

MOST_NODES = 300
SCANNED = 200
FAMILIES = 50
_CAUTION = ("resume", "repair_and_resume", "replan", "wait", "request_human", "rollback", "abort")
_ENDED = ("completed", "aborted")


class FamilyNode(NamedTuple):
    """A run in its tree.

    Attributes:
        mode: as last judged; empty for a run that was not judged yet.
        worst: the least safe mode strictly below, empty when all below may resume.
        size: how many runs the tree holds, this one included.
        is_open: it, or something below it, waits for a person, or it is the current one.
    """

    run_id: str
    goal: str
    status: str
    mode: str
    safe: bool
    open_actions: int
    is_current: bool
    children: tuple[FamilyNode, ...]
    worst: str
    size: int
    is_open: bool

    @property
    def below(self) -> int:
        """How many runs are below this one."""
        return self.size - 1


class FamilyPage(NamedTuple):
    """Families among one stretch of runs, newest first."""

    families: list[FamilyNode]
    older: RunCursor | None

    @property
    def older_cursor(self) -> str:
        """The place of the next stretch, for the address."""
        return cursor_text(self.older) if self.older else ""


def family_of(store: ReadStore, root_id: str, *, current: str = "") -> FamilyNode:
    """Return the tree below `root_id`, cut at `MOST_NODES` runs.

    Raises:
        RunNotFound: no such run.
    """
    nodes = runs.family(store, root_id, limit=MOST_NODES)
    return _assemble(store, nodes, current)


def list_families(store: ReadStore, *, text: str, before: RunCursor | None) -> FamilyPage:
    """Return the families whose root is among the next `SCANNED` runs."""
    query = SummaryQuery(text=text, before=before, limit=SCANNED)
    page = summaries.list_summaries(store, query)
    roots = [row for row in page if row.children and row.parent_run_id is None]
    last = page[-1] if len(page) == SCANNED else None
    older = summaries.RunCursor(last.created_at, last.run_id) if last else None
    return FamilyPage([family_of(store, row.run_id) for row in roots[:FAMILIES]], older)


def _assemble(store: ReadStore, nodes: list[TreeNode], current: str) -> FamilyNode:
    """Build the tree bottom up from its depth-first list; no recursion, any depth."""
    waiting: dict[int, list[FamilyNode]] = {}
    for node in reversed(nodes):
        children = tuple(reversed(waiting.pop(node.depth + 1, [])))
        summary = store.summary(node.run.run_id)
        made = _node(node, summary, children, current)
        waiting.setdefault(node.depth, []).append(made)
    return waiting[0][0]


def _node(
    node: TreeNode, summary: Summary | None, children: tuple[FamilyNode, ...], current: str
) -> FamilyNode:
    run = node.run
    return FamilyNode(
        run_id=run.run_id,
        goal=summary.goal if summary else run.goal,
        status=summary.status if summary else str(run.status),
        mode=summary.mode if summary else "",
        safe=summary.safe if summary else False,
        open_actions=summary.open_actions if summary else 0,
        is_current=run.run_id == current,
        children=children,
        worst=_worst(children),
        size=1 + sum(child.size for child in children),
        is_open=run.run_id == current or any(_waits(child) for child in children),
    )


def _worst(children: tuple[FamilyNode, ...]) -> str:
    modes = [mode for child in children for mode in (child.worst, _mode_now(child)) if mode]
    worst = max(modes, key=_rank, default="")
    return worst if worst != "resume" else ""


def _mode_now(node: FamilyNode) -> str:
    """An ended run asks nothing, unless an effect of it is still in doubt."""
    if node.status in _ENDED:
        return "request_human" if node.open_actions else ""
    return node.mode


def _waits(node: FamilyNode) -> bool:
    return node.is_open or _rank(_mode_now(node)) >= _rank("request_human")


def _rank(mode: str) -> int:
    if not mode:
        return -1
    return _CAUTION.index(mode) if mode in _CAUTION else len(_CAUTION)
