"""Opening a SQLite file whose companions were left broken by a crash (mcp.md 1.2).

`-shm` is an index and can be built anew, so it may be deleted. `-wal` may hold
committed transactions, so it is never deleted: it is moved aside, and moved
back where that did not help. While another process has the file open, nothing
is touched.
"""

from __future__ import annotations

import fcntl
import os

from continuum.core.errors import (
    StoreChanged,
    StoreLocked,
    StoreMissing,
    StoreNewer,
    StoreUnavailable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from continuum.store.base import Store

_OTHER_CAUSES = (StoreMissing, StoreLocked, StoreNewer, StoreChanged)
"""What clearing companions cannot help with."""

# SQLite's shared locks on a database file: while it is open in WAL mode, every
# connection holds one.
_SHARED_FIRST = 0x40000002
_SHARED_SIZE = 510


def open_after_crash(path: str, attempt: Callable[[], Store], warn: Callable[[str], None]) -> Store:
    """Return what `attempt` opens, after clearing broken companions of `path` if need be.

    Args:
        warn: told where a log was moved to.

    Raises:
        StoreUnavailable: the file cannot be opened, or a companion not be cleared.
    """
    try:
        return attempt()
    except StoreUnavailable as exc:
        if isinstance(exc, _OTHER_CAUSES) or not _has_companions(path) or _is_open(path):
            raise
        failure = exc
    return _without_index(path, attempt) or _without_log(path, attempt, warn, failure)


def _has_companions(path: str) -> bool:
    return os.path.lexists(f"{path}-shm") or os.path.lexists(f"{path}-wal")


def _without_index(path: str, attempt: Callable[[], Store]) -> Store | None:
    index = f"{path}-shm"
    if not os.path.lexists(index):
        return None
    try:
        os.unlink(index)
    except OSError as exc:
        raise _stuck(index, "removed", exc) from exc
    try:
        return attempt()
    except StoreUnavailable:
        return None


def _without_log(
    path: str, attempt: Callable[[], Store], warn: Callable[[str], None], failure: StoreUnavailable
) -> Store:
    log = f"{path}-wal"
    if not os.path.lexists(log):
        raise failure
    aside = _free_name(f"{log}.orphaned")
    try:
        os.rename(log, aside)
    except OSError as exc:
        raise _stuck(log, "moved aside", exc) from exc
    try:
        store = attempt()
    except StoreUnavailable:
        os.rename(aside, log)
        raise
    warn(
        f"{path} could not be opened with its log, which is now {aside}; it may hold committed "
        "transactions that are missing from the database, so keep it"
    )
    return store


def _free_name(name: str) -> str:
    number, free = 0, name
    while os.path.lexists(free):
        number += 1
        free = f"{name}.{number}"
    return free


def _is_open(path: str) -> bool:
    """Return whether another process has the database open."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False  # nobody can tell; the companions then cannot be cleared either
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _stuck(path: str, verb: str, exc: OSError) -> StoreUnavailable:
    return StoreUnavailable(
        f"the store cannot be opened and {path} cannot be {verb}: {exc.strerror or exc}; "
        "look at it, then start again"
    )
