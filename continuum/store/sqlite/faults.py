"""SQLite's errors as the errors of this house: the one place that knows both."""

from __future__ import annotations

import sqlite3

from continuum.core.errors import (
    Conflict,
    ContinuumError,
    Corrupted,
    InvalidInput,
    StoreLocked,
    StoreReadOnly,
    StoreUnavailable,
    UnreadableRecord,
)

DRIVER_ERRORS = (sqlite3.Error, UnicodeEncodeError, OverflowError)
"""What calls of the driver raise for bad data or a bad file."""

_PRIMARY = 0xFF


def is_busy(exc: BaseException) -> bool:
    """True when another connection holds a lock that is needed."""
    return _code(exc) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_missing_run(exc: BaseException) -> bool:
    """True when a row names a run that does not exist."""
    return getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY


def is_duplicate(exc: BaseException) -> bool:
    """True when a row with the same key exists."""
    return getattr(exc, "sqlite_errorcode", 0) in (
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    )


def translated(exc: Exception, path: str) -> ContinuumError:
    """Return the error that says what a driver error means for the store at `path`."""
    if isinstance(exc, UnicodeEncodeError):
        return InvalidInput("text with half of a surrogate pair cannot be stored here")
    if isinstance(exc, OverflowError):
        return InvalidInput("the number is too large for a column of the store")
    if "Could not decode to UTF-8" in str(exc):
        return UnreadableRecord(f"the store {path} holds a text that is not UTF-8")
    make = _MEANINGS.get(_code(exc), _unclassified)
    return make(path, exc)


def _code(exc: BaseException) -> int:
    return int(getattr(exc, "sqlite_errorcode", 0)) & _PRIMARY


def _unclassified(path: str, exc: Exception) -> ContinuumError:
    return StoreUnavailable(f"the store {path} cannot be used: {exc}")


def _locked(path: str, exc: Exception) -> ContinuumError:
    return StoreLocked(f"another process holds the lock of {path}; try again when it is done")


def _read_only(path: str, exc: Exception) -> ContinuumError:
    return StoreReadOnly(f"{path} cannot be written: check the rights of the file and its folder")


def _damaged(path: str, exc: Exception) -> ContinuumError:
    return Corrupted(f"the file {path} is damaged ({exc}); restore it from a backup")


def _full(path: str, exc: Exception) -> ContinuumError:
    return StoreUnavailable(f"no room is left to write {path}; nothing was written")


def _no_file(path: str, exc: Exception) -> ContinuumError:
    return StoreUnavailable(
        f"{path} cannot be opened; check that its folder exists and may be written"
    )


def _failed_disk(path: str, exc: Exception) -> ContinuumError:
    return StoreUnavailable(f"the disk failed while using {path} ({exc}); nothing was written")


def _conflict(path: str, exc: Exception) -> ContinuumError:
    return Conflict(f"the store refused the row: {exc}; read the run again and retry")


_MEANINGS = {
    sqlite3.SQLITE_BUSY: _locked,
    sqlite3.SQLITE_LOCKED: _locked,
    sqlite3.SQLITE_READONLY: _read_only,
    sqlite3.SQLITE_PERM: _read_only,
    sqlite3.SQLITE_CORRUPT: _damaged,
    sqlite3.SQLITE_NOTADB: _damaged,
    sqlite3.SQLITE_FULL: _full,
    sqlite3.SQLITE_CANTOPEN: _no_file,
    sqlite3.SQLITE_IOERR: _failed_disk,
    sqlite3.SQLITE_CONSTRAINT: _conflict,
}
