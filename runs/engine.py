"""The console's connections to the store: one per thread, opened on first use.

A connection is kept between requests and thrown away when it was idle and no
longer answers, when the file below it was replaced, or when a request met a
store error; the next request opens a new one.
"""

from __future__ import annotations

import os
import threading
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from continuum import open_store
from continuum.core.errors import ContinuumError, StoreReadOnly, StoreUnavailable
from continuum_site.databases import store_path

if TYPE_CHECKING:
    from continuum.store.base import Store

_IDLE_SECONDS = 20.0
_local = threading.local()


class _Kept(NamedTuple):
    url: str
    store: Store
    file: tuple[int, int] | None
    used: float


def current_store(url: str) -> Store:
    """Return this thread's connection to the store at `url`, open and answering.

    A store that cannot be written is opened for reading, so that it can be
    looked at; a decision then fails with `StoreReadOnly`.

    Raises:
        StoreUnavailable: there is no store, or it cannot be opened.
    """
    kept: _Kept | None = getattr(_local, "kept", None)
    if kept is not None and not _is_usable(kept, url):
        drop_store()
        kept = None
    store = kept.store if kept else _open(url)
    _local.kept = _Kept(url, store, _file_identity(url), monotonic())
    return store


def open_apart(url: str) -> Store:
    """Return a connection of its own, to be closed by whoever asked for it.

    Raises:
        StoreUnavailable: there is no store, or it cannot be opened.
    """
    return _open(url)


def drop_store() -> None:
    """Close this thread's connection, if it has one."""
    kept: _Kept | None = getattr(_local, "kept", None)
    _local.kept = None
    if kept is not None:
        kept.store.close()


def _open(url: str) -> Store:
    try:
        return open_store(url, create=False, wait_seconds=settings.STORE_WAIT_SECONDS)
    except StoreReadOnly:
        return open_store(url, read_only=True, create=False)


def _is_usable(kept: _Kept, url: str) -> bool:
    if kept.url != url or kept.file != _file_identity(url):
        return False
    if monotonic() - kept.used < _IDLE_SECONDS:
        return True
    try:
        kept.store.active_run()
    except StoreUnavailable:
        return False
    except ContinuumError:
        return True  # it answers; what it holds is for the pages to say
    return True


def _file_identity(url: str) -> tuple[int, int] | None:
    path = store_path(url)
    if path is None:
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
