"""Verifying a run of a million events: the rate, and that memory does not grow with it."""

from __future__ import annotations

from benchmarks.harness import Crew, discard
from benchmarks.report import Memory, Row, Table, at_least_times
from benchmarks.stores import build_logs, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchmarks.harness import Settings

_RUN = run_name(0)
_EVENTS = 1_000_000


def measure(settings: Settings) -> Table:
    """Walk one long log once on each side; `--quick` takes a tenth of it."""
    events = settings.pick(_EVENTS // 10, _EVENTS)
    with Crew(settings) as crew:
        sides = crew.sides()
        path = settings.folder / "verify_million.db"
        build_logs(sides.peer, path, runs=1, events=events, spaced=True)
        ours = events / sides.ours.ask("verify", url=str(path), run_id=_RUN)
        floor = events / sides.floor.ask("verify", url=str(path), run_id=_RUN)
        peer = events / sides.peer.ask("verify", url=str(path), run_id=_RUN)
        memory = Memory(sides.ours.peak_mb, sides.peer.peak_mb)
        discard(path)
    name = f"{events:,} events, with blanks"
    row = Row(name, "events/s", ours, peer, floor, memory=memory, note="one walk a side")
    return Table("verify a million", [at_least_times(row, 5)])
