"""Families: the trees of runs with how each stands and the worst below it.

A tree is read level by level, one statement a level, so a family costs as
many as it is deep. What a parent shows of a child counts everything below
that child, so the worst below a run is the worst of its direct children,
whether or not they are all in the tree.
"""

from __future__ import annotations

import json

from continuum.core.errors import RunNotFound
from continuum.core.records import NamedTuple
from continuum.store.familyport import FamilyRow
from continuum.store.modelport import RunCursor as RunCursor
from continuum.store.modelport import SummaryQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from continuum.domain.runs import Run
    from continuum.store.base import ReadStore
    from continuum.store.familyport import ChildTally

CHILDREN = 100
"""How many children of one run a tree shows at once."""

MOST_NODES = 400
MAX_DEPTH = 12

_CAUTION = ("resume", "repair_and_resume", "replan", "wait", "request_human", "rollback", "abort")
_ENDED = ("completed", "aborted")


class Fork(NamedTuple):
    """Where a run branched off its parent, and why.

    Attributes:
        sequence: the parent's event up to which the fork was thought through; 0 for none.
    """

    sequence: int
    reason: str


class FamilyNode(NamedTuple):
    """A run in its tree.

    Attributes:
        worst: the least safe mode strictly below, empty when all below may resume.
        waiting: how many direct children somebody has to look at, all of them counted.
        older: where its next children go on; None when the tree holds the last of them.
        is_cut: it has children that the tree does not go down to.
    """

    row: FamilyRow
    children: tuple[FamilyNode, ...]
    worst: str
    waiting: int
    older: RunCursor | None
    is_cut: bool

    @property
    def fork(self) -> Fork | None:
        """Say where it branched off, where it did."""
        return _fork_of(self.row)

    @property
    def size(self) -> int:
        """How many runs the tree holds, this one included."""
        return 1 + sum(child.size for child in self.children)

    @property
    def is_whole(self) -> bool:
        """True when nothing below it is left out."""
        here = not self.is_cut and self.older is None
        return here and all(child.is_whole for child in self.children)


class FamilyList(NamedTuple):
    """A page of families, newest first."""

    families: tuple[FamilyNode, ...]
    older: RunCursor | None


class Reach(NamedTuple):
    """How much of a family is shown.

    Attributes:
        children: of one run, at most.
        nodes: in all, at most.
        waiting: only runs for which, or for something below which, a person is waited for.
        leading: how many of a run's children that wait come before the newest ones.
        before: where the children of the roots go on.
        path: runs that are shown wherever they stand among their siblings.
    """

    children: int = CHILDREN
    nodes: int = MOST_NODES
    depth: int = MAX_DEPTH
    waiting: bool = False
    leading: int = 0
    before: RunCursor | None = None
    path: tuple[str, ...] = ()


def list_families(
    store: ReadStore,
    *,
    text: str = "",
    waiting: bool = False,
    before: RunCursor | None = None,
    limit: int,
    reach: Reach,
) -> FamilyList:
    """Return the families whose roots come next, each as far as `reach` goes."""
    query = SummaryQuery(text=text, roots=True, waiting=waiting, before=before, limit=limit + 1)
    with store.reading():
        found = store.summaries(query)
        roots = _members(store, [row.run_id for row in found[:limit]])
        roots.sort(key=lambda row: (row.created_at, row.run_id), reverse=True)
        trees = _trees(store, roots, reach)
    last = found[limit - 1] if len(found) > limit else None
    return FamilyList(tuple(trees), RunCursor(last.created_at, last.run_id) if last else None)


