"""Claiming and completing an action in a ledger that holds many."""

from __future__ import annotations

from statistics import median

from benchmarks.harness import Crew, discard
from benchmarks.report import Memory, Row, Table, at_most
from benchmarks.stores import build_ledger, copy_store, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings, Sides, Worker

LIMIT_MS = 1.0
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
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in workers}
    rounds = settings.pick(15, 40)
    peer_rounds = rounds if actions <= 1000 else settings.pick(1, 4)
    for turn in range(rounds):
        for name, worker in workers.items():
            if name != "peer" or turn < peer_rounds:
                taken[name].append(_once(worker, places[name], f"new-{turn}"))
    for path in places.values():
        discard(path)
    memory = Memory(sides.ours.peak_mb, sides.peer.peak_mb)
    return [_row(verb, actions, taken, memory) for verb in ("claim", "complete")]


def _once(worker: Worker, path: Path, name: str) -> dict[str, float]:
    answer: dict[str, float] = worker.ask(
        "claim_and_complete", url=str(path), run_id=_RUN, name=name
    )
    return answer


def _row(verb: str, actions: int, taken: dict[str, list[dict[str, float]]], memory: Memory) -> Row:
    ms = {name: median(one[verb] for one in values) * 1000 for name, values in taken.items()}
    row = Row(
        f"{verb}, {actions:,} actions",
        "ms",
        ms["ours"],
        ms["peer"],
        ms["floor"],
        memory=memory,
    )
    return at_most(row, LIMIT_MS)
