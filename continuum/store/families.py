"""Families, level by level: shared by both back ends."""

from __future__ import annotations

from continuum.store.base import MAX_PAGE
from continuum.store.familyport import ChildTally, FamilyRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.store.database import Database
    from continuum.store.modelport import RunCursor


class FamilyTableReads:
    """Members of families from the read model."""

    _database: Database
    has_read_model: bool

    def family_members(self, run_ids: Iterable[str]) -> list[FamilyRow]:
        """Return the rows of runs by their ids, in no order."""
        if not self.has_read_model:
            return []
        rows = self._database.all("families.members", wanted=self._database.values(run_ids))
        return [_member(row) for row in rows]

    def family_level(
        self,
        parents: Iterable[str],
        *,
        waiting: bool = False,
        before: RunCursor | None = None,
        limit: int,
    ) -> list[FamilyRow]:
        """Return children of several runs, newest first, at most `limit` of each."""
        if not self.has_read_model:
            return []
        rows = self._database.all(
            "families.level",
            parents=self._database.values(parents),
            waiting=True if waiting else None,
            created_at=before.created_at if before else None,
            before_run_id=before.run_id if before else None,
            limit=min(limit, MAX_PAGE),
        )
        return [_member(row) for row in rows]

    def child_tallies(self, parents: Iterable[str]) -> list[ChildTally]:
        """Return how the children of several runs stand, all of them counted."""
        if not self.has_read_model:
            return []
        rows = self._database.all("families.tallies", parents=self._database.values(parents))
        return [ChildTally(*row)._replace(is_troubled=bool(row[3])) for row in rows]


def _member(row: tuple[Any, ...]) -> FamilyRow:
    member = FamilyRow._make(row)
    return member._replace(safe=bool(member.safe), waits=bool(member.waits))
