"""A PostgreSQL database as a store."""

from __future__ import annotations

from contextlib import contextmanager

from continuum.core.clock import utc_now
from continuum.core.errors import Conflict, ConnectionLost, ContinuumError, StaleHead, StoreMissing
from continuum.core.ids import new_ids
from continuum.domain.events import ACTION_EVENTS, Head, seal
from continuum.store.postgres.database import PostgresDatabase
from continuum.store.postgres.schema import CX_VERSION, bring_up_to_date, shape_of
from continuum.store.sqlstore import SqlStore
from continuum.store.writer import ensure_no_archive, events_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from continuum.domain.events import Draft, Event, EventRow

HEADS_REMEMBERED = 1000
LOCKED_APPENDS_AFTER_A_COLLISION = 20
_TRIES = 5


class PostgresStore(SqlStore):
    """A store that appends a single event in one round trip where it can.

    The head of a run is remembered after an append. The next one goes behind
    it in a single statement, which does nothing when the head is elsewhere. A
    run on which that fails is written under its lock for a while, where
    writers take turns.
    """

    def __init__(
        self, database: PostgresDatabase, *, url: str, cx_version: int, notices: Sequence[str]
    ) -> None:
        super().__init__(
            database, url=url, name=database.name, cx_version=cx_version, notices=notices
        )
        self._postgres = database
        self._heads: dict[str, Head] = {}
        self._crowded: dict[str, int] = {}

    def append(
        self, run_id: str, drafts: Sequence[Draft], *, expected: int | None = None
    ) -> list[Event]:
        """Append in one transaction of its own; a lost connection or race is retried."""
        named = [
            draft if draft.event_id else draft._replace(event_id=fresh_id)
            for draft, fresh_id in zip(drafts, new_ids("event", len(drafts)), strict=True)
        ]
        for _ in range(_TRIES - 1):
            try:
                return self._append(run_id, named, expected)
            except ConnectionLost:
                self._heads.pop(run_id, None)
                written = self._written_before_loss(run_id, drafts, named)
                if written:
                    return written
            except StaleHead:
                raise
            except Conflict:
                self._heads.pop(run_id, None)
        return self._append(run_id, named, expected)

    def _written_before_loss(
        self, run_id: str, drafts: Sequence[Draft], named: Sequence[Draft]
    ) -> list[Event]:
        """Return the events of an append that got in although its connection was lost."""
        if not drafts or drafts[0].event_id:
            return []
        place = self._postgres.one("events.place", event_id=named[0].event_id)
        if place is None:
            return []
        first = place[1]
        return [*self.events(run_id, after=first - 1, upto=first + len(drafts) - 1)]

    def _append(self, run_id: str, drafts: Sequence[Draft], expected: int | None) -> list[Event]:
        is_single = len(drafts) == 1 and drafts[0].type not in ACTION_EVENTS
        if not is_single or self.read_only or self._is_busy():
            self._heads.pop(run_id, None)
            return super().append(run_id, drafts, expected=expected)
        row = self._insert_behind_known_head(run_id, drafts[0], expected)
        if row is None:
            row = self._insert_under_lock(run_id, drafts[0], expected)
        self._remember(row)
        return events_of([row], drafts)

    def _is_busy(self) -> bool:
        return self._postgres.in_transaction or self._postgres.in_snapshot

    def _insert_behind_known_head(
        self, run_id: str, draft: Draft, expected: int | None
    ) -> EventRow | None:
        """Append behind the remembered head; return None where that cannot be done."""
        if self._crowded.get(run_id, 0) > 0:
            self._crowded[run_id] -= 1
            return None
        head = self._heads.pop(run_id, None) or self.head(run_id)
        if head.sequence == 0 or expected not in (None, head.sequence):
            return None
        row = seal(draft, run_id=run_id, head=head)
        if self._postgres.insert_behind(row):
            return row
        self._crowded[run_id] = LOCKED_APPENDS_AFTER_A_COLLISION
        return None

    def _insert_under_lock(self, run_id: str, draft: Draft, expected: int | None) -> EventRow:
        head = self._postgres.begin_for_run(run_id)
        try:
            if expected is not None and expected != head.sequence:
                raise StaleHead(run_id, expected)
            if head.sequence == 0:
                ensure_no_archive(self._postgres, run_id)
            row = seal(draft, run_id=run_id, head=head)
        except BaseException:
            self._postgres.rollback()
            raise
        self._postgres.insert_and_commit(row)
        return row

    def _remember(self, row: EventRow) -> None:
        if len(self._heads) >= HEADS_REMEMBERED:
            self._heads.clear()
            self._crowded.clear()
        self._heads[row.run_id] = Head(row.sequence, row.hash)


def open_for_reading(place: str, url: str, *, wait_seconds: float) -> PostgresStore:
    """Return a store that changes nothing.

    Raises:
        StoreMissing: the database holds no store.
        StoreNewer: it was made by a later version.
        StoreUnavailable: it cannot be reached.
    """
    database = PostgresDatabase(place, read_only=True, wait_seconds=wait_seconds)
    with _closed_when_refused(database):
        shape = shape_of(database)
        if not shape.has_store:
            raise _no_store(database)
    return PostgresStore(database, url=url, cx_version=shape.cx_version, notices=())


def open_for_writing(place: str, url: str, *, create: bool, wait_seconds: float) -> PostgresStore:
    """Return a store that may be written; its tables are made when missing.

    Raises:
        StoreMissing: the database holds no store and `create` is false.
        StoreNewer: it was made by a later version; nothing was changed.
        StoreUnavailable: it cannot be reached.
    """
    database = PostgresDatabase(place, read_only=False, wait_seconds=wait_seconds)
    notices: Sequence[str] = ()
    with _closed_when_refused(database):
        shape = shape_of(database)
        if not shape.has_store and not create:
            raise _no_store(database)
        if not shape.has_store or shape.cx_version < CX_VERSION:
            notices = bring_up_to_date(database, utc_now())
    return PostgresStore(database, url=url, cx_version=CX_VERSION, notices=notices)


@contextmanager
def _closed_when_refused(database: PostgresDatabase) -> Iterator[None]:
    try:
        yield
    except ContinuumError:
        database.close()
        raise


def _no_store(database: PostgresDatabase) -> StoreMissing:
    return StoreMissing(f"{database.name} holds no store yet; `continuum init` makes one")
