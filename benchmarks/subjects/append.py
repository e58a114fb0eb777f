"""Appending: one durable event at a time, a hundred a transaction, four writers at once."""

from __future__ import annotations

from functools import partial

from benchmarks import postgres
from benchmarks.harness import Crew, discard, medians, take_turns
from benchmarks.report import Goal, Memory, Row, Table, at_least_times
from benchmarks.stores import build_logs, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.harness import Settings, Sides, Worker
    from benchmarks.postgres import Server

WRITERS = 4
BATCH = 100
_RUN = run_name(0)
_FAR = 5000


def measure(settings: Settings) -> Table:
    """Measure both back ends; PostgreSQL where its programs are installed."""
    with Crew(settings) as crew:
        rows = _sqlite(settings, crew.sides())
        rows += _folded(settings, crew.sides())
    binaries = postgres.find_binaries()
    if binaries is None:
        missing = Row("PostgreSQL", "events/s", None, note="not measured: no initdb found")
        return Table("append", [*rows, missing])
    with postgres.running(binaries) as server, Crew(settings) as crew:
        rows += [_one_writer(settings, server, crew.sides()), _writers(settings, server, crew)]
    return Table("append", rows)


def _sqlite(settings: Settings, sides: Sides) -> list[Row]:
    count = settings.pick(300, 600)
    many = count * 10
    taken = take_turns(
        settings.pick(5, 9),
        {
            "ours": _on_new_file(settings, sides.ours, sides.ours, "append", count=count),
            "peer": _on_new_file(settings, sides.peer, sides.peer, "append", count=count),
            "floor": _on_new_file(settings, sides.peer, sides.floor, "append", count=count),
            "many": _on_new_file(
                settings, sides.ours, sides.ours, "append_many", count=many, size=BATCH
            ),
            "many floor": _on_new_file(
                settings, sides.peer, sides.floor, "append_many", count=many, size=BATCH
            ),
        },
    )
    rate = medians(taken)
    memory = Memory(sides.ours.peak_mb, sides.peer.peak_mb)
    single = Row(
        "SQLite, one durable event",
        "events/s",
        rate["ours"],
        rate["peer"],
        rate["floor"],
        memory=memory,
        note="floor: insert of a ready row and commit; no head read, nothing hashed",
    )
    batch = Row(
        f"SQLite, append_many({BATCH})",
        "events/s",
        rate["many"],
        rate["peer"],
        rate["many floor"],
        memory=memory,
        note="reference: its single append, for it has no other",
    )
    return [at_least_times(single, 1.2), at_least_times(batch, 15)]


def _folded(settings: Settings, sides: Sides) -> list[Row]:
    """The service agents use tries each event on the state; it must not get slower."""
    path = settings.folder / "folded.db"
    build_logs(sides.peer, path, runs=1, events=_FAR)
    sides.ours.ask("refresh", url=str(path))
    taken = take_turns(
        3,
        {
            "new": _on_new_file(settings, sides.ours, sides.ours, "append_folded", count=100),
            "far": partial(_rate, sides.ours, "append_folded", url=str(path), count=100),
        },
    )
    rate = medians(taken)
    return [
        Row("SQLite, folded first, new run", "events/s", rate["new"]),
        Row(
            f"SQLite, folded first, after {_FAR} events",
            "events/s",
            rate["far"],
            memory=Memory(sides.ours.peak_mb),
            note="flat in the length of the run where both figures are near each other",
        ),
    ]


def _one_writer(settings: Settings, server: Server, sides: Sides) -> Row:
    count = settings.pick(300, 600)
    taken = take_turns(
        settings.pick(3, 7),
        {
            "ours": _on_new_database(server, sides.ours, sides.ours, "append", count),
            "peer": _on_new_database(server, sides.peer, sides.peer, "append", count),
            "floor": _on_new_database(server, sides.peer, sides.floor, "append_postgres", count),
        },
    )
    rate = medians(taken)
    row = Row(
        "PostgreSQL, one writer",
        "events/s",
        rate["ours"],
        rate["peer"],
        rate["floor"],
        memory=Memory(sides.ours.peak_mb, sides.peer.peak_mb),
    )
    return at_least_times(row, 2)


def _writers(settings: Settings, server: Server, crew: Crew) -> Row:
    """Four processes append to one run; what fails is not counted as appended."""
    ours = [crew.ours() for _ in range(WRITERS)]
    peers = [crew.peer() for _ in range(WRITERS)]
    failures = {"ours": 0, "peer": 0}
    each = settings.pick(150, 400)
    taken = take_turns(
        settings.pick(2, 5),
        {
            "ours": partial(_at_once, server, ours, each, failures, "ours"),
            "peer": partial(_at_once, server, peers, each, failures, "peer"),
        },
    )
    rate = medians(taken)
    tried = {name: WRITERS * each * len(values) for name, values in taken.items()}
    return Row(
        f"PostgreSQL, {WRITERS} writers on one run",
        "events/s",
        rate["ours"],
        rate["peer"],
        goal=Goal("no failed append", failures["ours"] == 0),
        memory=Memory(max(one.peak_mb for one in ours), max(one.peak_mb for one in peers)),
        note=f"failed appends: ours {failures['ours']} of {tried['ours']}, "
        f"reference {failures['peer']} of {tried['peer']}; only recorded events count",
    )


def _at_once(
    server: Server, workers: list[Worker], each: int, failures: dict[str, int], side: str
) -> float:
    url = server.fresh_database("bench_writers")
    workers[0].ask("start", url=url, runs=[_RUN])
    for worker in workers:
        worker.begin("append", url=url, run_id=_RUN, count=each)
    answers = [worker.end() for worker in workers]
    failed = sum(answer["failed"] for answer in answers)
    failures[side] += failed
    recorded: int = each * len(workers) - failed
    slowest: float = max(answer["seconds"] for answer in answers)
    return recorded / slowest


def _on_new_file(
    settings: Settings, maker: Worker, worker: Worker, verb: str, **arguments: int
) -> Callable[[], float]:
    path = settings.folder / "append.db"

    def once() -> float:
        discard(path)
        maker.ask("start", url=str(path), runs=[_RUN])
        return _rate(worker, verb, url=str(path), **arguments)

    return once


def _on_new_database(
    server: Server, maker: Worker, worker: Worker, verb: str, count: int
) -> Callable[[], float]:
    def once() -> float:
        url = server.fresh_database("bench_append")
        maker.ask("start", url=url, runs=[_RUN])
        return _rate(worker, verb, url=url, count=count)

    return once


def _rate(worker: Worker, verb: str, *, url: str, count: int, **more: int) -> float:
    answer = worker.ask(verb, url=url, run_id=_RUN, count=count, **more)
    if answer["failed"]:
        raise RuntimeError(f"{verb}: {answer['failed']} appends of a lone writer failed")
    seconds: float = answer["seconds"]
    return count / seconds
