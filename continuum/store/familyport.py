"""The part of the store port that walks families; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.store.modelport import RunCursor


class FamilyRow(NamedTuple):
    """A run as a member of its family.

    Attributes:
        mode: as presented, so with everything below it.
        waits: something of it is open in the inbox.
        children: how many it has, as last judged.
        metadata: JSON of the run's row; says whether it is a fork.
    """

    run_id: str
    parent_run_id: str | None
    goal: str
    status: str
    mode: str
    safe: bool
    open_actions: int
    children: int
    blocked_children: int
    waits: bool
    created_at: str
    metadata: str


class ChildTally(NamedTuple):
    """How many children of a run stand alike."""

    parent_run_id: str
    mode: str
    status: str
    is_troubled: bool
    """An action of it is unresolved, or something below it is blocked."""
    number: int


class FamilyReads(Protocol):
    """Looking; empty in a store without a read model."""

    def family_members(self, run_ids: Iterable[str]) -> list[FamilyRow]:
        """Return the rows of runs by their ids, in no order."""

    def family_level(
        self,
        parents: Iterable[str],
        *,
        waiting: bool = False,
        before: RunCursor | None = None,
        limit: int,
    ) -> list[FamilyRow]:
        """Return children of several runs, newest first, at most `limit` of each.

        Args:
            waiting: only those for which, or for something below which, a person is waited for.
        """

    def child_tallies(self, parents: Iterable[str]) -> list[ChildTally]:
        """Return how the children of several runs stand, all of them counted."""
