"""`python -m benchmarks`: measure, print one table a subject, tell which goals were missed."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import NoPeer, Settings, find_peer, sync_ms
from benchmarks.report import as_json, missed, printed
from benchmarks.subjects import (
    append,
    assess,
    ledger,
    mcp,
    pages,
    polling,
    resume,
    startup,
    verify,
    verify_million,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.report import Table

SUBJECTS: dict[str, Callable[[Settings], Table]] = {
    "append": append.measure,
    "verify": verify.measure,
    "verify-million": verify_million.measure,
    "assess": assess.measure,
    "resume": resume.measure,
    "ledger": ledger.measure,
    "mcp": mcp.measure,
    "start-up": startup.measure,
    "pages": pages.measure,
    "polling": polling.measure,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is asked for; return 0 even if a goal is missed, for machines differ."""
    options = _parser().parse_args(argv)
    try:
        peer = find_peer()
    except NoPeer as exc:
        sys.stderr.write(f"bench: {exc}\n")
        return 1
    tables = []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="continuum-bench-", dir=_disk()) as folder:
        settings = Settings(options.quick, Path(folder), peer)
        sys.stdout.write(_machine(settings.folder))
        for name in options.subjects or SUBJECTS:
            tables.append(SUBJECTS[name](settings))
            sys.stdout.write(printed(tables[-1]) + "\n")
            sys.stdout.flush()
    _conclude(tables, time.monotonic() - begun)
    if options.json:
        Path(options.json).write_text(json.dumps(as_json(tables), indent=1), encoding="utf-8")
    return 0


def _conclude(tables: Sequence[Table], seconds: float) -> None:
    behind = missed(tables)
    asked = sum(row.goal is not None for table in tables for row in table.rows)
    sys.stdout.write(f"{asked - len(behind)} of {asked} goals met, in {seconds:.0f} s\n")
    for one in behind:
        sys.stdout.write(f"missed  {one}\n")


def _machine(folder: Path) -> str:
    """Return what else decides these figures: processors, how busy they are, the disk."""
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} processors, load {load:.1f}; Python {sys.version.split()[0]}; "
        f"a durable write of 8 KiB takes {sync_ms(folder / 'sync'):.2f} ms\n\n"
    )


def _disk() -> str | None:
    """Return a folder on a real disk; a memory file system would flatter every append."""
    return "/var/tmp" if os.access("/var/tmp", os.W_OK) else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under three minutes")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("subjects", nargs="*", choices=[*SUBJECTS, []], help="all without any")
    return parser


if __name__ == "__main__":
    sys.exit(main())
