"""export, import, acts: taking the record out, in, and showing who did what."""

from __future__ import annotations

from continuum.cli.files import FileLines, WholeFile
from continuum.cli.output import Column
from continuum.cli.progress import ProgressLine, followed
from continuum.core.clock import parse_time
from continuum.core.errors import InvalidInput
from continuum.services.acts_log import ActQuery, human_acts
from continuum.services.exports import export_lines
from continuum.services.imports import import_file
from continuum.services.walks import Progress
from continuum.wire import audit as audit_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session

_ACT_COLUMNS = (
    Column("WHEN", 32),
    Column("WHO", 16),
    Column("DID", 12),
    Column("RUN", 23),
    Column("EVENT", 6, right=True),
    Column("REASON", 0),
)


def add_export(parser: ArgumentParser) -> None:
    """Options of `export`."""
    parser.add_argument("run_id", metavar="RUN", nargs="?", help="run id")
    parser.add_argument("--all", action="store_true", help="every run of the store")
    parser.add_argument(
        "--format", choices=("jsonl", "csv"), default="jsonl", help="jsonl can be checked again"
    )
    parser.add_argument("--out", metavar="FILE", help="write there instead of stdout")


def run_export(session: Session, options: Namespace) -> int:
    """Write events with their hashes, line by line."""
    if bool(options.run_id) == bool(options.all):
        raise InvalidInput("name one RUN, or --all for the whole store")
    with session.reading() as store:
        runs = None if options.all else [options.run_id]
        lines = export_lines(store, runs, options.format, at=session.at)
        if options.out:
            with WholeFile(options.out) as file:
                _write(session.terminal, lines, lambda text: file.write(_bytes(text)))
        else:
            _write(session.terminal, lines, session.terminal.raw)
    return 0


def add_import(parser: ArgumentParser) -> None:
    """Options of `import`."""
    parser.add_argument("file", metavar="FILE", help="an export in the form jsonl; - for stdin")


def run_import(session: Session, options: Namespace) -> int:
    """Import an export into a store without runs; all of it or nothing."""
    with session.creating() as store, FileLines(options.file) as lines:
        done = followed(session.terminal, import_file(store, lines))
    for run_id in done.orphans:
        session.terminal.note(f"the parent of run {run_id!r} is not in the file; left out")
    if session.terminal.as_json:
        session.terminal.document(done._asdict())
    else:
        session.terminal.line(f"imported {done.runs} runs, {done.events} events")
    return 0


def add_acts(parser: ArgumentParser) -> None:
    """Options of `acts`."""
    parser.add_argument("--person", metavar="NAME", default="", help="only what NAME did")
    parser.add_argument("--verb", default="", help="only this, such as confirm or settle")
    parser.add_argument("--run", metavar="RUN", default="", help="only on this run")
    parser.add_argument("--since", metavar="TIME", help="from then on")
    parser.add_argument("--until", metavar="TIME", help="before then")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="newest N (50)")


def run_acts(session: Session, options: Namespace) -> int:
    """List what people did, newest first, as the chains say."""
    query = ActQuery(
        person=options.person,
        verb=options.verb,
        run_id=options.run,
        since=parse_time(options.since) if options.since else None,
        until=parse_time(options.until) if options.until else None,
        limit=options.limit,
    )
    with session.reading() as store:
        page = human_acts(store, query)
    if session.terminal.as_json:
        session.terminal.document(audit_wire.act_page(page))
        return 0
    session.terminal.table(
        _ACT_COLUMNS,
        [
            (one.at, one.person or "–", one.verb, one.run_id, str(one.sequence), one.reason)
            for one in page.acts
        ],
    )
    if page.next is not None:
        session.terminal.note("there may be more; narrow the search, or raise --limit")
    return 0


def _write(
    terminal: Terminal, lines: Iterator[str | Progress], put: Callable[[str], object]
) -> None:
    progress = ProgressLine(terminal)
    try:
        for line in lines:
            if isinstance(line, Progress):
                progress.show(line)
            else:
                put(line)
    finally:
        progress.clear()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
