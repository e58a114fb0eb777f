"""The format vectors: what any client of the store must compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from continuum.domain.events import EventRow

_FOLDER = Path(__file__).parent / "data" / "vectors"


def load_vectors(name: str) -> Any:
    """Return the content of `data/vectors/<name>.json`."""
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def vector_row(run_id: str, fields: dict[str, Any]) -> EventRow:
    """Return the row of an event of a vector, whose payload may be parsed already."""
    payload = fields["payload"]
    return EventRow(
        run_id=run_id,
        sequence=fields["sequence"],
        event_id=fields["event_id"],
        type=fields["type"],
        timestamp=fields["timestamp"],
        payload=payload if isinstance(payload, str) else json.dumps(payload),
        causer_event_id=fields.get("causer_event_id"),
        source=fields["source"],
        prev_hash=fields["prev_hash"],
        hash=fields["hash"],
    )
