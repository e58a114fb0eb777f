"""A writer killed at any moment leaves a whole store."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from continuum import open_store
from continuum.domain.chain import ChainWalk
from continuum.domain.slots import fold_slots
from tests.conftest import NOON
from tests.store import killed
from tests.stores import RunMaker, progressed

STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 30)


def is_whole(store, run_id):
    """Return whether chain, ledger, index and marks agree with each other."""
    walk = ChainWalk(run_id)
    walk.archive(store.event_rows(run_id, archived=True))
    walk.live(store.event_rows(run_id, archived=False))
    slots = {slot.key: slot for slot in store.slots(run_id)}
    return (
        walk.result().ok
        and slots == fold_slots(store.events(run_id))
        and store.index_drift() == 0
        and store.head_mark(run_id).sequence == store.head(run_id).sequence
    )


def run_and_kill(url, statements, work):
    """Start `work` in a process that kills itself before its statement number `statements`."""
    command = [sys.executable, "-m", "tests.store.killed", url, str(statements), work]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("work", ["act", "compact"])
def test_a_kill_before_any_statement_loses_all_of_it_or_nothing(store, store_url, make_run, work):
    run_id = make_run(claimed=["a"], progress=2)
    before = store.head(run_id).sequence
    store.close()

    for step in STEPS:
        finished = run_and_kill(store_url, step, work)
        with open_store(store_url) as after:
            head = after.head(run_id).sequence
            assert is_whole(after, run_id)
            assert head == (before + killed.EVENTS[work] if finished else before)
            assert after.append(run_id, [progressed(9, at=NOON)])[0].sequence == head + 1
            before = head + 1


def test_a_kill_while_a_store_is_made_leaves_one_that_opens(tmp_path):
    for step in (1, 10, 30, 60, 90):
        url = str(tmp_path / f"{step}.db")
        run_and_kill(url, step, "open")

        with open_store(url) as store:
            assert RunMaker(store, at=NOON)(claimed=["a"]) == "run_a"
            assert is_whole(store, "run_a")
