"""Registry files of the working folder: which exist, and what they say."""

from __future__ import annotations

import os

from continuum.core.errors import ConfigurationError
from continuum.ledger.probes import probes_from_registry
from continuum.ledger.registries import malformed, registry_from_bytes
from continuum.services.recovery import HostFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.ledger.probes import Probe

PROBES_PATH = ".continuum/reconcilers.json"
GATE_PATH = ".continuum/gate.json"

_MAX_BYTES = 1024 * 1024


def read_host() -> HostFacts:
    """Return what this machine contributes to a verdict's guidance.

    A broken probe registry counts as empty here; `continuum reconcile` refuses it.
    """
    try:
        probes = frozenset(read_probes())
    except ConfigurationError:
        probes = frozenset()
    return HostFacts(probes, gate_active=os.path.isfile(GATE_PATH), directory=os.getcwd())


def read_probes(path: str | None = None) -> dict[str, Probe]:
    """Return the registered probes by action type; none without a registry.

    Args:
        path: a registry other than the usual one; it has to exist.

    Raises:
        ConfigurationError: the file cannot be read or is malformed.
    """
    where = os.path.abspath(path or PROBES_PATH)
    if path is None and not os.path.exists(where):
        return {}
    return probes_from_registry(read_registry(where), where)


def read_registry(where: str) -> dict[str, Any]:
    """Return the object in the registry file at the absolute path `where`.

    Raises:
        ConfigurationError: the file cannot be read or is malformed.
    """
    return registry_from_bytes(_content(where), where)


def _content(where: str) -> bytes:
    try:
        with open(where, "rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise malformed(where, exc.strerror or str(exc)) from exc
    if len(content) > _MAX_BYTES:
        raise malformed(where, f"it is larger than {_MAX_BYTES} bytes")
    return content
