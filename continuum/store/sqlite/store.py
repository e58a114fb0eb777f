"""Opening a SQLite file as a store."""

from __future__ import annotations

import os

from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError, StoreMissing
from continuum.store.sqlite.database import connect_for_writing
from continuum.store.sqlite.files import MEMORY, ensure_folder
from continuum.store.sqlite.reader import SqliteReader
from continuum.store.sqlite.schema import CX_VERSION, Shape, bring_up_to_date
from continuum.store.sqlstore import SqlStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from continuum.domain.events import Draft, Event
    from continuum.store.database import Database


class SqliteStore(SqlStore):
    """A store in a file. Its write lock covers all runs, so an append looks up none first."""

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Append in one transaction of its own."""
        with self.writing() as writer:
            return writer.append(run_id, drafts, expected=expected)


def open_for_reading(path: str, url: str, *, wait_seconds: float) -> SqliteStore:
    """Return a store that creates and changes nothing on disk.

    Raises:
        StoreMissing: there is no file, or it holds no store.
        StoreNewer: it was made by a later version.
        StoreUnavailable: it cannot be read.
    """
    reader = SqliteReader(path, wait_seconds=wait_seconds)
    return _store(reader, url, path, cx_version=reader.shape.cx_version)


def open_for_writing(path: str, url: str, *, create: bool, wait_seconds: float) -> SqliteStore:
    """Return a store that may be written, made or migrated as needed.

    Raises:
        StoreMissing: there is none and `create` is false, or no folder for it.
        StoreNewer: it was made by a later version; nothing was changed.
        StoreUnavailable: it cannot be opened.
    """
    shape = _shape_before_opening(path, create=create, wait_seconds=wait_seconds)
    database = connect_for_writing(path, wait_seconds=wait_seconds)
    notices: Sequence[str] = ()
    if not (shape.is_current and shape.cx_version == CX_VERSION):
        try:
            notices = bring_up_to_date(database, utc_now())
        except ContinuumError:
            database.close()
            raise
    return _store(database, url, path, cx_version=CX_VERSION, notices=notices)


def _shape_before_opening(path: str, *, create: bool, wait_seconds: float) -> Shape:
    """Return what the file says, without opening it in a way that could change it."""
    nothing = Shape(None, False, 0)
    if path == MEMORY:
        return nothing
    try:
        reader = SqliteReader(path, wait_seconds=wait_seconds)
    except StoreMissing:
        if not create:
            raise
        ensure_folder(path)
        return nothing
    reader.close()
    return reader.shape


def _store(
    database: Database,
    url: str,
    path: str,
    *,
    cx_version: int,
    notices: Sequence[str] = (),
) -> SqliteStore:
    name = "memory" if path == MEMORY else os.path.basename(path)
    return SqliteStore(database, url=url, name=name, cx_version=cx_version, notices=notices)
