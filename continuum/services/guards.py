"""The triggers that notice changes of the log: seeing that they are there, restoring them.

Without them a verified mark stays up although an event was changed. So no
mark is believed while one is missing: every verdict then walks the whole
chain. Restoring them cannot tell what happened meanwhile; a full verification
does, and an attestation made before.
"""

from __future__ import annotations

from continuum.services.verifications import blank_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.verifications import Order, VerificationRow
    from continuum.store.base import ReadStore, Store


def missing_guards(store: ReadStore) -> list[str]:
    """Return the names of triggers that are gone, switched off or altered."""
    return store.missing_guards()


def restore_guards(store: Store, order: Order, *, at: datetime) -> VerificationRow | None:
    """Make missing triggers again and keep that it was done; None where none is missing."""
    missing = store.missing_guards()
    if not missing:
        return None
    row = blank_row(order, "guards", (at, at))._replace(
        run_id=None, outcome="repaired", detail=f"triggers made again: {', '.join(missing)}"
    )
    with store.writing() as writer:
        writer.restore_guards()
        writer.save_verification(row)
    return row
