"""`continuum-mcp`: reads its settings, opens the store, serves one transport.

Standard output belongs to the protocol, so everything else goes to standard
error. What stops the server is one line there, and exit status 1.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from importlib import import_module

from continuum.core.errors import ConfigurationError, ContinuumError
from continuum.mcp.settings import (
    DEFAULT_DB,
    DEFAULT_HOST,
    DEFAULT_PORT,
    STDIO,
    TRANSPORTS,
    read_settings,
    working_folder,
)
from continuum.services.opening import open_for_serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from types import ModuleType

PROGRAM = "continuum-mcp"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until the client leaves or the process is stopped; return the exit status."""
    options = _parser().parse_args(argv)
    try:
        _serve(options)
    except ContinuumError as exc:
        note(f"error: {exc}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def note(text: str) -> None:
    """Print one line for whoever runs the server; control characters are shown escaped."""
    line = "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
    print(line, file=sys.stderr, flush=True)


def _serve(options: Namespace) -> None:
    settings = read_settings(options, os.environ, working_folder())
    serving = _load("continuum.mcp.serving")
    tools = serving.chosen_tools(settings)
    with open_for_serving(settings.db, warn=lambda text: note(f"warning: {text}")) as store:
        for notice in store.notices:
            note(notice)
        serving.serve(settings, tools, store)


def _load(name: str) -> ModuleType:
    """Return the module that needs the SDK, which is an optional extra."""
    try:
        return import_module(name)
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.startswith("continuum"):
            raise
        raise ConfigurationError(
            f"the package {exc.name!r} is missing; install the extra: "
            "pip install 'continuum-console[mcp]'"
        ) from exc


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM, description="Serve the store to agents over the Model Context Protocol."
    )
    parser.add_argument("--db", help=f"path or URL of the store ($CONTINUUM_DB, else {DEFAULT_DB})")
    parser.add_argument(
        "--transport", choices=TRANSPORTS, default=STDIO, help=f"how clients connect ({STDIO})"
    )
    parser.add_argument(
        "--host", default=DEFAULT_HOST, help=f"address to listen on ({DEFAULT_HOST}); not for stdio"
    )
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT,
        help=f"port to listen on ({DEFAULT_PORT}; 0 takes a free one); not for stdio",
    )  # fmt: skip
    return parser
