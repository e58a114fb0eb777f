"""The part of the store port that looks at logs from afar; see `store.base`.

Nothing here takes longer for a longer log.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.domain.actions import Slot
    from continuum.domain.events import EventType


class EventStub(NamedTuple):
    """What a drawing needs to know of an event; nothing is interpreted."""

    sequence: int
    timestamp: str
    source: str
    type: str


class CheckpointStub(NamedTuple):
    """What lists need to know of a checkpoint; its body is not read."""

    version: int
    trigger: str
    created_at: str


class VersionStub(NamedTuple):
    """What a choice of state versions shows."""

    version: int
    reason: str
    created_at: str


class LogReads(Protocol):
    """Looking."""

    def event_stubs(self, run_id: str, numbers: Iterable[int]) -> list[EventStub]:
        """Return the events of some numbers, ascending, archive included."""

    def count_types(self, run_id: str, types: Iterable[EventType], *, most: int) -> int:
        """Return how many events are of some types; `most` ends the count."""

    def checkpoint_stubs(self, run_id: str, *, limit: int) -> list[CheckpointStub]:
        """Return the newest checkpoints, newest first."""

    def version_stubs(self, run_id: str, *, limit: int) -> list[VersionStub]:
        """Return the newest state versions, newest first."""

    def count_slots(self, run_id: str, *, most: int) -> int:
        """Return how many actions the run's ledger holds; `most` ends the count."""

    def slot_page(self, run_id: str, *, before: int | None = None, limit: int) -> list[Slot]:
        """Return actions by first appearance, newest first, below the event `before`.

        Raises:
            UnreadableRecord: a record of one of them is malformed.
        """
