"""Somebody with write access to the file changes history.

This stands outside the product on purpose: it is what the chain is there to
catch, so it goes around the store like an intruder would.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TAMPERED_SEQUENCE = 6


def tamper(store_file: Path, run_id: str) -> None:
    """Redirect one recorded payout."""
    with closing(sqlite3.connect(store_file)) as connection, connection:
        connection.execute(
            "UPDATE events SET payload = replace(payload, 'po_3', 'po_9') "
            "WHERE run_id = ? AND sequence >= ?",
            (run_id, TAMPERED_SEQUENCE),
        )
