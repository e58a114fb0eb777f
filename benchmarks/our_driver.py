"""Our side: the same services that every front end calls."""

from __future__ import annotations

from typing import Any

from benchmarks.driving import serve, timed
from benchmarks.stores import TOOL_PAYLOAD
from continuum import open_store
from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError
from continuum.domain.events import Draft, EventType, Origin
from continuum.ledger.claims import Claim
from continuum.services import search
from continuum.services.actions import claim_action, complete_action
from continuum.services.chain import verify_run, walk_chain
from continuum.services.progress import append_event
from continuum.services.recovery import assess as judge
from continuum.services.runs import NewRun, start_run
from continuum.services.summaries import catch_up


def start(url: str, runs: list[str]) -> None:
    """Start runs in a store, which is made if it is missing."""
    with open_store(url) as store:
        for run_id in runs:
            start_run(store, NewRun(run_id, "measure"), at=utc_now())


def append(url: str, run_id: str, count: int) -> dict[str, Any]:
    """Append one durable event at a time; return the seconds and how many failed."""
    failed = 0
    with open_store(url) as store, timed() as watch:
        for _ in range(count):
            try:
                store.append(run_id, [_draft()])
            except ContinuumError:
                failed += 1
    return {"seconds": watch.seconds, "failed": failed}


def append_many(url: str, run_id: str, count: int, size: int) -> dict[str, Any]:
    """Append `size` events a transaction."""
    with open_store(url) as store, timed() as watch:
        for _ in range(0, count, size):
            store.append(run_id, [_draft() for _ in range(size)])
    return {"seconds": watch.seconds, "failed": 0}


def append_folded(url: str, run_id: str, count: int) -> dict[str, Any]:
    """Append as agents do: each event is tried on the run's state first."""
    with open_store(url) as store, timed() as watch:
        for _ in range(count):
            append_event(store, run_id, _draft())
    return {"seconds": watch.seconds, "failed": 0}


def refresh(url: str) -> dict[str, Any]:
    """Bring the lists and the search up to date; return the seconds and the runs judged."""
    with open_store(url) as store, timed() as watch:
        count = catch_up(store, limit=10**6, at=utc_now())
        while search.catch_up(store):
            pass
    return {"seconds": watch.seconds, "runs": count}


def verify(url: str, run_id: str) -> float:
    """Walk the whole chain; return the seconds."""
    with open_store(url, read_only=True) as store, timed() as watch:
        outcome = walk_chain(store, run_id)
    if not outcome.ok:
        raise RuntimeError(f"the generated log does not verify: {outcome.violations[:3]}")
    return watch.seconds


def verify_and_fold(url: str, run_id: str) -> float:
    """Walk the whole chain and fold the whole log, as the command does; return the seconds."""
    with open_store(url, read_only=True) as store, timed() as watch:
        report = verify_run(store, run_id)
    if not report.ok:
        raise RuntimeError(f"the generated log does not verify: {report}")
    return watch.seconds


def assess(url: str, run_id: str, audit: bool = False) -> float:
    """Judge a run, as lists and pages show it or with the whole chain; return the seconds."""
    with open_store(url, read_only=True) as store, timed() as watch:
        judge(store, run_id, at=utc_now(), audit=audit)
    return watch.seconds


def claim_and_complete(url: str, run_id: str, names: list[str]) -> dict[str, list[float]]:
    """Claim new actions under explicit keys and complete them; return the seconds of each."""
    taken: dict[str, list[float]] = {"claim": [], "complete": []}
    with open_store(url) as store:
        for name in names:
            with timed() as watch:
                wish = Claim("send_mail", {"to": f"{name}@example.org"}, key=name)
                answer = claim_action(store, run_id, wish, at=utc_now())
            taken["claim"].append(watch.seconds)
            with timed() as watch:
                complete_action(store, run_id, answer.key, result={"ok": True}, at=utc_now())
            taken["complete"].append(watch.seconds)
    return taken


def _draft() -> Draft:
    return Draft(EventType.TOOL_COMPLETED, TOOL_PAYLOAD, Origin.DETERMINISTIC, utc_now())


if __name__ == "__main__":
    serve(
        {
            "start": start,
            "append": append,
            "append_many": append_many,
            "append_folded": append_folded,
            "refresh": refresh,
            "verify": verify,
            "verify_and_fold": verify_and_fold,
            "assess": assess,
            "claim_and_complete": claim_and_complete,
        }
    )
