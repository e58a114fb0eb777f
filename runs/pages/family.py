"""Families: the list of them, one of them, and the small tree beside a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.services import families, runs
from continuum.services.families import MAX_DEPTH, Reach
from runs.pages.run_list import cursor_text, read_cursor

if TYPE_CHECKING:
    from continuum.domain.runs import Run
    from continuum.services.families import FamilyNode
    from continuum.store.base import ReadStore

FAMILIES = 20
_IN_LIST = Reach(children=8, nodes=300, depth=4, leading=4)
_BESIDE_RUN = Reach(children=12, nodes=60, depth=5, leading=6)
_GENERATIONS = 4
"""How far up a small tree begins: a run, its parent, theirs, and theirs."""
_MOST_LINES = 1000


class FamilyFilters(NamedTuple):
    """What the address says.

    Attributes:
        view: `table`, or empty for the tree.
        before: where the families, or the children of one, go on.
    """

    text: str = ""
    waiting: bool = False
    view: str = ""
    before: str = ""

    @property
    def is_set(self) -> bool:
        """True when fewer families than all may be shown."""
        return bool(self.text or self.waiting)


class TreeLine(NamedTuple):
    """A run of a tree as a row of a table; the root is on level 1."""

    level: int
    node: FamilyNode


class FamilyListScreen(NamedTuple):
    """One page of families, newest first."""

    filters: FamilyFilters
    families: tuple[FamilyNode, ...]
    older: str

    @property
    def lines(self) -> list[TreeLine]:
        """Every run shown, as rows."""
        return [line for tree in self.families for line in lines_of(tree)]


class FamilyScreen(NamedTuple):
    """One family.

    Attributes:
        ancestors: of its root, which may be a child itself; uppermost first.
        older: where the next children of the root begin; empty at the end.
    """

    filters: FamilyFilters
    tree: FamilyNode
    ancestors: list[Run]
    older: str

    @property
    def lines(self) -> list[TreeLine]:
        """Every run shown, as rows."""
        return lines_of(self.tree)


def list_families(store: ReadStore, filters: FamilyFilters) -> FamilyListScreen:
    """Return one page of families.

    Raises:
        InvalidInput: the place in the address is none.
    """
    page = families.list_families(
        store,
        text=filters.text,
        waiting=filters.waiting,
        before=read_cursor(filters.before),
        limit=FAMILIES,
        reach=_IN_LIST._replace(waiting=filters.waiting),
    )
    return FamilyListScreen(filters, page.families, cursor_text(page.older) if page.older else "")


def one_family(store: ReadStore, run_id: str, filters: FamilyFilters) -> FamilyScreen:
    """Return the tree below a run, its own children in pages.

    Raises:
        RunNotFound: no such run.
        InvalidInput: the place in the address is none.
    """
    reach = Reach(waiting=filters.waiting, before=read_cursor(filters.before))
    with store.reading():
        tree = families.family_tree(store, run_id, reach)
        above = runs.ancestors(store, store.run(run_id)) if tree.row.parent_run_id else []
    return FamilyScreen(filters, tree, above, cursor_text(tree.older) if tree.older else "")


def tree_beside(store: ReadStore, path: list[str]) -> FamilyNode:
    """Return a small tree around the last run of `path`, which comes from the root.

    Raises:
        RunNotFound: no such run.
    """
    root, *rest = path[-_GENERATIONS:]
    return families.family_tree(store, root, _BESIDE_RUN._replace(path=tuple(rest)))


def tree_around(store: ReadStore, run_id: str) -> FamilyNode:
    """Return the whole family a run belongs to, as much of it as a page holds.

    Raises:
        RunNotFound: no such run.
    """
    above = runs.ancestors(store, store.run(run_id))
    root, *rest = [*(run.run_id for run in above), run_id][-MAX_DEPTH:]
    return families.family_tree(store, root, Reach(path=tuple(rest)))


def lines_of(tree: FamilyNode) -> list[TreeLine]:
    """Return a tree as rows, parents before their children."""
    lines: list[TreeLine] = []
    stack = [TreeLine(1, tree)]
    while stack and len(lines) < _MOST_LINES:
        line = stack.pop()
        lines.append(line)
        stack += [TreeLine(line.level + 1, child) for child in reversed(line.node.children)]
    return lines
