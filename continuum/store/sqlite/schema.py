"""The shape of a SQLite store: telling it, making it, and bringing older ones up to date.

Everything happens in one transaction: the tables, every step with its stamp,
and our own tables, so a crash leaves the store as it was.
"""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import Corrupted, StoreNewer
from continuum.core.records import NamedTuple
from continuum.store.indexing import rebuild_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.sqlite.database import SqliteDatabase

SCHEMA_VERSION = 6
"""The highest version both clients know; a greater stamp would lock the other one out."""
CX_VERSION = 8

_STEP_NAMES = {
    2: "add_versions_table_and_event_provenance",
    3: "add_action_index_projection",
    4: "add_langgraph_checkpoint_tables",
    5: "add_events_archive",
    6: "add_runs_parent_column",
}
_LATER_COLUMNS = (
    ("events", "source", "schema.add_event_source"),
    ("events", "prev_hash", "schema.add_event_prev_hash"),
    ("runs", "parent_run_id", "schema.add_run_parent"),
)


class Shape(NamedTuple):
    """What a store says about itself.

    Attributes:
        version: the stamp, or None without one.
        has_runs: False for a file that holds no store.
        cx_version: the version of our own tables, 0 without them.
    """

    version: int | None
    has_runs: bool
    cx_version: int

    @property
    def is_current(self) -> bool:
        """True when both clients can use the shared tables as they are."""
        return self.version == SCHEMA_VERSION and self.has_runs


def shape_of(database: SqliteDatabase) -> Shape:
    """Return the shape of a store without changing it.

    Raises:
        StoreNewer: it was made by a later version.
        Corrupted: its stamp is no version.
    """
    tables = {row[0] for row in database.all("schema.tables")}
    version = _stamp(database, "schema.version") if "continuum_meta" in tables else None
    cx_version = _stamp(database, "schema.cx_version") if "cx_meta" in tables else None
    if (version or 0) > SCHEMA_VERSION or (cx_version or 0) > CX_VERSION:
        raise StoreNewer(
            f"{database.path} has schema version {version}, this program knows up to "
            f"{SCHEMA_VERSION}; update the program. Nothing was changed"
        )
    return Shape(version, "runs" in tables, cx_version or 0)


def bring_up_to_date(database: SqliteDatabase, at: datetime) -> list[str]:
    """Make or migrate the tables; return what was done, in words for people."""
    database.begin(None)
    try:
        done = _migrate(database, at)
    except BaseException:
        database.rollback()
        raise
    database.commit()
    return done


def make_reference_tables(database: SqliteDatabase, shape: Shape, at: datetime) -> None:
    """Bring the shared tables to version 6, whatever of them is there."""
    had_index_rows = (shape.version or 0) >= _step("add_action_index_projection")
    database.run_script("reference")
    for table, column, statement in _LATER_COLUMNS:
        columns = {row[0] for row in database.all("schema.columns", table=table)}
        if column not in columns:
            database.run(statement, {})
    database.run_script("reference_indexes")
    if not had_index_rows:
        rebuild_index(database)
    _record_steps(database, shape.version, at)
    database.run("schema.set_version", {"version": str(SCHEMA_VERSION)})


def _migrate(database: SqliteDatabase, at: datetime) -> list[str]:
    shape = shape_of(database)
    done = []
    if not shape.is_current:
        make_reference_tables(database, shape, at)
        if shape.version is not None:
            done.append(f"migrated the store from schema {shape.version} to {SCHEMA_VERSION}")
    for number in range(shape.cx_version + 1, CX_VERSION + 1):
        database.run_script(f"cx_{number}")
        stamp = {"version": str(number), "at": column_time(at)}
        database.run("schema.set_cx_version", stamp)
    if shape.has_runs and shape.cx_version < CX_VERSION:
        done.append("added the tables of this program (cx_…) to the store")
    return done


def _record_steps(database: SqliteDatabase, version: int | None, at: datetime) -> None:
    steps = {6: "baseline"} if version is None else _STEP_NAMES
    for number, name in steps.items():
        if number > (version or 0):
            row = {"version": number, "name": name, "at": column_time(at)}
            database.run("schema.record_migration", row)


def _step(name: str) -> int:
    return next(number for number, known in _STEP_NAMES.items() if known == name)


def _stamp(database: SqliteDatabase, statement: str) -> int | None:
    row = database.one(statement)
    if row is None:
        return None
    try:
        version = int(row[0])
    except ValueError:
        version = 0
    if version < 1:
        raise Corrupted(f"{database.path} has the schema version {row[0]!r}, which is none")
    return version
