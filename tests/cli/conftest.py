"""Every test of a command works in an empty folder of its own."""

from __future__ import annotations

import pytest

import continuum


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Work in an empty folder, without what the person's environment says."""
    monkeypatch.chdir(tmp_path)
    for name in ("CONTINUUM_DB", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def store():
    """The default store of the folder, open for writing."""
    with continuum.open_store("continuum.db") as opened:
        yield opened
