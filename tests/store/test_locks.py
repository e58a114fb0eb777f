"""Reading in one connection takes no lock of another one away, in the same process.

A lock is a process's, not a connection's: whoever closes the file by hand, or
a connection without locks, loses those of every other connection. The next
process then believes that nobody is there and clears the log away; what is
written afterwards through the old connection is lost.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import pytest

from continuum import open_store
from tests.conftest import NOON
from tests.stores import RunMaker

ELSEWHERE = """
import sys
from continuum import open_store
from tests.conftest import NOON
from tests.stores import progressed

with open_store(sys.argv[1]) as store:
    store.append("run_a", [progressed(1, at=NOON)])
"""
SEEN = """
import sys
from continuum import open_store

with open_store(sys.argv[1], read_only=True) as store:
    print(*sorted(run.run_id for run in store.runs(limit=9)))
"""


@pytest.fixture
def path(tmp_path):
    """A store with one run that nobody has open."""
    place = str(tmp_path / "store.db")
    with open_store(place) as store:
        RunMaker(store, at=NOON)("run_a")
    return place


def append_elsewhere(path):
    """Let two processes write, one after the other, each closing the store as the last one."""
    for _ in range(2):
        subprocess.run([sys.executable, "-c", ELSEWHERE, path], check=True)


def ensure_together(writer, path):
    """Assert that a connection of this process and other processes see what the others wrote."""
    append_elsewhere(path)
    assert writer.head("run_a").sequence == 3
    RunMaker(writer, at=NOON)("run_b")
    seen = subprocess.run(
        [sys.executable, "-c", SEEN, path], check=True, capture_output=True, text=True
    )
    assert seen.stdout.split() == ["run_a", "run_b"]


def test_a_reader_that_comes_and_goes_leaves_a_writers_locks_alone(path):
    with open_store(path) as writer:
        writer.head("run_a")
        open_store(path, read_only=True).close()

        ensure_together(writer, path)


def test_a_reader_that_was_there_first_leaves_them_alone_when_it_follows(path):
    with closing(open_store(path, read_only=True)) as reader:
        assert reader.head("run_a").sequence == 1
        with open_store(path) as writer:
            writer.head("run_a")
            assert reader.head("run_a").sequence == 1  # it opens the file anew

            ensure_together(writer, path)
            assert reader.head("run_a").sequence == 3


def test_a_reader_that_was_there_first_leaves_them_alone_when_it_goes(path):
    reader = open_store(path, read_only=True)
    assert reader.head("run_a").sequence == 1
    with open_store(path) as writer:
        writer.head("run_a")
        reader.close()

        ensure_together(writer, path)
