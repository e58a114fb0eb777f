"""Reading the read model: head marks, summaries, inbox items, decisions.

A store that only the other client has touched has none of these tables
(`has_read_model` is False). A head mark or a summary is then None, a list is
empty; services that need the rows ask for them through `has_read_model`.
"""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.store.base import MAX_PAGE
from continuum.store.modelport import DecisionRow, HeadMark, Item, ItemCounts, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from continuum.store.database import Database, Row
    from continuum.store.modelport import ItemQuery, SummaryQuery

_ITEM_LISTS = {
    "open": "items.open",
    "unclaimed": "items.open",
    "held": "items.open",
    "mine": "items.open",
    "closed": "items.closed",
}


class ModelTableReads:
    """Rows that are computed from the log, and what people decided."""

    _database: Database
    has_read_model: bool
    has_notes: bool

    def head_mark(self, run_id: str) -> HeadMark | None:
        """Return what triggers keep about a run's log, or None."""
        if not self.has_read_model:
            return None
        row = self._database.one("heads.mark", run_id=run_id)
        return HeadMark._make(row) if row else None

    # -- summaries

    def summary(self, run_id: str) -> Summary | None:
        """Return the run's list row with its snapshot, or None.

        The snapshot is empty when an event it was folded from was touched since.
        """
        if not self.has_read_model:
            return None
        row = self._database.one("summaries.one", run_id=run_id)
        return _summary(row) if row else None

    def summaries(self, query: SummaryQuery) -> list[Summary]:
        """Return one keyset page, newest first; `snapshot` is left empty."""
        if not self.has_read_model:
            return []
        upwards = query.after is not None
        name = "summaries.page_up" if upwards else "summaries.page"
        rows = self._database.all(name, **self._summary_filters(query))
        return [_summary(row) for row in (reversed(rows) if upwards else rows)]

    def current_child_summaries(self, run_id: str, now: datetime) -> list[Summary]:
        """Return the children's rows that lag behind nothing; `snapshot` left empty."""
        if not self.has_read_model:
            return []
        rows = self._database.all("summaries.current_children", run_id=run_id, now=column_time(now))
        return [_summary(row) for row in rows]

    def stale_runs(self, limit: int, now: datetime) -> list[str]:
        """Return runs whose summary lags behind their log, row or clock; oldest mark first."""
        if not self.has_read_model:
            return []
        marked = [row[0] for row in self._database.all("heads.stale", limit=limit)]
        room = limit - len(marked)
        if room <= 0:
            return marked
        expired = self._database.all("summaries.expired", now=column_time(now), limit=room)
        return list(dict.fromkeys([*marked, *(row[0] for row in expired)]))

    def run_estimate(self) -> int:
        """Return about how many runs there are, without counting a big table."""
        row = self._database.one("schema.run_estimate")
        return int(row[0]) if row else 0

    # -- items

    def item(self, item_id: str) -> Item | None:
        """Return one inbox row, open or closed, or None."""
        if not self.has_read_model:
            return None
        row = self._database.one("items.one", item_id=item_id, desk=self.has_notes or None)
        return Item(*row) if row else None

    def items(self, query: ItemQuery) -> list[Item]:
        """Return one keyset page of the inbox."""
        if not self.has_read_model:
            return []
        filters = _item_filters(query)
        if self.has_notes:
            filters["desk"] = True
        return [Item(*row) for row in self._database.all(_ITEM_LISTS[query.state], **filters)]

    def item_counts(self, person: str, since: str) -> ItemCounts:
        """Return what the tabs say; only open and recently closed rows are counted."""
        if not self.has_read_model:
            return ItemCounts(0, 0, 0, 0, None, None)
        row = self._database.one("items.counts", person=person, since=since)
        return ItemCounts(*row) if row else ItemCounts(0, 0, 0, 0, None, None)

    def matching_counts(self, query: ItemQuery) -> ItemCounts:
        """Return what the tabs of a narrowed list say, by the conditions of the list itself."""
        if not self.has_read_model:
            return ItemCounts(0, 0, 0, 0, None, None)
        row = self._database.one("items.matching_counts", **_item_filters(query))
        return ItemCounts(*row) if row else ItemCounts(0, 0, 0, 0, None, None)

    # -- decisions

    def decision(self, request_id: str) -> DecisionRow | None:
        """Return what was decided under a request id, or None."""
        if not self.has_read_model:
            return None
        row = self._database.one("decisions.one", request_id=request_id)
        return DecisionRow._make(row) if row else None

    def decisions(self, run_id: str) -> list[DecisionRow]:
        """Return the decisions on a run in the order of their events."""
        if not self.has_read_model:
            return []
        return [
            DecisionRow._make(row) for row in self._database.all("decisions.of_run", run_id=run_id)
        ]

    def _summary_filters(self, query: SummaryQuery) -> dict[str, Any]:
        cursor = query.after or query.before
        return {
            "modes": self._database.values(query.modes or None),
            "statuses": self._database.values(query.statuses or None),
            "needs_person": True if query.needs_person else None,
            "needs_nobody": True if query.needs_person is False else None,
            "parent_run_id": query.parent_run_id,
            "roots": True if query.roots else None,
            "waiting": True if query.waiting else None,
            "caller": query.caller or None,
            "pattern": _pattern(query.text),
            "since": query.since or None,
            "created_at": cursor.created_at if cursor else None,
            "run_id": cursor.run_id if cursor else None,
            "limit": min(query.limit, MAX_PAGE),
        }


def _item_filters(query: ItemQuery) -> dict[str, Any]:
    severity, moment, item_id = query.after or (None, None, None)
    return {
        "unclaimed": True if query.state == "unclaimed" else None,
        "held": True if query.state == "held" else None,
        "mine": True if query.state == "mine" else None,
        "person": query.person,
        "verdicts": True if query.kinds == ("verdict",) else None,
        "actions": True if query.kinds == ("action",) else None,
        "run_id": query.run_id or None,
        "action_type": query.action_type or None,
        "caller": query.caller or None,
        "parent_run_id": query.parent_run_id or None,
        "pattern": _pattern(query.text),
        "type_pattern": _pattern(query.type_text),
        "caller_pattern": _pattern(query.caller_text),
        "family": query.family or None,
        "mode": query.mode or None,
        "until": query.until or None,
        "since": query.since or None,
        "severity": severity,
        "moment": moment,
        "item_id": item_id,
        "limit": min(query.limit, MAX_PAGE),
    }


def _pattern(text: str) -> str | None:
    """Return a LIKE pattern for `text` anywhere, its own wildcards taken literally."""
    if not text:
        return None
    plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{plain}%"


def _summary(row: Row) -> Summary:
    summary = Summary._make(row)
    return summary._replace(safe=bool(summary.safe))
