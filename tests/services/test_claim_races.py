"""Many processes claim the same keys at once; exactly one may perform each effect."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from subprocess import PIPE, Popen

from continuum.domain.chain import ChainWalk
from continuum.store.opening import open_store
from tests.ledger.memory import insert_runs

ROOT = Path(__file__).parents[2]
PROCESSES = 8
KEYS = [f"job-{number}" for number in range(20)]
TIMEOUT_SECONDS = 120


def race(url, run_ids, scope):
    """Let one process per run id claim every key, released together; return their answers."""
    command = [sys.executable, "-m", "tests.services.claimant", url]
    racers = [
        Popen(
            [*command, run_id, scope, str(len(KEYS))], cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True
        )
        for run_id in run_ids
    ]
    try:
        for racer in racers:
            assert racer.stdout and racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin
            racer.stdin.write("go\n")
            racer.stdin.flush()
        outputs = [racer.communicate(timeout=TIMEOUT_SECONDS)[0] for racer in racers]
    finally:
        for racer in racers:
            racer.kill()
            racer.wait()
    assert [racer.returncode for racer in racers] == [0] * len(racers)
    return [json.loads(output) for output in outputs]


def is_whole(store, run_id):
    walk = ChainWalk(run_id)
    walk.live(store.event_rows(run_id, archived=False))
    return walk.result().ok


def test_o01_every_key_has_one_winner(store_url):
    with open_store(store_url) as store:
        insert_runs(store, "run-a")

    answers = race(store_url, ["run-a"] * PROCESSES, "run")

    for key in KEYS:
        told = Counter(answer[key] for answer in answers)
        assert told == {"proceed": 1, "unknown": PROCESSES - 1}
    with open_store(store_url, read_only=True) as store:
        assert is_whole(store, "run-a")
        assert len(store.slots("run-a")) == len(KEYS)
        # One start and one doubt: an attempt that is unknown already is not doubted again.
        assert store.head("run-a").sequence == 2 * len(KEYS)


def test_a_store_wide_key_has_one_winner_among_all_runs(store_url):
    runs = [f"run-{number}" for number in range(PROCESSES)]
    with open_store(store_url) as store:
        insert_runs(store, *runs)

    answers = race(store_url, runs, "store")

    for key in KEYS:
        assert Counter(answer[key] for answer in answers)["proceed"] == 1
    with open_store(store_url, read_only=True) as store:
        assert all(is_whole(store, run_id) for run_id in runs)
        assert sum(len(store.slots(run_id)) for run_id in runs) == len(KEYS)
