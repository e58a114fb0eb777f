"""Comparing what is computed from the log with the log, and computing it anew.

`action_index` is shared with the reference client; `cx_actions` is the ledger
of each run, `cx_summaries` its list row and snapshot, `cx_items` its open
inbox items. None of them is a record: whoever edits one changes what people
see, until the next audit says so. A repair is kept as a row of
`cx_verifications`.
"""

from __future__ import annotations

import json

from continuum.core.clock import column_time
from continuum.core.errors import Corrupted, Unprojectable
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.services.facts import fold_facts, load_facts
from continuum.services.summaries import judged_anew
from continuum.store.auditport import VerificationRow
from continuum.store.modelport import ItemQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from continuum.services.verifications import Order
    from continuum.store.base import ReadStore, Store

_COMPARED = (
    "mode",
    "safe",
    "own_mode",
    "severity",
    "status",
    "goal",
    "parent_run_id",
    "completed",
    "failed",
    "total",
    "open_actions",
    "actions",
    "children",
    "blocked_children",
    "caller",
    "reasons",
)


class Drift(NamedTuple):
    """How many rows of each computed table differ from the log.

    Attributes:
        action_index: of the whole store; the other three of the runs asked about.
    """

    action_index: int = 0
    cx_actions: int = 0
    cx_summaries: int = 0
    cx_items: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


def projection_drift(store: ReadStore, run_ids: Iterable[str], *, at: datetime) -> Drift:
    """Compare the computed tables with the log, for runs whose chain is whole.

    Raises:
        RunNotFound: no such run.
        UnreadableRecord: a log cannot be read.
    """
    with store.reading():
        drift = Drift(action_index=store.index_drift())
        for run_id in run_ids:
            summaries, items = _list_drift(store, run_id, at)
            drift = drift._replace(
                cx_actions=drift.cx_actions + store.ledger_drift(run_id),
                cx_summaries=drift.cx_summaries + summaries,
                cx_items=drift.cx_items + items,
            )
    return drift


def repair_projections(
    store: Store, run_ids: Iterable[str], order: Order, *, drift: Drift, at: datetime
) -> VerificationRow:
    """Compute the tables anew from the log, and keep that it was done and why."""
    runs = [*run_ids]
    row = _repair_row(order, drift, len(runs), at)
    with store.writing() as writer:
        writer.rebuild_index()
        for run_id in runs:
            writer.void_ledger(run_id)
            writer.void_summary(run_id)
        writer.save_verification(row)
    return row


def _list_drift(store: ReadStore, run_id: str, at: datetime) -> tuple[int, int]:
    """A row that lags is no drift; one that claims to be current must be right."""
    summary = store.summary(run_id)
    if summary is None:
        return int(store.summary_is_current(run_id)), 0
    if _snapshot_differs(store, run_id):
        return 1, 0
    if not store.summary_is_current(run_id):
        return 0, 0
    expected, items = judged_anew(store, run_id, at)
    is_off = any(getattr(expected, name) != getattr(summary, name) for name in _COMPARED)
    shown = {one.item_id for one in store.items(ItemQuery(run_id=run_id, limit=200))}
    return int(is_off), len(shown ^ {one.item_id for one in items[:200]})


def _snapshot_differs(store: ReadStore, run_id: str) -> bool:
    try:
        shown = load_facts(store, run_id).snapshot()
        expected = fold_facts(store, run_id).snapshot()
        return json.dumps(shown, sort_keys=True) != json.dumps(expected, sort_keys=True)
    except (Corrupted, Unprojectable):
        raise
    except (KeyError, TypeError, ValueError, IndexError):
        # A snapshot that somebody edited need not even have its members.
        return True


def _repair_row(order: Order, drift: Drift, runs: int, at: datetime) -> VerificationRow:
    return VerificationRow(
        verification_id=new_id("verification"),
        run_id=order.run_id,
        kind="index",
        outcome="repaired",
        head_sequence=0,
        head_hash=None,
        row_digest=None,
        events=0,
        runs=runs,
        broken_runs=0,
        bad_run_id=None,
        bad_sequence=None,
        bad_kind=None,
        detail=json.dumps(drift._asdict(), sort_keys=True),
        by_name=order.by,
        via=order.via,
        started_at=column_time(at),
        finished_at=column_time(at),
    )
