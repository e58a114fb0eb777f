"""The reference client's side, through the calls it documents for library users.

Runs under the interpreter of the reference client's own environment.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.driving import serve, timed
from benchmarks.stores import TOOL_PAYLOAD, action_key

_storage = importlib.import_module("continuum.storage")
_events = importlib.import_module("continuum.events")
_models = importlib.import_module("continuum.models")
_recovery = importlib.import_module("continuum.recovery")
_actions = importlib.import_module("continuum.actions")


def create(url: str) -> None:
    """Make an empty store."""
    _storage.open_storage(url).close()


def start(url: str, runs: list[str]) -> None:
    """Start runs in a store."""
    store = _storage.open_storage(url)
    for run_id in runs:
        store.create_run_started(_models.Run(run_id=run_id, goal="measure"))
    store.close()


def append(url: str, run_id: str, count: int) -> dict[str, Any]:
    """Append one durable event at a time; return the seconds and how many failed."""
    store = _storage.open_storage(url)
    kind = _events.EventType.TOOL_COMPLETED
    failed = 0
    with timed() as watch:
        for _ in range(count):
            try:
                store.append_event(run_id, kind, TOOL_PAYLOAD)
            except Exception:  # noqa: BLE001 whatever it raises, the event was not recorded
                failed += 1
    store.close()
    return {"seconds": watch.seconds, "failed": failed}


def verify(url: str, run_id: str) -> float:
    """Walk the whole chain; return the seconds."""
    store = _storage.open_storage(url)
    with timed() as watch:
        outcome = store.verify_events(run_id)
    store.close()
    if not outcome.ok:
        raise RuntimeError(f"the generated log does not verify: {outcome}")
    return watch.seconds


def assess(url: str, run_id: str) -> float:
    """Judge a run; return the seconds."""
    store = _storage.open_storage(url)
    with timed() as watch:
        _recovery.RecoveryEngine(store).assess(run_id)
    store.close()
    return watch.seconds


def claim_and_complete(url: str, run_id: str, names: list[str]) -> dict[str, list[float]]:
    """Claim new actions under explicit keys and complete them; return the seconds of each."""
    taken: dict[str, list[float]] = {"claim": [], "complete": []}
    store = _storage.open_storage(url)
    ledger = _actions.ActionLedger(store, run_id)
    for name in names:
        with timed() as watch:
            ledger.claim("send_mail", {"to": f"{name}@example.org"}, key=name)
        taken["claim"].append(watch.seconds)
        with timed() as watch:
            ledger.complete(action_key(run_id, name), result={"ok": True})
        taken["complete"].append(watch.seconds)
    store.close()
    return taken


if __name__ == "__main__":
    ours = Path(__file__).parents[1] / "continuum"
    if Path(str(_storage.__file__)).is_relative_to(ours):
        raise SystemExit("the reference client is missing from its environment")
    serve(
        {
            "create": create,
            "start": start,
            "append": append,
            "verify": verify,
            "assess": assess,
            "claim_and_complete": claim_and_complete,
        }
    )
