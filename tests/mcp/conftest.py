"""Fixtures of the tests of the agents' door."""

from __future__ import annotations

import pytest

from tests.interop.peer import PeerMissing, find_peer


@pytest.fixture(scope="session")
def peer() -> str:
    """Path of the reference client's command; a test that needs it fails where there is none."""
    try:
        return str(find_peer())
    except PeerMissing as exc:
        pytest.fail(str(exc), pytrace=False)
