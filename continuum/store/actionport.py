"""The part of the store port that lists the actions of all runs; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class ActionCursor(NamedTuple):
    """A place in a list of actions.

    Attributes:
        is_open: whether the row is among the open ones, which come first.
    """

    is_open: bool
    moment: str
    run_id: str
    key: str


class ActionQuery(NamedTuple):
    """Filters of the list of actions. Empty members do not filter.

    Attributes:
        text: somewhere in run id, goal, type or key, in any case.
        external_id: how what the outside calls it begins, exactly.
        since, until: column times between which an open one began or another was settled.
    """

    statuses: tuple[str, ...] = ()
    action_type: str = ""
    text: str = ""
    external_id: str = ""
    since: str = ""
    until: str = ""
    after: ActionCursor | None = None
    limit: int = 50


class ListedAction(NamedTuple):
    """One row of the list.

    Attributes:
        status: as recorded; `unreadable` where a record of it is malformed.
        attempts: how often it was begun.
        moment: since when it is open, or when it was settled.
        goal: of its run.
    """

    run_id: str
    key: str
    action_id: str
    action_type: str
    status: str
    external_id: str | None
    attempts: int
    moment: str
    is_open: bool
    goal: str

    @property
    def cursor(self) -> ActionCursor:
        """Return the place of the row."""
        return ActionCursor(self.is_open, self.moment, self.run_id, self.key)


class ActionReads(Protocol):
    """Looking; empty in a store without the columns."""

    has_action_lists: bool

    def open_actions(self, query: ActionQuery) -> list[ListedAction]:
        """Return actions whose outcome nobody knows, longest open first."""

    def settled_actions(self, query: ActionQuery) -> list[ListedAction]:
        """Return all others, newest first."""

    def item_holders(self, item_ids: Iterable[str]) -> dict[str, str]:
        """Return who works on those of the inbox items that somebody works on."""


class ActionWrites(Protocol):
    """Bringing up to date, inside a transaction."""

    def catch_up_ledger(self, run_id: str) -> None:
        """Bring the rows of the run's actions up to its log, whoever wrote there.

        Raises:
            UnreadableRecord: a ledger event cannot be read.
        """
