"""A process that appends to one run, through the client whose interpreter runs it.

`python -P appender.py CLIENT URL RUN COUNT`: says `ready`, waits for a line,
appends, and prints {"appended", "failed"}. A client that refuses because
another one was first tries again until its events are in the log.
"""

from __future__ import annotations

import importlib
import json
import sys
from datetime import UTC, datetime
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TRIES = 200
PAYLOAD = {"tool": "Edit", "path": "a.py"}


def main() -> None:
    """Append as often as asked, from the moment a line arrives."""
    client, url, run_id, count = sys.argv[1:]
    append, failure = _CLIENTS[client](url, run_id)
    print("ready", flush=True)
    sys.stdin.readline()
    failed = sum(_tries(append, failure) - 1 for _ in range(int(count)))
    print(json.dumps({"appended": int(count), "failed": failed}), flush=True)


def _tries(append: Callable[[], None], failure: type[Exception]) -> int:
    """Append one event; return how many tries it took."""
    for tries in range(1, MOST_TRIES):
        try:
            append()
        except failure:
            continue
        return tries
    raise RuntimeError(f"no append in {MOST_TRIES} tries")


def _ours(url: str, run_id: str) -> tuple[Callable[[], None], type[Exception]]:
    sys.path.insert(0, str(_root()))
    events: Any = importlib.import_module("continuum.domain.events")
    store = importlib.import_module("continuum").open_store(url)

    def append() -> None:
        draft = events.Draft(
            events.EventType.TOOL_COMPLETED,
            PAYLOAD,
            events.Origin.DETERMINISTIC,
            datetime.now(UTC),
        )
        with store.writing(run_id) as writer:
            writer.append(run_id, [draft])

    return append, importlib.import_module("continuum.core.errors").ContinuumError


def _peer(url: str, run_id: str) -> tuple[Callable[[], None], type[Exception]]:
    events = importlib.import_module("continuum.events")
    store = importlib.import_module("continuum.storage").open_storage(url)

    def append() -> None:
        store.append_event(run_id, events.EventType.TOOL_COMPLETED, PAYLOAD)

    return append, Exception


def _root() -> Any:
    return importlib.import_module("pathlib").Path(__file__).parents[2]


_CLIENTS = {"ours": _ours, "peer": _peer}


if __name__ == "__main__":
    main()
