"""The reference client: found, and driven as a black box over its command line.

It lives in an environment of its own. Nothing here is skipped where it is
missing, because a run that compared nothing must not look like one that did.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

_ROOT = Path(__file__).parents[2]


class Answer(NamedTuple):
    """What a command answered; `document` is None where it printed no JSON."""

    exit: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document on standard output, or None."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None


class PeerMissing(Exception):
    """The reference client is not installed where it should be."""


def find_peer() -> Path:
    """Return its command: `CONTINUUM_PEER`, else the one in `.venv-peer` of the checkout.

    Raises:
        PeerMissing: there is none.
    """
    named = os.environ.get("CONTINUUM_PEER")
    place = Path(named) if named else _ROOT / ".venv-peer" / "bin" / "continuum"
    if not os.access(place, os.X_OK):
        raise PeerMissing(
            f"no reference client at {place}; `scripts/install peer` installs it, "
            "or CONTINUUM_PEER names its command"
        )
    return place


def peer_python() -> Path:
    """Return the interpreter of the reference client's environment."""
    return find_peer().with_name("python")


def ask_peer(db: Path | str, *arguments: str, folder: Path) -> Answer:
    """Run one command of the reference client in `folder` and wait for its answer."""
    command = [str(find_peer()), "--db", str(db), *arguments]
    return run_command(command, folder)


def run_command(command: list[str], folder: Path, *, stdin: str = "") -> Answer:
    """Run any command without settings of this process in its environment."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=_bare_environment(),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def _bare_environment() -> dict[str, str]:
    dropped = ("PYTHON", "CONTINUUM_", "DJANGO_", "VIRTUAL_ENV", "COV_")
    return {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
