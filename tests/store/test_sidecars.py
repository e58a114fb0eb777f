"""Companions of a SQLite file after a crash: what is cleared, what is kept, what is said."""

from __future__ import annotations

from typing import Any

import pytest

from continuum.core.errors import StoreLocked, StoreMissing, StoreUnavailable
from continuum.store.sqlite.sidecars import open_after_crash

BROKEN = StoreUnavailable("cannot be opened")


OPENED: Any = "the store"


class Attempts:
    """Opens only once none of `blocking` is left, or never."""

    def __init__(self, *blocking, error=BROKEN):
        self._blocking = blocking
        self._error = error
        self.number = 0

    def __call__(self):
        self.number += 1
        if not self._blocking or any(path.exists() for path in self._blocking):
            raise self._error
        return OPENED


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "store.db"
    path.write_bytes(b"")
    return path


@pytest.fixture
def index(place):
    path = place.with_name("store.db-shm")
    path.write_text("index")
    return path


@pytest.fixture
def log(place):
    path = place.with_name("store.db-wal")
    path.write_text("log")
    return path


def test_an_index_is_removed_and_the_log_left(place, index, log):
    said: list[str] = []

    assert open_after_crash(str(place), Attempts(index), said.append) is OPENED

    assert not index.exists()
    assert log.read_text() == "log"
    assert said == []


def test_a_log_is_moved_aside_under_a_free_name(place, log):
    earlier = place.with_name("store.db-wal.orphaned")
    earlier.write_text("earlier")
    said: list[str] = []

    open_after_crash(str(place), Attempts(log), said.append)

    aside = place.with_name("store.db-wal.orphaned.1")
    assert (aside.read_text(), earlier.read_text()) == ("log", "earlier")
    assert len(said) == 1
    assert str(aside) in said[0]


def test_a_log_is_moved_back_when_that_did_not_help(place, index, log):
    with pytest.raises(StoreUnavailable):
        open_after_crash(str(place), Attempts(), pytest.fail)

    assert log.read_text() == "log"
    assert not list(place.parent.glob("*.orphaned*"))


def test_without_companions_the_first_error_stands(place):
    attempts = Attempts()

    with pytest.raises(StoreUnavailable) as caught:
        open_after_crash(str(place), attempts, pytest.fail)

    assert caught.value is BROKEN
    assert attempts.number == 1


@pytest.mark.parametrize("error", [StoreLocked("busy"), StoreMissing("none")])
def test_other_causes_clear_nothing(place, index, log, error):
    with pytest.raises(type(error)):
        open_after_crash(str(place), Attempts(error=error), pytest.fail)

    assert index.exists() and log.exists()


def test_an_index_that_cannot_be_removed_is_said(place, log):
    stuck = place.with_name("store.db-shm")
    stuck.mkdir()

    with pytest.raises(StoreUnavailable, match="-shm cannot be removed"):
        open_after_crash(str(place), Attempts(), pytest.fail)

    assert log.read_text() == "log"
