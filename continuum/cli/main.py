"""`continuum`: finds the command, runs it, and turns errors into exit statuses.

Nothing is imported before the command is known, and then only what that
command needs: hooks and people wait for every millisecond (ADR 0003).
"""

from __future__ import annotations

import gc
import os
import sys

from continuum import __version__
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class Command(NamedTuple):
    """Where a command lives, and one line about it.

    The module has `add_NAME(parser)` and `run_NAME(session, options) -> int`,
    with `_` for `-`.
    """

    module: str
    summary: str


COMMANDS = {
    "init": Command("runs", "create a store"),
    "start": Command("runs", "start a run with a goal"),
    "runs": Command("runs", "list runs, newest first"),
    "tree": Command("tree", "show a run and its children"),
    "inbox": Command("inbox", "list what needs a person, worst and oldest first"),
    "status": Command("states", "show where a run stands"),
    "inspect": Command("states", "show the whole state of a run"),
    "history": Command("states", "list checkpoints"),
    "diff": Command("states", "compare two state versions"),
    "replay": Command("states", "fold the log again and compare"),
    "checkpoint": Command("states", "write a checkpoint"),
    "events": Command("chain", "list recorded events"),
    "verify": Command("verify", "audit the chain of a run, a store or a file"),
    "export": Command("audit", "write events with their hashes to a file"),
    "import": Command("audit", "read an export into an empty store"),
    "bundle": Command("bundle", "write the evidence of a run as one zip"),
    "acts": Command("audit", "list who did what"),
    "attest-keygen": Command("attest", "make a key pair for attestations"),
    "attest": Command("attest", "sign how far a chain, or every chain, reaches"),
    "attest-verify": Command("attest", "check an attestation"),
    "actions": Command("actions", "list external side effects"),
    "reconcile": Command("reconcile", "settle actions whose outcome is unknown"),
    "compensate": Command("decisions", "record that an effect was undone"),
    "validate": Command("verdicts", "judge a run's state"),
    "resume": Command("verdicts", "judge whether a run may go on"),
    "show-contract": Command("verdicts", "print the sealed next step"),
    "confirm": Command("decisions", "vouch for what an agent reported"),
    "complete": Command("decisions", "close a run as done"),
    "proposals": Command("foureyes", "confirm or withdraw what takes two people"),
    "policy": Command("foureyes", "say which decisions take two people"),
    "callers": Command("callers", "decide which programs may write"),
    "mcp": Command("mcp", "print the set-up of a program that agents run in"),
    "users": Command("console", "manage who may sign in to the console"),
    "dashboard": Command("console", "serve the console"),
    "demo": Command("console", "serve the console with live demo data"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; return its exit status.

    Without `argv` this is the whole process, and it ends here: taking the
    interpreter apart would cost a tenth of a short command.
    """
    status = _run(list(sys.argv[1:] if argv is None else argv))
    if argv is None:
        sys.stderr.flush()
        os._exit(status)
    return status


def load_module(name: str) -> ModuleType:
    """Return the module `name` of this package, imported on first use."""
    full_name = f"continuum.cli.{name}"
    __import__(full_name)
    return sys.modules[full_name]


def _run(arguments: list[str]) -> int:
    try:
        status = _dispatch(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_left()
    except KeyboardInterrupt:
        return 130
    return status


def _dispatch(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        sys.stdout.write(f"continuum {__version__}\n")
        return 0
    # Importing makes much and leaves nothing to collect.
    gc.disable()
    status: int = load_module("dispatch").dispatch(arguments)
    return status


def _reader_left() -> int:
    """Whoever read our output has gone; leave quietly, but not as a success."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
