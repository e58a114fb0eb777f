"""The events of a run, for lists."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.domain.events import Event
    from continuum.store.base import ReadStore


def list_events(
    store: ReadStore, run_id: str, *, after: int = 0, upto: int | None = None
) -> Iterator[Event]:
    """Return the live events with `after` < sequence ≤ `upto`, ascending, streamed.

    Raises:
        RunNotFound: no such run.
        UnreadableRecord: while iterating, at the first row that cannot be read.
    """
    store.run(run_id)
    return store.events(run_id, after=after, upto=upto, archived=False)
