"""From a command line to a running command: global options, parser, errors."""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from io import TextIOWrapper

from continuum import __version__
from continuum.cli.colour import wants_colour
from continuum.cli.main import COMMANDS, load_module
from continuum.cli.output import Terminal
from continuum.cli.parsing import Parser
from continuum.cli.session import Session
from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_DB = "continuum.db"


def dispatch(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name; return its exit status."""
    before, name, rest = split_command(arguments)
    if not before and name in COMMANDS:
        return _run(name, rest, Namespace(db=None, json=False, colour=None))
    parser = _global_parser()
    try:
        options = parser.parse_args(before)
        if name is None:
            parser.print_help()
            return 0
        if name not in COMMANDS:
            parser.error(f"there is no command {name!r}; `continuum --help` lists them")
    except SystemExit as exc:
        return _status(exc)
    return _run(name, rest, options)


def split_command(arguments: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Return (global options, command name, the command's own arguments)."""
    index = 0
    while index < len(arguments) and arguments[index].startswith("-"):
        # `--d` is the only abbreviation of the only option with a value.
        index += 2 if arguments[index] in ("--db", "--d") else 1
    before, rest = list(arguments[:index]), list(arguments[index:])
    return (before, rest[0], rest[1:]) if rest else (before, None, [])


def _run(name: str, rest: list[str], options: Namespace) -> int:
    session = _session(options)
    try:
        module = load_module(COMMANDS[name].module)
        if COMMANDS[name].module == "console":
            module.hand_over(name, rest, options)
        suffix = name.replace("-", "_")
        chosen = _options_of(name, getattr(module, f"add_{suffix}"), rest)
        gc.enable()
        status: int = getattr(module, f"run_{suffix}")(session, chosen)
    except ContinuumError as exc:
        session.terminal.note(f"error: {exc}")
        return exc.exit_status
    except SystemExit as exc:
        return _status(exc)
    except BrokenPipeError:
        raise
    except Exception as exc:  # noqa: BLE001 the outermost handler: a person gets a sentence
        session.terminal.note(f"error: {name} failed unexpectedly: {type(exc).__name__}: {exc}")
        return 1
    finally:
        gc.enable()
    return status


def _status(exc: SystemExit) -> int:
    """Parsers leave with a number, or with None after `--help`."""
    return exc.code if isinstance(exc.code, int) else 0


def _options_of(name: str, add: Callable[[Parser], None], rest: list[str]) -> Namespace:
    parser = Parser(prog=f"continuum {name}", description=f"{COMMANDS[name].summary.capitalize()}.")
    add(parser)
    return parser.parse_args(rest)


def _session(options: Namespace) -> Session:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    terminal = Terminal(
        sys.stdout,
        sys.stderr,
        as_json=options.json,
        colour=wants_colour(sys.stdout, os.environ, options.colour),
    )
    db = DEFAULT_DB if options.db is None else options.db
    return Session(db=db, db_given=options.db is not None, terminal=terminal, at=utc_now())


def _global_parser() -> Parser:
    parser = Parser(
        prog="continuum",
        usage="continuum [-h] [--version] [--db DB] [--json] [--color | --no-color] COMMAND …",
        description="What long-running agents did, whether they may go on, and who decided.",
        epilog=_command_list(),
    )
    parser.add_argument("--version", action="version", version=f"continuum {__version__}")
    parser.add_argument("--db", help=f"path or URL of the store ({DEFAULT_DB})")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    colour = parser.add_mutually_exclusive_group()
    colour.add_argument(
        "--color",
        "--colour",
        dest="colour",
        action="store_true",
        default=None,
        help="colour even where stdout is no terminal",
    )
    colour.add_argument(
        "--no-color", "--no-colour", dest="colour", action="store_false", help="never colour"
    )
    return parser


def _command_list() -> str:
    lines = [f"  {name:<15} {command.summary}" for name, command in COMMANDS.items()]
    return "commands (`continuum COMMAND --help` tells more):\n" + "\n".join(lines)
