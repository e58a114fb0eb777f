"""The tables of a PostgreSQL store: telling whether they are there, and making them."""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import Corrupted, StoreNewer
from continuum.core.records import NamedTuple
from continuum.store.indexing import rebuild_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.postgres.database import PostgresDatabase

CX_VERSION = 9


class Shape(NamedTuple):
    """What a database says about itself: has it a store, and which version of our tables."""

    has_store: bool
    cx_version: int


def shape_of(database: PostgresDatabase) -> Shape:
    """Return the shape of a database without changing it.

    Raises:
        StoreNewer: our own tables were made by a later version.
    """
    has_store, has_cx = database.one("schema.tables") or (False, False)
    row = database.one("schema.cx_version") if has_cx else None
    version = _number(row[0], database.name) if row else 0
    if version > CX_VERSION:
        raise StoreNewer(
            f"{database.name} has version {version} of the read model, this program knows up to "
            f"{CX_VERSION}; update the program. Nothing was changed"
        )
    return Shape(bool(has_store), version)


def bring_up_to_date(database: PostgresDatabase, at: datetime) -> list[str]:
    """Make or migrate the tables, one process at a time; return what was done, in words."""
    database.begin(None)
    try:
        database.one("schema.lock")
        done = _migrate(database, at)
    except BaseException:
        database.rollback()
        raise
    database.commit()
    return done


def _migrate(database: PostgresDatabase, at: datetime) -> list[str]:
    shape = shape_of(database)
    if shape.cx_version == CX_VERSION:
        return []
    database.run_script("reference")
    missing = database.one("schema.index_is_missing")
    if missing and missing[0]:
        rebuild_index(database)
    for number in range(shape.cx_version + 1, CX_VERSION + 1):
        database.run_script(f"cx_{number}")
        stamp = {"version": str(number), "at": column_time(at)}
        database.run("schema.set_cx_version", stamp)
    return ["added the tables of this program (cx_…) to the store"] if shape.has_store else []


def _number(text: str, name: str) -> int:
    try:
        return int(text)
    except ValueError as exc:
        raise Corrupted(f"{name} has the read model version {text!r}, which is none") from exc
