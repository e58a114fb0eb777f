"""Telling about triggers that are missing, and having them made again."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.services.guards import missing_guards, restore_guards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from continuum.cli.output import Terminal
    from continuum.services.verifications import Order
    from continuum.store.base import ReadStore

_SHOWN = 5


class Guarding(NamedTuple):
    """Which triggers were missing, and whether they were made again."""

    missing: tuple[str, ...]
    restored: bool = False

    @property
    def ok(self) -> bool:
        """True when every trigger is there now."""
        return self.restored or not self.missing

    def document(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        return {"missing_guards": [*self.missing], "guards_restored": self.restored}


def look_at_guards(store: Any, order: Order, *, repair: bool, at: datetime) -> Guarding:
    """Return which triggers are missing; make them again where that is asked for."""
    missing = tuple(missing_guards(store))
    if not missing or not repair:
        return Guarding(missing)
    restore_guards(store, order, at=at)
    return Guarding(missing, restored=True)


def warn_of_guards(terminal: Terminal, store: ReadStore) -> None:
    """Say on standard error when triggers are missing, whatever else is found."""
    text = guards_text(missing_guards(store))
    if text:
        terminal.note(f"warning: {text}")


def guards_text(missing: list[str] | tuple[str, ...]) -> str:
    """Return a sentence about missing triggers; empty when none is."""
    if not missing:
        return ""
    more = len(missing) - _SHOWN
    names = ", ".join(missing[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return (
        f"triggers of this program are gone, off or altered ({names}), so changes of events went "
        "unnoticed since; every verdict walks the whole chain meanwhile. `continuum verify --all "
        "--index --repair-index` makes them again"
    )
