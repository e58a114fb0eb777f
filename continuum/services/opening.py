"""Opening a store for a server that may find what a crash left behind."""

from __future__ import annotations

from continuum.store.opening import open_store, parse_address
from continuum.store.sqlite.sidecars import open_after_crash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from continuum.store.base import Store


def open_for_serving(url: str, *, warn: Callable[[str], None]) -> Store:
    """Return the store at `url`, made if it is missing.

    A SQLite file that cannot be opened because of its companions is tried
    again without them (`store.sqlite.sidecars`).

    Args:
        warn: told in one sentence what was moved aside.

    Raises:
        StoreUnavailable: it cannot be opened.
    """
    address = parse_address(url)
    if address.backend != "sqlite" or address.place == ":memory:":
        return open_store(url)
    return open_after_crash(address.place, lambda: open_store(url), warn)
