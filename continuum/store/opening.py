"""From an address to a store.

An address without `://` is a file name, taken literally. `:memory:`, empty
text, `sqlite://` and `sqlite:///` are a private store in memory.
`sqlite://PATH` is a file, `postgresql://…` and `postgres://…` a database
(store.md 3).
"""

from __future__ import annotations

from sys import modules

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.store.base import Store

WAIT_SECONDS = 30.0
"""How long a writer waits for another one before it gives up."""

_MEMORY = ":memory:"
_IN_MEMORY = ("", _MEMORY, "sqlite://", "sqlite:///")
_SQLITE = "sqlite://"
_POSTGRES = ("postgresql://", "postgres://")


class Address(NamedTuple):
    """Where a store is: a back end, and a file path or a connection URL."""

    backend: str
    place: str


def open_store(
    url: str,
    *,
    read_only: bool = False,
    create: bool = True,
    wait_seconds: float = WAIT_SECONDS,
) -> Store:
    """Return the store at `url`.

    Args:
        read_only: create and change nothing, on disk or in the store.
        create: make a store where there is none; without it that is refused.
        wait_seconds: how long to wait for another writer.

    Raises:
        InvalidInput: the address has a scheme that is not supported.
        StoreMissing: there is no store, and none may be made.
        StoreNewer: it was made by a later version; nothing was changed.
        StoreUnavailable: it cannot be opened.
    """
    backend, place = parse_address(url)
    store = _backend(backend)
    if read_only and place != _MEMORY:
        opened: Store = store.open_for_reading(place, url, wait_seconds=wait_seconds)
        return opened
    opened = store.open_for_writing(place, url, create=create, wait_seconds=wait_seconds)
    return opened


def parse_address(url: str) -> Address:
    """Return which back end an address means, and where its data are.

    Raises:
        InvalidInput: the scheme is not supported.
    """
    if url in _IN_MEMORY:
        return Address("sqlite", _MEMORY)
    if url.startswith(_SQLITE):
        return Address("sqlite", url.removeprefix(_SQLITE))
    if url.startswith(_POSTGRES):
        return Address("postgres", f"postgresql://{url.partition('://')[2]}")
    if "://" in url:
        scheme = url.partition("://")[0]
        raise InvalidInput(
            f"{scheme}:// is no address of a store; give a file name, sqlite://PATH or "
            "postgresql://HOST/DATABASE"
        )
    return Address("sqlite", url)


def _backend(name: str) -> Any:
    # The one dynamic import: the drivers cost 3 and 100 ms, so a command that
    # opens no store loads neither, and one that opens a file never psycopg.
    module = f"continuum.store.{name}.store"
    __import__(module)
    return modules[module]
