"""The actions of all runs: what nobody has settled first, longest waiting first."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED
from continuum.services.inbox import item_id_of
from continuum.store.actionport import ActionCursor as ActionCursor
from continuum.store.actionport import ActionQuery as ActionQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.actionport import ListedAction
    from continuum.store.base import ReadStore

OPEN_STATUSES = tuple(sorted(map(str, UNRESOLVED)))


class ActionRow(NamedTuple):
    """An action in the list, and who works on it."""

    action: ListedAction
    claimed_by: str | None


class ActionListPage(NamedTuple):
    """One page: open ones, then those that are settled, newest first.

    Attributes:
        next: where the next page goes on; None at the end.
    """

    open: tuple[ActionRow, ...]
    settled: tuple[ActionRow, ...]
    next: ActionCursor | None


def list_all_actions(store: ReadStore, query: ActionQuery) -> ActionListPage:
    """Return one page over the ledgers of all runs.

    The rows are as new as the read model: a run that another client has just
    written to shows its new actions once it is judged again.
    """
    with store.reading():
        rows = _read(store, query._replace(limit=query.limit + 1))
        shown = rows[: query.limit]
        holders = store.item_holders(
            item_id_of(one.run_id, "action", one.key) for one in shown if one.is_open
        )
    listed = [
        ActionRow(one, holders.get(item_id_of(one.run_id, "action", one.key))) for one in shown
    ]
    return ActionListPage(
        tuple(row for row in listed if row.action.is_open),
        tuple(row for row in listed if not row.action.is_open),
        shown[-1].cursor if len(rows) > query.limit else None,
    )


def _read(store: ReadStore, query: ActionQuery) -> list[ListedAction]:
    rows: list[ListedAction] = []
    if query.after is None or query.after.is_open:
        rows = store.open_actions(query)
        query = query._replace(after=None)
    if len(rows) < query.limit:
        rows += store.settled_actions(query._replace(limit=query.limit - len(rows)))
    return rows
