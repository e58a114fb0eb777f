"""Environments: what the resources around a run looked like at one moment.

A snapshot lives inside a checkpoint. Comparing it with a later one tells
which resources moved; a resource that could not be inspected is never taken
for unchanged.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.canonical import stable_hash
from continuum.core.clock import body_time
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any, TypedDict

    class Resource(TypedDict):
        """One resource; its identity is the checksum if there is one, else the version."""

        name: str
        kind: str
        version: str | None
        checksum: str | None
        metadata: dict[str, Any]

    class Environment(TypedDict):
        """A snapshot; `captured_at` is a body text."""

        env_id: str
        run_id: str
        captured_at: str
        resources: dict[str, Resource]
        integrity_hash: str


UNINSPECTED = "__unknown__"
"""The version of a resource that could not be looked at."""


class Change(StrEnum):
    """How a resource differs between two snapshots."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    UNKNOWN = "unknown"


BREAKING = frozenset({Change.CHANGED, Change.REMOVED, Change.UNKNOWN})
"""Changes after which what rests on the resource no longer stands."""


class Delta(NamedTuple):
    """One compared resource.

    Attributes:
        before, after: the identities compared, None where there is none.
        detail: one sentence when the resource is gone or cannot be compared.
    """

    resource: str
    change: Change
    before: str | None
    after: str | None
    detail: str


def make_environment(
    run_id: str, versions: Mapping[str, str], *, at: datetime, env_id: str | None = None
) -> Environment:
    """Return a snapshot of resources known by name and version, taken at `at`."""
    resources: dict[str, Resource] = {
        name: {
            "name": name,
            "kind": "resource",
            "version": version,
            "checksum": None,
            "metadata": {},
        }
        for name, version in versions.items()
    }
    return {
        "env_id": env_id or new_id("env"),
        "run_id": run_id,
        "captured_at": body_time(at),
        "resources": resources,
        "integrity_hash": environment_hash(run_id, resources),
    }


def environment_hash(run_id: str, resources: Mapping[str, Resource]) -> str:
    """Return the hash of a snapshot: over its run and resources, not its id or time."""
    return stable_hash({"run_id": run_id, "resources": resources})


def compare_environments(before: Environment | None, after: Environment | None) -> list[Delta]:
    """Return one delta per resource in either snapshot, by name; none if a snapshot is missing."""
    if before is None or after is None:
        return []
    earlier, later = before["resources"], after["resources"]
    names = sorted({*earlier, *later})
    return [_compare(name, earlier.get(name), later.get(name)) for name in names]


def _compare(name: str, before: Resource | None, after: Resource | None) -> Delta:
    old, new = _identity(before), _identity(after)
    if before is None:
        return Delta(name, Change.ADDED, None, new, "")
    if after is None:
        return Delta(name, Change.REMOVED, old, None, "the resource is not there any more")
    if UNINSPECTED in (before.get("version"), after.get("version")):
        return Delta(name, Change.UNKNOWN, old, new, _inspection_error(before, after))
    if old is None and new is None:
        return Delta(name, Change.UNKNOWN, None, None, "neither side has a version or a checksum")
    return Delta(name, Change.UNCHANGED if old == new else Change.CHANGED, old, new, "")


def _identity(resource: Resource | None) -> str | None:
    if resource is None:
        return None
    return resource.get("checksum") or resource.get("version") or None


def _inspection_error(before: Resource, after: Resource) -> str:
    for resource in (after, before):
        error = (resource.get("metadata") or {}).get("error")
        if error:
            return str(error)
    return "the resource could not be looked at"
