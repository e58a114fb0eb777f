"""Options several commands share, and how their texts are read."""

from __future__ import annotations

import argparse
import os
import pwd
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter

from continuum.cli.output import printable
from continuum.core.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite

_WIDEST = 100

# argparse looks each of its own words up in message catalogues there are none
# of; that loads `locale` and costs a short command 2 of its 40 ms.
argparse._ = str  # type: ignore[attr-defined]  # a name of its own, but a stable one


class Formatter(RawDescriptionHelpFormatter):
    """Help as wide as the terminal, without importing `shutil` to find out.

    The base class does so for every option that is added.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_terminal_width())


class Parser(ArgumentParser):
    """A parser whose complaints are safe to print on a terminal."""

    def __init__(self, *, prog: str, description: str, **more: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=Formatter,
            **more,  # type: ignore[arg-type]  # usage and epilog are texts
        )

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike the base class, tell when nobody reads it."""
        (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Print the usage and `message` on stderr, exit with 2."""
        if message.startswith("unrecognized arguments"):
            message += " (--db, --json and the colour options stand before the command)"
        self.exit(2, f"{self.format_usage()}{self.prog}: error: {printable(message)}\n")


def add_run(parser: ArgumentParser) -> None:
    """Add the run id as the command's subject."""
    parser.add_argument("run_id", metavar="RUN", help="run id")


def add_environment(parser: ArgumentParser) -> None:
    """Add `--env`."""
    parser.add_argument(
        "--env",
        action="append",
        metavar="NAME=VERSION",
        help="a dependency as it is now; repeatable",
    )


def add_question(parser: ArgumentParser) -> None:
    """Add the options that say what an assessment is asked."""
    add_environment(parser)
    parser.add_argument("--model", metavar="M", help="the model that would go on with the work")
    parser.add_argument(
        "--tolerate-unknown", action="store_true", help="let unknown states pass, not only known"
    )


def add_person(parser: ArgumentParser, *, reason: str) -> None:
    """Add who decides and why."""
    parser.add_argument("--by", metavar="NAME", help="who decides; else the operating-system user")
    parser.add_argument("--reason", metavar="TEXT", default="", help=reason)


def person_named(name: str | None) -> str:
    """Return `name`, or who runs this process; the environment cannot say otherwise."""
    if name is not None:
        return name
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def read_versions(pairs: Sequence[str] | None) -> dict[str, str] | None:
    """Return name → version as `--env` options say, or None without any.

    A repeated name keeps its last version.

    Raises:
        InvalidInput: a pair without name, `=` or version.
    """
    return dict(_pair(text) for text in pairs) if pairs else None


def _terminal_width() -> int:
    try:
        return min(os.get_terminal_size(sys.stdout.fileno()).columns, _WIDEST)
    except (OSError, ValueError):
        return _WIDEST


def _pair(text: str) -> tuple[str, str]:
    name, sign, version = text.partition("=")
    if not sign or not name:
        raise InvalidInput(f"--env {text!r} must be NAME=VERSION")
    if not version:
        raise InvalidInput(
            f"--env {text!r} names no version; leave the option out where you do not know it"
        )
    return name, version
