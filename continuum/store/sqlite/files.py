"""How a SQLite file may be opened, told from its first bytes and its companions.

Opening a WAL file for reading in the ordinary way creates `-wal` and `-shm`
beside it. Reading must not, so a reader picks one of three ways:

* `SHARED`: the ordinary read-only way, for files in rollback mode and for WAL
  files whose companions exist, because some process has them open;
* `STILL`: no companion exists, so nobody has the file open: it is read as a
  file that does not change, which the reader checks afterwards;
* `LEFT_WAL`: a log without its index, left by a crash or a copy: the index is
  built in memory, and the reader checks afterwards that nothing changed.
"""

from __future__ import annotations

import os
from enum import Enum
from stat import S_ISDIR

from continuum.core.errors import StoreMissing, StoreUnavailable
from continuum.core.records import NamedTuple

MEMORY = ":memory:"
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_WAL_VERSION = 2


class Access(Enum):
    """How a reader opens the file."""

    SHARED = "mode=ro"
    STILL = "mode=ro&immutable=1"
    LEFT_WAL = "mode=ro&vfs=unix-none"


class FileMark(NamedTuple):
    """What tells whether a file was changed: sizes and times of it and of its log."""

    size: int
    changed_ns: int
    inode: int
    wal_size: int
    wal_changed_ns: int


def file_mark(path: str) -> FileMark:
    """Return the mark of the file at `path`.

    Raises:
        StoreMissing: there is no file.
        StoreUnavailable: it is a folder, or may not be looked at.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError as exc:
        raise StoreMissing(f"no store at {path}; `continuum init` makes one") from exc
    except OSError as exc:
        raise StoreUnavailable(f"{path} cannot be looked at: {exc.strerror}") from exc
    if S_ISDIR(status.st_mode):
        raise StoreUnavailable(f"{path} is a folder; name the store's file in it")
    wal_size, wal_changed_ns = _size_and_time(path + "-wal")
    return FileMark(status.st_size, status.st_mtime_ns, status.st_ino, wal_size, wal_changed_ns)


def access_to(path: str, mark: FileMark) -> Access:
    """Return how to read the file without touching it.

    Raises:
        StoreUnavailable: it cannot be read, or is no SQLite database.
    """
    has_index = mark.wal_size >= 0 and os.path.exists(path + "-shm")
    if has_index or os.path.exists(path + "-journal"):
        # Somebody may have it open, and that may be us. Closing a file that was read by hand
        # takes away every lock this process holds on it, SQLite's own included; the next
        # process would then clear the log away below our connections.
        return Access.SHARED
    header = _header(path)
    if header and not header.startswith(_MAGIC):
        raise StoreUnavailable(f"{path} is not a SQLite database; name another file")
    uses_wal = len(header) == _HEADER_BYTES and _WAL_VERSION in header[18:20]
    if not uses_wal:
        return Access.SHARED
    return Access.LEFT_WAL if mark.wal_size > 0 else Access.STILL


def has_companions(path: str) -> bool:
    """Return whether the file's log or index is there, so that somebody may have it open."""
    return os.path.exists(path + "-shm") or os.path.exists(path + "-wal")


def read_uri(path: str, access: Access) -> str:
    """Return the URI that opens `path` for reading in the way of `access`."""
    plain = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{plain}?{access.value}"


def ensure_folder(path: str) -> None:
    """Raise `StoreMissing` when the folder a new file goes into does not exist."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise StoreMissing(f"the folder {folder} does not exist; make it, then try again")


def _header(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEADER_BYTES)
    except OSError as exc:
        raise StoreUnavailable(f"{path} cannot be read: {exc.strerror}") from exc


def _size_and_time(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return -1, 0
    return status.st_size, status.st_mtime_ns
