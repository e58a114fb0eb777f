"""Parts of a store that are loaded late: each method is there, and only when asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from continuum.store.actionport import ActionReads, ActionWrites
from continuum.store.auditport import AuditReads, AuditWrites
from continuum.store.callerport import CallerReads, CallerWrites
from continuum.store.familyport import FamilyReads
from continuum.store.logport import LogReads
from continuum.store.modelport import ModelReads, ModelWrites
from continuum.store.noteport import NoteReads, NoteWrites
from continuum.store.policyport import PolicyReads, PolicyWrites
from continuum.store.searchport import SearchReads, SearchWrites

READS = (
    ActionReads,
    AuditReads,
    CallerReads,
    FamilyReads,
    LogReads,
    ModelReads,
    NoteReads,
    PolicyReads,
    SearchReads,
)
WRITES = (
    ActionWrites,
    AuditWrites,
    CallerWrites,
    ModelWrites,
    NoteWrites,
    PolicyWrites,
    SearchWrites,
)


def methods_of(*ports):
    return [name for port in ports for name, one in vars(port).items() if callable(one)]


@pytest.mark.parametrize("name", methods_of(*READS))
def test_a_store_has_every_read_of_its_ports(store, name):
    assert callable(getattr(store, name))


@pytest.mark.parametrize("name", methods_of(*WRITES))
def test_a_transaction_has_every_write_of_its_ports(store, name):
    with store.writing() as writer:
        assert callable(getattr(writer, name))


def test_what_no_part_has_is_refused_as_usual(store):
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = store.nonsense


def test_judging_a_run_loads_no_part(tmp_path):
    code = (
        "import sys; from continuum.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*(name for name in sys.modules if name.startswith('continuum.')))"
    )
    place = str(tmp_path / "store.db")
    late = ("policies", "callers", "notes", "actionlists", "families", "logs", "search")
    commands = ("start run-1 --goal g", "status run-1", "resume run-1", "verify run-1")
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-c", code, "--db", place, *command.split()],
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = done.stdout.splitlines()[-1].split()

        assert "continuum.store.records" in loaded
        assert not {f"continuum.store.{name}" for name in late} & set(loaded), command
        assert ("continuum.store.writer" in loaded) == command.startswith("start"), command
        assert "continuum.domain.checkpoints" not in loaded or not command.startswith("resume")
