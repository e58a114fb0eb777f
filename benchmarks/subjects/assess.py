"""Judging a run as lists and pages show it: snapshot, the tail behind it, and its chain."""

from __future__ import annotations

from functools import partial
from statistics import median

from benchmarks.harness import Crew, discard, take_turns
from benchmarks.report import Memory, Row, Table, at_most
from benchmarks.stores import build_logs, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings, Sides

TAIL = 50
LIMIT_MS = 3.0
_RUN = run_name(0)


def measure(settings: Settings) -> Table:
    """Judge logs of 100 to 100,000 events whose newest 50 the read model has not seen."""
    rows = []
    for events in (100, 1000, 10_000, 100_000):
        with Crew(settings) as crew:
            sides = crew.sides()
            path = settings.folder / "assess.db"
            build_logs(sides.peer, path, runs=1, events=events - TAIL)
            sides.ours.ask("refresh", url=str(path))
            sides.ours.ask("append_many", url=str(path), run_id=_RUN, count=TAIL, size=TAIL)
            rows.append(_judged(settings, sides, path, events))
            discard(path)
    return Table("assess as shown", rows)


def _judged(settings: Settings, sides: Sides, path: Path, events: int) -> Row:
    ours = partial(sides.ours.ask, "assess", url=str(path), run_id=_RUN)
    floor = partial(sides.floor.ask, "assess", url=str(path), run_id=_RUN, tail=TAIL)
    peer = partial(sides.peer.ask, "assess", url=str(path), run_id=_RUN)
    ours()
    taken = take_turns(settings.pick(9, 25), {"ours": ours, "floor": floor})
    peer_rounds = _peer_rounds(settings, events)
    judged = [peer() for _ in range(peer_rounds)]
    row = Row(
        f"{events:,} events",
        "ms",
        median(taken["ours"]) * 1000,
        median(judged) * 1000 if judged else None,
        median(taken["floor"]) * 1000,
        memory=Memory(sides.ours.peak_mb, sides.peer.peak_mb if judged else None),
        note="" if judged else "the reference was not measured at this length with --quick",
    )
    return at_most(row, LIMIT_MS)


def _peer_rounds(settings: Settings, events: int) -> int:
    """The reference takes seconds for a long log, so it gets fewer turns there."""
    if events <= 1000:
        return 5
    if events <= 10_000:
        return settings.pick(2, 3)
    return settings.pick(0, 1)
