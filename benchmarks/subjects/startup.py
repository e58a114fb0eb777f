"""Starting a command, on a small store, beside the reference and a bare Python."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from benchmarks.harness import ROOT, Crew, Spawner, discard, medians, take_turns
from benchmarks.report import Memory, Row, Table, at_least_times
from benchmarks.stores import build_logs, copy_store, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchmarks.harness import Settings

RUNS = 5
EVENTS = 50
_RUN = run_name(RUNS - 1)
_COMMANDS = {
    "--version": ["--version"],
    "runs": ["--json", "runs"],
    "status": ["status", _RUN],
    "resume": ["resume", _RUN],
}
_DIRECT = (
    "import sys; sys.path.insert(0, {root!r});"
    " from continuum.cli.main import main; sys.exit(main())"
)


def our_command() -> list[str]:
    """Return our command line: the installed one, else the package as it lies here."""
    installed = Path(sys.executable).with_name("continuum")
    if installed.exists():
        return [str(installed)]
    return [sys.executable, "-P", "-c", _DIRECT.format(root=str(ROOT))]


def measure(settings: Settings) -> Table:
    """Start each command on a store of five runs of fifty events."""
    path = settings.folder / "startup.db"
    with Crew(settings) as crew:
        build_logs(crew.peer(), path, runs=RUNS, events=EVENTS)
        known = copy_store(path, settings.folder / "startup-known.db")
        crew.ours().ask("refresh", url=str(known))
    with Spawner(settings.folder) as spawner:
        rows = [_row(settings, spawner, name, {"ours": known, "peer": path}) for name in _COMMANDS]
    discard(path)
    discard(known)
    return Table("start-up", rows)


def _row(settings: Settings, spawner: Spawner, name: str, stores: dict[str, Path]) -> Row:
    peaks: dict[str, float] = {}
    commands = {
        "ours": [*our_command(), "--db", str(stores["ours"]), *_COMMANDS[name]],
        "peer": [str(settings.peer), "--db", str(stores["peer"]), *_COMMANDS[name]],
        "floor": [sys.executable, "-I", "-S", "-c", "pass"],
    }
    if name == "--version":
        commands["ours"] = [*our_command(), "--version"]
        commands["peer"] = [str(settings.peer), "--version"]
    tasks = {
        side: partial(_seconds, spawner, side, command, peaks) for side, command in commands.items()
    }
    taken = medians(take_turns(settings.pick(9, 25), tasks))
    ms = {side: seconds * 1000 for side, seconds in taken.items()}
    row = Row(
        name,
        "ms",
        ms["ours"],
        ms["peer"],
        ms["floor"],
        memory=Memory(peaks["ours"], peaks["peer"]),
        note="floor: python -I -S -c pass" if name == "--version" else "",
    )
    return at_least_times(row, 5)


def _seconds(spawner: Spawner, side: str, command: list[str], peaks: dict[str, float]) -> float:
    timing = spawner.run(command)
    if timing.exit not in (0, 20):
        raise RuntimeError(f"{command} ended with {timing.exit}")
    peaks[side] = max(peaks.get(side, 0.0), timing.peak_mb)
    return timing.seconds
