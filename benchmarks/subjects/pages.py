"""First pages of the console, beside an empty Django page with the same table."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import NamedTuple

from benchmarks.harness import Crew, discard, take_turns
from benchmarks.report import Memory, Row, Table, at_most_floors
from benchmarks.stores import build_logs, copy_store, run_name
from benchmarks.web import floor_site, our_console, peer_dashboard, run_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.harness import Settings
    from benchmarks.web import Server

EVENTS = 5
FULL_PAGE = 60
"""Events of the run whose page is measured; both sites show fifty."""
OPEN_EVERY = 10
TIMES_FLOOR = 2.5
_RUN = run_name(0)


class Page(NamedTuple):
    """One page under the addresses of the three sites; the reference's may be missing.

    Attributes:
        times: how many floors it may take; 0 for pages that only have to be flat.
    """

    name: str
    ours: str
    peer: str | None
    floor: str
    times: float = TIMES_FLOOR


_INBOX = Page("inbox", "/", "/", "/runs/")
_RUNS = Page("runs list", "/runs/", "/", "/runs/")
_RUN_PAGE = Page("run page", f"{run_path(_RUN)}/", run_path(_RUN), f"{run_path(_RUN)}/")
_ACTIONS = Page("actions list", "/actions/", None, "/runs/", 0)
_TIMELINE = Page("timeline", f"{run_path(_RUN)}/?tab=timeline", None, f"{run_path(_RUN)}/", 0)
_FILTERED = Page(
    "events by nobody",
    f"{run_path(_RUN)}/?tab=events&origin=imported",
    None,
    f"{run_path(_RUN)}/",
    0,
)
"""A filter that nothing fits, so that as much is looked through as a page ever does."""


def measure(settings: Settings) -> Table:
    """Get the pages of stores with many runs, and the page of a run with many events."""
    many = settings.pick(10_000, 100_000)
    long = settings.pick(100_000, 1_000_000)
    rows = []
    for runs in (100, many):
        path = settings.folder / f"pages-{runs}.db"
        _build(settings, path, runs=runs, events=EVENTS)
        peer_reads = 100 if settings.quick else 10_000
        pages = (_INBOX, _RUNS, _RUN_PAGE, _ACTIONS)
        rows += _measured(settings, path, pages, f"{runs:,} runs", with_peer=runs <= peer_reads)
    path = settings.folder / f"pages-long-{long}.db"
    _build(settings, path, runs=1, events=long)
    of_run = (_RUN_PAGE, _TIMELINE, _FILTERED)
    rows += _measured(settings, path, of_run, f"{long:,} events", with_peer=False)
    return Table("first pages", rows)


def _build(settings: Settings, path: Path, *, runs: int, events: int) -> None:
    with Crew(settings) as crew:
        build_logs(
            crew.peer(), path, runs=runs, events=events, open_every=OPEN_EVERY, first=FULL_PAGE
        )
        crew.ours().ask("refresh", url=str(path))


def _measured(
    settings: Settings, path: Path, pages: tuple[Page, ...], size: str, *, with_peer: bool
) -> list[Row]:
    theirs = copy_store(path, path.with_name(f"peer-{path.name}"))
    with our_console(settings, path) as ours, floor_site(path) as floor:
        rows = [_against_floor(settings, ours, floor, page, size) for page in pages]
    if with_peer:
        with peer_dashboard(settings, theirs) as peer:
            rows = [_with_peer(row, peer, page) for row, page in zip(rows, pages, strict=True)]
    discard(path)
    discard(theirs)
    return rows


def _against_floor(settings: Settings, ours: Server, floor: Server, page: Page, size: str) -> Row:
    tasks = {
        "ours": partial(ours.page_seconds, page.ours),
        "floor": partial(floor.page_seconds, page.floor),
    }
    take_turns(settings.pick(10, 20), tasks)
    taken = take_turns(settings.pick(60, 200), tasks)
    row = Row(
        f"{page.name}, {size}",
        "ms",
        median(taken["ours"]) * 1000,
        floor=median(taken["floor"]) * 1000,
        memory=Memory(ours.peak_mb()),
    )
    return at_most_floors(row, page.times) if page.times else row


def _with_peer(row: Row, peer: Server, page: Page) -> Row:
    """The reference judges every run for its list, so it is asked a few times only."""
    if page.peer is None:
        return row
    first = peer.page_seconds(page.peer)
    more = 0 if first > 1 else 4
    seconds = [first, *(peer.page_seconds(page.peer) for _ in range(more))]
    memory = row.memory._replace(peer=peer.peak_mb())
    return row._replace(peer=median(seconds) * 1000, memory=memory)
