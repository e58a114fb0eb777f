"""The retry budgets of the working folder."""

from __future__ import annotations

import os

from continuum.host.registries import read_registry
from continuum.ledger.budgets import Budgets, budgets_from_registry

BUDGETS_PATH = ".continuum/budgets.json"


def read_budgets() -> Budgets:
    """Return what the registry says; the usual budgets without one.

    Raises:
        ConfigurationError: the file cannot be read or is malformed.
    """
    where = os.path.abspath(BUDGETS_PATH)
    return (
        budgets_from_registry(read_registry(where), where) if os.path.exists(where) else Budgets()
    )
