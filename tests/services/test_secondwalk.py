"""A chain walked by two processes gives what one process finds, whatever was done to it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import pytest

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import secondwalk
from continuum.services.chain import walk_chain
from continuum.services.secondwalk import SecondWalker, last_part
from tests.conftest import NOON
from tests.outsiders import execute

EVENTS = 12
BORDER = 6


@pytest.fixture
def backend():
    return "sqlite"


@pytest.fixture
def run_id(make_run, monkeypatch):
    """A run of twelve events that is long enough for two, where there are processors for both."""
    monkeypatch.setattr(secondwalk, "HEAD_START", 0)
    monkeypatch.setattr(secondwalk, "SHORTEST", 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    return make_run(progress=EVENTS - 1)


@pytest.fixture
def answers(monkeypatch):
    """Whether each second process said that its part is healthy, asked once at the border."""
    told = []
    listen = SecondWalker.has_found_it_healthy

    def listening(self):
        """Wait as long as it takes, so that the other process has its say."""
        os.set_blocking(self._answer, True)
        told.append(listen(self))
        return told[-1]

    monkeypatch.setattr(SecondWalker, "has_found_it_healthy", listening)
    monkeypatch.setattr("continuum.domain.digests._BATCH_ROWS", BORDER)
    return told


def walked_alone(store, run_id, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(secondwalk, "SHORTEST", 10**9)
        return walk_chain(store, run_id)


def test_a_healthy_chain_is_shared_and_gives_the_same_outcome(store, run_id, answers, monkeypatch):
    outcome = walk_chain(store, run_id)

    assert answers == [True]
    assert outcome == walked_alone(store, run_id, monkeypatch)
    assert outcome.ok and (outcome.checked, outcome.trusted_through) == (EVENTS, EVENTS)


@pytest.mark.parametrize("sequence", range(1, EVENTS + 1))
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET payload = '{}' WHERE sequence = ?",
        "UPDATE events SET source = 'human' WHERE sequence = ?",
        "UPDATE events SET prev_hash = 'x' WHERE sequence = ?",
        "UPDATE events SET hash = 'x' WHERE sequence = ?",
        "UPDATE events SET hash = NULL WHERE sequence = ?",
        "UPDATE events SET payload = 'no JSON' WHERE sequence = ?",
        "UPDATE events SET sequence = sequence + 100 WHERE sequence = ?",
        "UPDATE events SET sequence = 'x' WHERE sequence = ?",
        "DELETE FROM events WHERE sequence = ?",
        "INSERT INTO events_archive SELECT * FROM events WHERE sequence = ?",
    ],
)
def test_damage_is_found_as_by_one_process(store, store_url, run_id, monkeypatch, damage, sequence):
    with suppress(Exception):  # a column that must not be empty stays as it is
        execute(store_url, damage, (sequence,))

    assert walk_chain(store, run_id) == walked_alone(store, run_id, monkeypatch)


def test_an_archive_is_walked_first(store, run_id, answers, monkeypatch):
    with store.writing(run_id) as writer:
        writer.archive(run_id, 3)

    outcome = walk_chain(store, run_id)

    assert answers[-1]
    assert outcome == walked_alone(store, run_id, monkeypatch)
    assert (outcome.archived, outcome.checked) == (3, EVENTS - 3)


def test_events_appended_meanwhile_are_left_to_the_next_walk(store, open_other, run_id, answers):
    with store.reading():
        store.head(run_id)
        open_other().append(
            run_id, [Draft(EventType.TOOL_COMPLETED, {"tool": "Edit"}, Origin.LLM, NOON)]
        )
        outcome = walk_chain(store, run_id)

    assert answers == [True]
    assert outcome.ok and outcome.head_sequence == EVENTS


@pytest.mark.parametrize("script", ["exit 1", "echo -n healthy", "echo -n h; kill -9 $$"])
def test_a_process_that_fails_leaves_the_walk_to_this_one(
    store, store_url, run_id, tmp_path, monkeypatch, script
):
    broken = tmp_path / "python-broken"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(0o755)
    execute(store_url, "UPDATE events SET payload = '{}' WHERE sequence = 9")
    monkeypatch.setattr(sys, "executable", str(broken))

    assert walk_chain(store, run_id).broken_at == 9


def test_no_process_is_left_behind_by_a_walk_that_is_given_up(store, run_id):
    part = last_part(store, run_id, 1)
    assert part is not None
    with suppress(RuntimeError), SecondWalker(part) as second:
        raise RuntimeError("given up")

    with pytest.raises(ChildProcessError):
        os.waitpid(second._pid, 0)


def test_short_chains_and_stores_in_memory_are_walked_alone(store, run_id, monkeypatch):
    assert last_part(store, run_id, 1) is not None
    monkeypatch.setattr(secondwalk, "SHORTEST", EVENTS)
    assert last_part(store, run_id, 1) is None
    monkeypatch.setattr(secondwalk, "SHORTEST", 4)
    monkeypatch.setattr(store, "url", ":memory:")
    assert last_part(store, run_id, 1) is None
