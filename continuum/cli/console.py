"""users, dashboard, demo: commands that need Django run in a process of their own."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import NoReturn


def hand_over(name: str, arguments: Sequence[str], options: Namespace) -> NoReturn:
    """Replace this process by the console's own command line."""
    sys.stdout.flush()
    sys.stderr.flush()
    command = [sys.executable, "-m", "continuum_site", *handed_arguments(name, arguments, options)]
    os.execv(sys.executable, command)


def handed_arguments(name: str, arguments: Sequence[str], options: Namespace) -> list[str]:
    """Return what the console's command line is given: the global options put in their place."""
    store = [] if options.db is None else [f"--db={options.db}"]
    as_json = ["--json"] if options.json and list(arguments[:1]) == ["list"] else []
    return [name, *store, *arguments, *as_json]
