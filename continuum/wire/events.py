"""Events as JSON."""

from __future__ import annotations

from continuum.wire.times import listed_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.events import Event


def listed_event(event: Event) -> dict[str, Any]:
    """Return one row of the list of events: what happened and when, without hashes."""
    return {
        "sequence": event.sequence,
        "type": str(event.type),
        "timestamp": listed_time(event.timestamp),
        "payload": event.payload,
    }
