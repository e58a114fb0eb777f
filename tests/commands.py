"""Running our command line inside the test process."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from continuum.cli.main import main


class Answer(NamedTuple):
    """What one command printed, and its exit status."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """The JSON document on stdout."""
        return json.loads(self.stdout)


def run_ours(*argv: str, environment: dict[str, str] | None = None) -> Answer:
    """Run our command line in the current folder."""
    out, err = io.StringIO(), io.StringIO()
    before = dict(os.environ)
    os.environ.update(environment or {})
    try:
        with redirect_stdout(out), redirect_stderr(err):
            exit_code = main(argv)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return Answer(exit_code, out.getvalue(), err.getvalue())
