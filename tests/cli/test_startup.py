"""What a command costs before it does anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.acting import reported, started

_ROOT = Path(__file__).parents[2]
_HEAVY = {
    "asyncio",
    "dataclasses",
    "django",
    "email",
    "importlib.metadata",
    "inspect",
    "logging",
    "pathlib",
    "psycopg",
    "random",
    "shutil",
    "subprocess",
    "tempfile",
    "typing",
    "uuid",
}
_PROBE = """
import sys
sys.path.insert(0, {root!r})
before = set(sys.modules)
from continuum.cli.main import main
status = main({argv!r})
import json
print(json.dumps([status, sorted(set(sys.modules) - before)]))
"""


def imported_by(*argv: str) -> tuple[int, set[str]]:
    """Run a command in a bare interpreter; return its status and what it imported."""
    script = _PROBE.format(root=str(_ROOT), argv=list(argv))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True
    )
    status, names = json.loads(done.stdout.splitlines()[-1])
    return status, set(names)


@pytest.mark.parametrize(
    "argv",
    [
        ["runs"],
        ["status", "run-a"],
        ["events", "run-a"],
        ["verify", "run-a"],
        ["export", "run-a", "--out", "out.jsonl"],
        ["acts"],
    ],
)
def test_reading_commands_import_nothing_heavy(argv, store):
    reported(store, started(store), 3, 10)

    status, names = imported_by(*argv)

    assert status == 0
    assert not names & _HEAVY


def test_assessing_imports_nothing_heavy(store):
    started(store)

    status, names = imported_by("--json", "resume", "run-a")

    assert status == 0
    assert not names & _HEAVY


def test_version_imports_neither_parser_nor_store():
    status, names = imported_by("--version")

    assert status == 0
    assert not {name for name in names if name.startswith("continuum.")} - {
        "continuum.cli",
        "continuum.cli.main",
        "continuum.core",
        "continuum.core.records",
    }
    assert "argparse" not in names
