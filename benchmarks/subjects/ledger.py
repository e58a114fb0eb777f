"""Claiming and completing an action in a ledger that holds many."""

from __future__ import annotations

from statistics import median

from benchmarks.harness import Crew, discard
from benchmarks.report import Memory, Row, Table, at_most_beside_floor
from benchmarks.stores import build_ledger, copy_store, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings, Sides

LIMIT_MS = 1.0
TIMES_FLOOR = 2.0
_RUN = run_name(0)


def measure(settings: Settings) -> Table:
    """Claim and complete beside 1, 1,000 and 10,000 recorded actions."""
    rows = []
    for actions in (1, 1000, 10_000):
        with Crew(settings) as crew:
            sides = crew.sides()
            source = settings.folder / "ledger.db"
            build_ledger(sides.peer, source, actions=actions)
            rows += _verbs(settings, sides, source, actions)
            discard(source)
    return Table("ledger", rows)


def _verbs(settings: Settings, sides: Sides, source: Path, actions: int) -> list[Row]:
    folder = settings.folder
    places = {name: copy_store(source, folder / f"{name}.db") for name in sides._fields}
    workers = sides._asdict()
    sides.ours.ask("refresh", url=str(places["ours"]))
    taken: dict[str, dict[str, list[float]]] = {
        name: {"claim": [], "complete": []} for name in workers
    }
    for turn in range(settings.pick(3, 6)):
        for name, worker in workers.items():
            count = _count(settings, name, actions)
            names = [f"new-{turn}-{number}" for number in range(count)]
            answer = worker.ask(
                "claim_and_complete", url=str(places[name]), run_id=_RUN, names=names
            )
            for verb, seconds in answer.items():
                taken[name][verb] += seconds[1:] or seconds
    for path in places.values():
        discard(path)
    memory = Memory(sides.ours.peak_mb, sides.peer.peak_mb)
    return [_row(verb, actions, taken, memory) for verb in ("claim", "complete")]


def _count(settings: Settings, side: str, actions: int) -> int:
    """How many in a row on one open store; the first, which begins the log file, is left out."""
    if side == "peer" and actions > 1000:
        return settings.pick(1, 2)
    return 10


def _row(verb: str, actions: int, taken: dict[str, dict[str, list[float]]], memory: Memory) -> Row:
    ms = {name: median(verbs[verb]) * 1000 for name, verbs in taken.items()}
    row = Row(
        f"{verb}, {actions:,} actions",
        "ms",
        ms["ours"],
        ms["peer"],
        ms["floor"],
        memory=memory,
    )
    return at_most_beside_floor(row, LIMIT_MS, TIMES_FLOOR)