def family_tree(store: ReadStore, run_id: str, reach: Reach) -> FamilyNode:
    """Return the run with what is below it.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        rows = _members(store, [run_id])
        if not rows:
            raise RunNotFound(run_id)
        [tree] = _trees(store, rows, reach)
    return tree


def _members(store: ReadStore, run_ids: Sequence[str]) -> list[FamilyRow]:
    """Return the rows of runs; a store that only the other client wrote has no verdicts."""
    if store.has_read_model:
        return store.family_members(run_ids)
    runs = [store.find_run(run_id) for run_id in run_ids]
    return [_unjudged(store, run) for run in runs if run is not None]


def _unjudged(store: ReadStore, run: Run) -> FamilyRow:
    return FamilyRow(
        run_id=run.run_id,
        parent_run_id=run.parent_run_id,
        goal=run.goal,
        status=run.status,
        mode="",
        safe=False,
        open_actions=0,
        children=len(store.children(run.run_id)),
        blocked_children=0,
        waits=False,
        created_at=run.created_at,
        metadata=json.dumps(run.metadata),
    )


class _Level(NamedTuple):
    """The children of one run as read, and whether and where there are more."""

    rows: list[FamilyRow]
    older: RunCursor | None
    is_cut: bool


def _trees(store: ReadStore, roots: Sequence[FamilyRow], reach: Reach) -> list[FamilyNode]:
    """Walk down level by level, then build upwards; each run appears once, so a cycle ends."""
    seen = {row.run_id for row in roots}
    led = {row.parent_run_id: row for row in _members(store, reach.path)} if reach.path else {}
    levels = [list(roots)]
    below: dict[str, _Level] = {}
    before = reach.before
    while levels[-1] and len(levels) <= reach.depth and len(seen) < reach.nodes:
        parents = [row.run_id for row in levels[-1] if row.children]
        if not parents:
            break
        read = _read_level(store, parents, reach._replace(before=before))
        before = None
        levels.append(_take(read, led, below, seen, reach))
    tallies = store.child_tallies(row.run_id for level in levels for row in level if row.children)
    return _assembled(levels, below, _tallied(tallies))


def _read_level(store: ReadStore, parents: list[str], reach: Reach) -> dict[str, list[FamilyRow]]:
    if store.has_read_model:
        rows = store.family_level(
            parents, waiting=reach.waiting, before=reach.before, limit=reach.children + 1
        )
        if reach.leading:
            rows = [*store.family_level(parents, waiting=True, limit=reach.leading), *rows]
    else:
        rows = [_unjudged(store, run) for parent in parents for run in store.children(parent)]
    grouped: dict[str, list[FamilyRow]] = {parent: [] for parent in parents}
    for row in dict.fromkeys(rows):
        grouped[row.parent_run_id or ""].append(row)
    return grouped


def _take(
    read: dict[str, list[FamilyRow]],
    led: dict[str | None, FamilyRow],
    below: dict[str, _Level],
    seen: set[str],
    reach: Reach,
) -> list[FamilyRow]:
    """Keep of each run's children what may be shown; return them all as the next level."""
    taken: list[FamilyRow] = []
    for parent, rows in read.items():
        room = max(0, reach.nodes - len(seen))
        fresh = [row for row in rows if row.run_id not in seen]
        kept = fresh[: min(reach.children, room)]
        more = len(fresh) > len(kept)
        older = RunCursor(kept[-1].created_at, kept[-1].run_id) if more and kept else None
        guide = led.get(parent)
        if guide and guide.run_id not in seen and guide not in kept:
            kept.append(guide)
        below[parent] = _Level(kept, older, more and not kept)
        seen.update(row.run_id for row in kept)
        taken += kept
    return taken


def _assembled(
    levels: list[list[FamilyRow]],
    below: dict[str, _Level],
    tallies: dict[str, tuple[str, int]],
) -> list[FamilyNode]:
    """Build the trees from the lowest level up; no recursion, any depth."""
    made: dict[str, FamilyNode] = {}
    for level in reversed(levels):
        for row in level:
            known = below.get(row.run_id)
            children = tuple(made[child.run_id] for child in known.rows) if known else ()
            worst, waiting = tallies.get(row.run_id, ("", 0))
            made[row.run_id] = FamilyNode(
                row=row,
                children=children,
                worst=_worst([worst, *(child.worst for child in children)]),
                waiting=waiting,
                older=known.older if known else None,
                is_cut=known.is_cut if known else row.children > 0,
            )
    return [made[row.run_id] for row in levels[0]]


def _tallied(tallies: Iterable[ChildTally]) -> dict[str, tuple[str, int]]:
    """Return per run the worst mode of its children, and how many of them wait."""
    found: dict[str, tuple[str, int]] = {}
    for tally in tallies:
        worst, waiting = found.get(tally.parent_run_id, ("", 0))
        mode = _mode_now(tally)
        waits = tally.number if _rank(mode) >= _rank("request_human") else 0
        found[tally.parent_run_id] = (_worst([worst, mode]), waiting + waits)
    return found


def _mode_now(tally: ChildTally) -> str:
    """An ended run asks nothing, unless something of it or below it is still in doubt."""
    if tally.status in _ENDED:
        return "request_human" if tally.is_troubled else ""
    return tally.mode


def _worst(modes: Iterable[str]) -> str:
    worst = max((mode for mode in modes if mode), key=_rank, default="")
    return worst if worst != "resume" else ""


def _rank(mode: str) -> int:
    if not mode:
        return -1
    return _CAUTION.index(mode) if mode in _CAUTION else len(_CAUTION)


def _fork_of(row: FamilyRow) -> Fork | None:
    try:
        members = json.loads(row.metadata)
    except ValueError:
        return None
    if not isinstance(members, dict) or members.get("fork") != "true":
        return None
    sequence = members.get("fork_parent_sequence")
    place = sequence if isinstance(sequence, int) else 0
    return Fork(place, str(members.get("fork_reason") or ""))
