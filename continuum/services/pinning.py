"""Which prompt, tools, model and policy a run was pinned to, and what moved since."""

from __future__ import annotations

from continuum.ledger.pinning import drift_lines
from continuum.ledger.pinning import normalise_pinning as normalise_pinning
from continuum.services.facts import load_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from continuum.store.base import ReadStore


def pinning_drift(store: ReadStore, run_id: str, current: Mapping[str, str]) -> list[str]:
    """Return one line per pin that moved since the run last recorded its pins.

    Information only; it changes no verdict.
    """
    return drift_lines(load_facts(store, run_id).pinning, current)
