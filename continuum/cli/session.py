"""What every command is given: the store's address, the terminal and the time."""

from __future__ import annotations

import continuum
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.cli.output import Terminal
    from continuum.store.base import ReadStore, Store


class Session(NamedTuple):
    """One invocation of the command line.

    Attributes:
        db: path or URL of the store.
        db_given: `--db` was given, so `db` is not the default.
        at: when the command started; every event it writes carries it.
    """

    db: str
    db_given: bool
    terminal: Terminal
    at: datetime

    def reading(self) -> ReadStore:
        """Open the store to look at it; nothing is created or changed.

        Raises:
            StoreUnavailable: there is none, or it cannot be read.
        """
        return continuum.open_store(self._address(), read_only=True)

    def writing(self) -> Store:
        """Open the store to change it; a mistyped address creates nothing.

        Raises:
            StoreUnavailable: there is none, or it cannot be written.
        """
        return self._noticed(continuum.open_store(self._address(), create=False))

    def creating(self) -> Store:
        """Open the store to change it, made where there is none.

        Raises:
            StoreUnavailable: it cannot be made or written.
        """
        return self._noticed(continuum.open_store(self._address()))

    def _address(self) -> str:
        """Empty text means a store in memory to the library; here it is a slip."""
        if not self.db.strip():
            raise InvalidInput("--db names no store")
        return self.db

    def _noticed(self, store: Store) -> Store:
        for notice in store.notices:
            self.terminal.note(notice)
        return store
