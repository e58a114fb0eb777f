"""What 200 open pages cost the console while nothing happens: CPU of all its processes."""

from __future__ import annotations

import re
import time
from statistics import median
from urllib.parse import quote

from benchmarks.harness import Crew, discard
from benchmarks.report import Memory, Row, Table, at_most
from benchmarks.stores import build_logs
from benchmarks.web import our_console

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchmarks.harness import Settings
    from benchmarks.web import Server

PAGES = 200
USED_SECONDS = 3.0
"""How often a page that is used asks; one that is not asks every 60 s."""
OPEN_EVERY = 10
LOOK_SECONDS = 2.0
REST_SHARE = 0.03
REST_WITHIN = 300.0
EVENTS = 5
LIMIT = 20.0
_ASKER = re.compile(r'data-poll="([^"]+)" data-mark="([^"]*)"')
_NOTHING_NEW = 204


def measure(settings: Settings) -> Table:
    """Poll as 200 used inboxes do, none of which has anything new to hear."""
    runs = settings.pick(1_000, 10_000)
    path = settings.folder / "polling.db"
    with Crew(settings) as crew:
        build_logs(crew.peer(), path, runs=runs, events=EVENTS, open_every=OPEN_EVERY)
        crew.ours().ask("refresh", url=str(path))
    with our_console(settings, path) as server:
        row = _measured(server, seconds=settings.pick(15.0, 60.0), subject=f"{runs:,} runs")
    discard(path)
    return Table("polling", [row])


def _measured(server: Server, *, seconds: float, subject: str) -> Row:
    url = _address(server)
    _await_rest(server)
    for _ in range(100):  # both workers have everything loaded before counting begins
        server.get(url)
    taken = []
    before, begun = server.cpu_seconds(), time.monotonic()
    sent = 0
    while (now := time.monotonic() - begun) < seconds:
        due = int(now * PAGES / USED_SECONDS)
        if sent >= due:
            time.sleep(0.002)
            continue
        reply = server.get(url)
        if reply.status != _NOTHING_NEW:
            raise RuntimeError(f"{url} answered {reply.status}, though nothing was new")
        taken.append(reply.seconds)
        sent += 1
    used = (server.cpu_seconds() - before) / (time.monotonic() - begun)
    note = f"{sent / seconds:.0f} polls a second, p50 {median(taken) * 1000:.1f} ms"
    row = Row(f"{PAGES} used pages, {subject}", "% of a core", used * 100, note=note)
    return at_most(row._replace(memory=Memory(server.peak_mb())), LIMIT)


def _await_rest(server: Server) -> None:
    """Wait until the console has taken in the store: its words, its chains."""
    give_up_at = time.monotonic() + REST_WITHIN
    while time.monotonic() < give_up_at:
        before = server.cpu_seconds()
        time.sleep(LOOK_SECONDS)
        if server.cpu_seconds() - before < LOOK_SECONDS * REST_SHARE:
            return
        server.get("/healthz")  # keeps the connection
    raise RuntimeError(f"the console did not come to rest within {REST_WITHIN:.0f} s")


def _address(server: Server) -> str:
    """Return the address with which the inbox asks, as it stands in the page."""
    found = _ASKER.search(server.get("/").body)
    if found is None:
        raise RuntimeError("the inbox does not ask for news")
    return f"{found[1].replace('&amp;', '&')}&mark={quote(found[2], safe='')}"
