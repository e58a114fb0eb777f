"""`resume` as somebody who acts on it runs it: a command, the whole chain audited."""

from __future__ import annotations

import sys
from functools import partial
from statistics import median

from benchmarks.harness import Crew, Spawner, discard, take_turns
from benchmarks.report import Memory, Row, Table, at_least_times
from benchmarks.stores import build_logs, copy_store, run_name
from benchmarks.subjects.startup import our_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings, Timing

_RUN = run_name(0)
_FLOOR = """
import sys
from hashlib import sha256
from sqlite3 import connect
rows = "SELECT run_id, sequence, event_id, type, timestamp, payload, prev_hash FROM events"
for row in connect(sys.argv[1]).execute(rows):
    sha256("".join(map(str, row)).encode()).digest()
"""


def measure(settings: Settings) -> Table:
    """Run the command on logs of 10,000 and 100,000 events."""
    rows = []
    for events in (10_000, 100_000):
        with Crew(settings) as crew:
            fresh = settings.folder / "resume.db"
            build_logs(crew.peer(), fresh, runs=1, events=events)
            known = copy_store(fresh, settings.folder / "resume-known.db")
            crew.ours().ask("refresh", url=str(known))
        with Spawner(settings.folder) as spawner:
            rows += _commands(settings, spawner, fresh, known, events)
        discard(fresh)
        discard(known)
    return Table("resume", rows)


def _commands(
    settings: Settings, spawner: Spawner, fresh: Path, known: Path, events: int
) -> list[Row]:
    runs = _Runs(spawner)
    floor = [sys.executable, "-I", "-S", "-c", _FLOOR, str(fresh)]
    tasks = {
        "ours": partial(runs.seconds, "ours", [*our_command(), "--db", str(known), "resume", _RUN]),
        "fresh": partial(
            runs.seconds, "fresh", [*our_command(), "--db", str(fresh), "resume", _RUN]
        ),
        "floor": partial(runs.seconds, "floor", floor),
    }
    if events <= 10_000 or not settings.quick:
        command = [str(settings.peer), "--db", str(fresh), "resume", _RUN]
        tasks["peer"] = partial(runs.seconds, "peer", command)
    rounds = settings.pick(3, 5) if events <= 10_000 else settings.pick(2, 3)
    taken = {name: median(values) * 1000 for name, values in take_turns(rounds, tasks).items()}
    row = Row(
        f"{events:,} events",
        "ms",
        taken["ours"],
        taken.get("peer"),
        taken["floor"],
        memory=Memory(runs.peak_mb["ours"], runs.peak_mb.get("peer")),
        note="floor: a bare Python that reads every row and hashes its columns",
    )
    stranger = Row(
        f"{events:,} events, no read model",
        "ms",
        taken["fresh"],
        taken.get("peer"),
        taken["floor"],
        memory=Memory(runs.peak_mb["fresh"], runs.peak_mb.get("peer")),
        note="a store only the reference client has touched: folded from the start",
    )
    return [at_least_times(row, 12) if events > 10_000 else row, stranger]


class _Runs:
    """Runs commands that must end well, and keeps the most memory each took."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner
        self.peak_mb: dict[str, float] = {}

    def seconds(self, name: str, command: list[str]) -> float:
        timing: Timing = self._spawner.run(command)
        if timing.exit not in (0, 20):
            raise RuntimeError(f"{command} ended with {timing.exit}")
        self.peak_mb[name] = max(self.peak_mb.get(name, 0.0), timing.peak_mb)
        return timing.seconds
