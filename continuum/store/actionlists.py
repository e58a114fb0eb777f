"""Lists of the actions of all runs: shared by both back ends."""

from __future__ import annotations

from continuum.store.actionport import ListedAction
from continuum.store.base import MAX_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.store.actionport import ActionQuery
    from continuum.store.database import Database

_LAST_CHARACTER = "\U0010ffff"


class ActionListReads:
    """Pages over the ledgers of all runs."""

    _database: Database
    has_action_lists: bool

    def open_actions(self, query: ActionQuery) -> list[ListedAction]:
        """Return actions whose outcome nobody knows, longest open first."""
        return self._listed("actions.open", query)

    def settled_actions(self, query: ActionQuery) -> list[ListedAction]:
        """Return all others, newest first."""
        return self._listed("actions.settled", query)

    def item_holders(self, item_ids: Iterable[str]) -> dict[str, str]:
        """Return who works on those of the inbox items that somebody works on."""
        if not self.has_action_lists:
            return {}
        wanted = self._database.values(item_ids)
        return dict(self._database.all("actions.holders", wanted=wanted))

    def _listed(self, name: str, query: ActionQuery) -> list[ListedAction]:
        if not self.has_action_lists:
            return []
        rows = self._database.all(name, **self._filters(query))
        return [_listed(row) for row in rows]

    def _filters(self, query: ActionQuery) -> dict[str, Any]:
        cursor = query.after
        return {
            "statuses": self._database.values(query.statuses or None),
            "action_type": query.action_type or None,
            "pattern": f"%{_plain(query.text)}%" if query.text else None,
            "outside": query.external_id or None,
            "outside_end": query.external_id + _LAST_CHARACTER,
            "outside_pattern": _plain(query.external_id) + "%",
            "since": query.since or None,
            "until": query.until or None,
            "moment": cursor.moment if cursor else None,
            "run_id": cursor.run_id if cursor else None,
            "key": cursor.key if cursor else None,
            "limit": min(query.limit, MAX_PAGE),
        }


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _listed(row: tuple[Any, ...]) -> ListedAction:
    action = ListedAction._make(row)
    return action._replace(is_open=bool(action.is_open))
