"""The triggers that notice changes of the log: seeing that they are there, restoring them.

Without them a verified mark stays up although an event was changed. So no
mark is believed while one is missing: every verdict then walks the whole
chain. Restoring them cannot tell what happened meanwhile; a full verification
does, and an attestation made before.
"""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.ids import new_id
from continuum.store.auditport import VerificationRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.verifications import Order
    from continuum.store.base import ReadStore, Store


def missing_guards(store: ReadStore) -> list[str]:
    """Return the names of triggers that are gone, switched off or altered."""
    return store.missing_guards()


def restore_guards(store: Store, order: Order, *, at: datetime) -> VerificationRow | None:
    """Make missing triggers again and keep that it was done; None where none is missing."""
    missing = store.missing_guards()
    if not missing:
        return None
    row = _row(order, missing, at)
    with store.writing() as writer:
        writer.restore_guards()
        writer.save_verification(row)
    return row


def _row(order: Order, missing: list[str], at: datetime) -> VerificationRow:
    return VerificationRow(
        verification_id=new_id("verification"),
        run_id=None,
        kind="guards",
        outcome="repaired",
        head_sequence=0,
        head_hash=None,
        row_digest=None,
        events=0,
        runs=0,
        broken_runs=0,
        bad_run_id=None,
        bad_sequence=None,
        bad_kind=None,
        detail=f"triggers made again: {', '.join(missing)}",
        by_name=order.by,
        via=order.via,
        started_at=column_time(at),
        finished_at=column_time(at),
    )
