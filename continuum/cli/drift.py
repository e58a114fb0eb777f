"""verify --index: whether what is computed from the logs fits them."""

from __future__ import annotations

from continuum.services.projections import projection_drift, repair_projections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from continuum.cli.session import Session
    from continuum.services.projections import Drift
    from continuum.services.verifications import Order


def compare(
    session: Session, options: Namespace, store: Any, order: Order, *, sound: Sequence[str]
) -> tuple[Drift | None, str | None]:
    """Compare and repair what is computed from the logs, where these can be trusted.

    Args:
        sound: the runs whose chains are healthy.

    Returns:
        how far it is off, and what came of a repair, each None where there was none.
    """
    if not sound:
        return None, "refused_chain_failed" if options.repair_index else None
    drift = projection_drift(store, sound, at=session.at)
    if not options.repair_index:
        return drift, None
    repair_projections(store, sound, order, drift=drift, at=session.at)
    return projection_drift(store, sound, at=session.at), "rebuilt"
