"""What a verdict looks at beside the log: this machine, the environment, what a run is pinned to.

Most commands find or are given nothing of it, so it is loaded only where there is something.
"""

from __future__ import annotations

import json

from continuum.core.errors import InvalidInput
from continuum.host.registries import read_host as read_host
from continuum.services.checkpoints import observed_environment as observed_environment
from continuum.services.pinning import normalise_pinning
from continuum.services.pinning import pinning_drift as pinning_drift


def read_pinning(text: str) -> dict[str, str]:
    """Return what `--pinning` says.

    Raises:
        InvalidInput: it is no JSON, or not of the form pins have.
    """
    try:
        value = json.loads(text)
    except ValueError as exc:
        raise InvalidInput(f"--pinning is no JSON: {exc}") from exc
    return normalise_pinning(value)
