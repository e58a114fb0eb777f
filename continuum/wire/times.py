"""Times as lists of runs and events print them."""

from __future__ import annotations

from continuum.core.clock import column_time, parse_time


def listed_time(text: str) -> str:
    """Return a stored time as `YYYY-MM-DD hh:mm:ss[.ffffff]+00:00`."""
    normal = text if text.endswith("+00:00") else column_time(parse_time(text))
    return normal.replace("T", " ", 1)
