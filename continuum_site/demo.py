"""`demo`: a fresh store, agents that work and die on it, and the console on top."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from pathlib import Path

from django.core.management import call_command

from continuum_site import dashboard
from continuum_site.binding import DEFAULT_BIND
from runs.demo import stage

DEFAULT_FOLDER = ".demo"
PERSON = "operator"


def main(argv: list[str]) -> int:
    """Set the stage, play the agents, serve until stopped; return 0."""
    options = read_options(argv)
    folder = stage.clear(Path(options.dir).absolute())
    store = folder / stage.STORE
    os.environ["CONTINUUM_STATE"] = str(folder / "console")
    os.environ.setdefault("CONTINUUM_ADDRESS", f"http://{options.bind}")
    with stage.play(store, say=_say):
        dashboard.prepare(str(store))
        password = secrets.token_urlsafe(12)
        call_command("people", "add", PERSON, "--role=operator", "--role=admin", password=password)
        _say(f"\n  Sign in as  {PERSON}\n  Password    {password}\n")
        return dashboard.main(["--db", str(store), "--bind", options.bind])


def read_options(argv: list[str]) -> argparse.Namespace:
    """Parse the command's options."""
    parser = argparse.ArgumentParser(prog="continuum demo", allow_abbrev=False)
    parser.add_argument("--db", help=argparse.SUPPRESS)
    parser.add_argument("--bind", default=DEFAULT_BIND, help=f"HOST:PORT ({DEFAULT_BIND})")
    parser.add_argument("--dir", default=DEFAULT_FOLDER, help="where the demo lives; made anew")
    return parser.parse_args(argv)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
