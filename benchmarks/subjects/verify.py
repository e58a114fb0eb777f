"""Verifying a whole chain, as the reference client stores payloads and as we do."""

from __future__ import annotations

from functools import partial

from benchmarks.harness import Crew, discard, medians, take_turns
from benchmarks.report import Memory, Row, Table, at_least_times
from benchmarks.stores import build_logs, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings, Sides, Worker

_RUN = run_name(0)
_FORMS = (("with blanks", True), ("canonical", False))


def measure(settings: Settings) -> Table:
    """Walk logs of 10,000 and 100,000 events in both stored forms."""
    rows = []
    for events in (10_000, 100_000):
        for form, spaced in _FORMS:
            with Crew(settings) as crew:
                sides = crew.sides()
                path = settings.folder / "verify.db"
                build_logs(sides.peer, path, runs=1, events=events, spaced=spaced)
                rows += _walks(settings, sides, path, f"{events:,} events, {form}", events)
                discard(path)
    return Table("verify", rows)


def _walks(settings: Settings, sides: Sides, path: Path, name: str, events: int) -> list[Row]:
    rounds = settings.pick(5, 9) if events <= 10_000 else settings.pick(2, 3)
    rate = medians(
        take_turns(
            rounds,
            {
                "ours": partial(_rate, sides.ours, "verify", path, events),
                "peer": partial(_rate, sides.peer, "verify", path, events),
                "floor": partial(_rate, sides.floor, "verify", path, events),
                "folded": partial(_rate, sides.ours, "verify_and_fold", path, events),
            },
        )
    )
    row = Row(
        name,
        "events/s",
        rate["ours"],
        rate["peer"],
        rate["floor"],
        memory=Memory(sides.ours.peak_mb, sides.peer.peak_mb),
        note="floor: every row read, its columns hashed as they are",
    )
    folded = Row(f"{name}, and folded", "events/s", rate["folded"])
    return [at_least_times(row, 5), folded]


def _rate(worker: Worker, verb: str, path: Path, events: int) -> float:
    seconds: float = worker.ask(verb, url=str(path), run_id=_RUN)
    return events / seconds
