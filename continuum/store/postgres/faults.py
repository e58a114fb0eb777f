"""psycopg's errors as the errors of this house: the one place that knows both."""

from __future__ import annotations

import psycopg
from psycopg import errors

from continuum.core.errors import (
    Conflict,
    ConnectionLost,
    ContinuumError,
    InvalidInput,
    StoreLocked,
    StoreMissing,
    StoreReadOnly,
    StoreUnavailable,
    UnreadableRecord,
)

DRIVER_ERRORS = (psycopg.Error, UnicodeEncodeError)
"""What calls of the driver raise for bad data or a bad connection."""

_CONTENTION = (
    errors.LockNotAvailable,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.QueryCanceled,
)
_NO_RIGHT = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)


def is_duplicate(exc: BaseException) -> bool:
    """True when a row with the same key exists."""
    return isinstance(exc, errors.UniqueViolation)


def is_missing_run(exc: BaseException) -> bool:
    """True when a row names a run that does not exist."""
    return isinstance(exc, errors.ForeignKeyViolation)


def translated(exc: Exception, name: str) -> ContinuumError:
    """Return the error that says what a driver error means for the store called `name`."""
    reason = _one_line(exc)
    for kinds, make in _MEANINGS:
        if isinstance(exc, kinds):
            return make(name, reason)
    return StoreUnavailable(f"the store {name} cannot be used: {reason}")


def not_reached(exc: Exception, name: str) -> ContinuumError:
    """Return the error for a connection that could not be made."""
    return StoreUnavailable(
        f"the database {name} cannot be reached: {_one_line(exc)}; check the address and that "
        "the server runs"
    )


def lost(name: str) -> ConnectionLost:
    """Return the error for a connection that broke when nothing had been committed."""
    return ConnectionLost(f"the connection to {name} was lost; nothing was written, try again")


def _one_line(exc: Exception) -> str:
    return " ".join(str(exc).split()) or type(exc).__name__


def _half_surrogate(name: str, reason: str) -> ContinuumError:
    return InvalidInput("text with half of a surrogate pair cannot be stored here")


def _locked(name: str, reason: str) -> ContinuumError:
    return StoreLocked(f"others hold a lock in {name} ({reason}); try again")


def _read_only(name: str, reason: str) -> ContinuumError:
    return StoreReadOnly(f"{name} cannot be written by this user or server ({reason})")


def _conflict(name: str, reason: str) -> ContinuumError:
    return Conflict(f"the store refused the row ({reason}); read the run again and retry")


def _unreadable(name: str, reason: str) -> ContinuumError:
    return UnreadableRecord(f"a record in {name} cannot be read: {reason}")


def _bad_value(name: str, reason: str) -> ContinuumError:
    return InvalidInput(f"{name} cannot hold the value: {reason}")


def _no_tables(name: str, reason: str) -> ContinuumError:
    return StoreMissing(f"{name} holds no store ({reason}); `continuum init` makes one")


def _full(name: str, reason: str) -> ContinuumError:
    return StoreUnavailable(f"the server of {name} has no room left; nothing was written")


_MEANINGS = (
    ((UnicodeEncodeError,), _half_surrogate),
    (_CONTENTION, _locked),
    (_NO_RIGHT, _read_only),
    ((errors.IntegrityError,), _conflict),
    ((errors.InvalidTextRepresentation,), _unreadable),
    ((errors.DataError,), _bad_value),
    ((errors.UndefinedTable,), _no_tables),
    ((errors.DiskFull,), _full),
)
