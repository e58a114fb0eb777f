"""Versions and checkpoints: written, read back checked, and those of the other client."""

from __future__ import annotations

import shutil

import pytest

from continuum import open_store
from continuum.core.errors import Conflict, UnreadableRecord, VersionNotFound
from continuum.domain.checkpoints import make_checkpoint, make_version
from continuum.domain.projection import project
from tests.conftest import NOON
from tests.outsiders import change
from tests.store.test_opening import STORES


@pytest.fixture
def kept(store, make_run):
    """A run with versions 0 and 1 and a checkpoint of each."""
    run_id = make_run(progress=2, goal="Goal — é")
    previous = None
    with store.writing(run_id) as writer:
        for number in (0, 1):
            state = project(run_id, store.events(run_id, upto=number + 2))
            version = make_version(
                run_id=run_id,
                version=number,
                previous=previous,
                reason="test",
                state=state,
                at=NOON,
            )
            writer.insert_version(version)
            previous = version
            writer.insert_checkpoint(checkpoint(run_id, number, state))
    return run_id


def checkpoint(run_id, number, state):
    return make_checkpoint(
        checkpoint_id=f"checkpoint_{number}",
        run_id=run_id,
        version=number,
        trigger="manual",
        reason="",
        state=state,
        environment=None,
        at=NOON,
    )


def test_versions_come_back_checked(store, kept):
    newest = store.newest_version(kept)

    assert newest.version == 1
    assert newest.prev_fingerprint == store.version(kept, 0).fingerprint
    assert newest.state["goal"]["description"] == "Goal — é"
    assert store.newest_version_cover(kept) == (1, 3)
    with pytest.raises(VersionNotFound, match="no version 2"):
        store.version(kept, 2)


def test_a_run_without_any_has_none(store, make_run):
    run_id = make_run()

    assert store.newest_version(run_id) is None
    assert store.newest_version_cover(run_id) is None
    assert store.newest_checkpoint(run_id) is None
    assert list(store.checkpoints(run_id)) == []


def test_checkpoints_come_back_with_their_seals(store, kept):
    assert [one.version for one in store.checkpoints(kept)] == [0, 1]
    assert store.newest_checkpoint(kept).checkpoint_id == "checkpoint_1"


def test_a_checkpoint_id_is_used_once(store, kept):
    state = store.newest_version(kept).state

    with pytest.raises(Conflict, match="checkpoint_1"), store.writing(kept) as writer:
        writer.insert_checkpoint(checkpoint(kept, 1, state))

    assert len(list(store.checkpoints(kept))) == 2


@pytest.mark.parametrize("text", ["{}", "{", "[]", ""])
def test_a_damaged_state_is_refused(store, store_url, kept, text):
    change(store_url, "versions", {"run_id": kept, "version": 1}, {"state": text})
    change(store_url, "checkpoints", {"checkpoint_id": "checkpoint_1"}, {"body": text})

    for read in (store.newest_version, store.newest_checkpoint):
        with pytest.raises(UnreadableRecord):
            read(kept)
    assert store.version(kept, 0).version == 0


@pytest.mark.parametrize("text", ["{", '{"source_sequence":"x"}', ""])
def test_a_version_that_does_not_say_what_it_covers_is_refused(store, store_url, kept, text):
    change(store_url, "versions", {"run_id": kept, "version": 1}, {"state": text})

    with pytest.raises(UnreadableRecord):
        store.newest_version_cover(kept)


def test_states_of_the_other_client_are_read(tmp_path):
    shutil.copy(STORES / "versions.db", tmp_path / "a.db")

    with open_store(str(tmp_path / "a.db"), read_only=True) as store:
        for run in store.runs(limit=9):
            cover = store.newest_version_cover(run.run_id)
            newest = store.newest_version(run.run_id)

            assert newest is not None
            assert (newest.version, newest.state["source_sequence"]) == cover
            assert store.newest_checkpoint(run.run_id) in list(store.checkpoints(run.run_id))
