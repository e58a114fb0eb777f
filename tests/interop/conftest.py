"""The reference client, where it is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def peer() -> str:
    """Path of the reference client's command; skips where there is none."""
    path = os.environ.get("CONTINUUM_PEER") or str(_ROOT / ".venv-peer" / "bin" / "continuum")
    if not Path(path).is_file():
        pytest.skip("the reference client is not installed; `scripts/install peer` does it")
    return path
