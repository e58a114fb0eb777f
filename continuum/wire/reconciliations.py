"""What asking probes came to, as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.host.probes import Reconciliation


def reconciliation(outcome: Reconciliation) -> dict[str, Any]:
    """Return which actions were settled, how, and which are left."""
    return {
        "run_id": outcome.run_id,
        "dry_run": outcome.dry_run,
        "settled_total": len(outcome.occurred) + len(outcome.not_occurred),
        "settled_occurred": list(outcome.occurred),
        "settled_not_occurred": list(outcome.not_occurred),
        "unresolved": [one._asdict() for one in outcome.unresolved],
        "no_probe_registered": list(outcome.without_probe),
    }
