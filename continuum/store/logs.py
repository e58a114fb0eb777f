"""Looking at logs from afar: shared by both back ends."""

from __future__ import annotations

from continuum.store.base import MAX_PAGE
from continuum.store.logport import CheckpointStub, EventStub, VersionStub
from continuum.store.slots import LedgerReads, slot_from_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.domain.actions import Slot
    from continuum.domain.events import EventType


class LogTableReads(LedgerReads):
    """Samples, bounded counts and pages."""

    has_action_lists: bool

    def event_stubs(self, run_id: str, numbers: Iterable[int]) -> list[EventStub]:
        """Return the events of some numbers, ascending, archive included."""
        wanted = self._database.values(map(str, numbers))
        rows = self._database.all("logs.stubs", run_id=run_id, numbers=wanted)
        return [EventStub._make(row) for row in rows]

    def count_types(self, run_id: str, types: Iterable[EventType], *, most: int) -> int:
        """Return how many events are of some types; `most` ends the count."""
        row = self._database.one(
            "logs.count_types", run_id=run_id, types=self._database.values(types), most=most
        )
        return int(row[0]) if row else 0

    def checkpoint_stubs(self, run_id: str, *, limit: int) -> list[CheckpointStub]:
        """Return the newest checkpoints, newest first."""
        rows = self._database.all("logs.checkpoints", run_id=run_id, limit=min(limit, MAX_PAGE))
        return [CheckpointStub._make(row) for row in rows]

    def version_stubs(self, run_id: str, *, limit: int) -> list[VersionStub]:
        """Return the newest state versions, newest first."""
        rows = self._database.all("logs.versions", run_id=run_id, limit=min(limit, MAX_PAGE))
        return [VersionStub._make(row) for row in rows]

    def count_slots(self, run_id: str, *, most: int) -> int:
        """Return how many actions the run's ledger holds; `most` ends the count."""
        if self._ledger_place(run_id).lags:
            return min(most, self.action_count(run_id))
        row = self._database.one("logs.count_slots", run_id=run_id, most=most)
        return int(row[0]) if row else 0

    def slot_page(self, run_id: str, *, before: int | None = None, limit: int) -> list[Slot]:
        """Return actions by first appearance, newest first, below the event `before`."""
        limit = min(limit, MAX_PAGE)
        if not self.has_action_lists or self._ledger_place(run_id).lags:
            slots = [
                slot
                for slot in self.slots(run_id)
                if before is None or slot.first_sequence < before
            ]
            return slots[: -limit - 1 : -1]
        rows = self._ledger_rows("logs.slots", run_id=run_id, before=before, limit=limit)
        return [slot_from_row(row) for row in rows]
