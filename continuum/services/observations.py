"""What the files that tools reported look like on this host now."""

from __future__ import annotations

import os
import stat

from continuum.core.hashing import FEW, hash_maker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.domain.runfacts import Observation

MAX_HASHED_BYTES = 64 * 1024 * 1024
_BLOCK = 1024 * 1024


def observation_rows(
    seen: Iterable[Observation], omitted: int, *, directory: str | None, limit: int
) -> tuple[dict[str, Any], ...]:
    """Return the rows of a contract's `post_checkpoint_observations`, newest first.

    Args:
        directory: where relative paths start; None leaves the disk alone, and
            every row `unresolvable`.
        limit: how many rows are shown; a full page ends with a row that says
            how many are left out.
    """
    rows: list[dict[str, Any]] = [
        {
            "sequence": one.sequence,
            "tool": one.tool,
            "path": one.path,
            "status": _status(one, directory),
        }
        for one in seen
    ]
    if len(rows) >= limit:
        rows.append({"truncated": True, "omitted": omitted})
    return tuple(rows)


def _status(one: Observation, directory: str | None) -> str:
    if directory is None or (one.sha256 is None and one.bytes is None):
        return "unresolvable"
    path = os.path.join(directory, one.path)
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return "missing"
    if not stat.S_ISREG(found.st_mode):
        return "missing"
    if one.bytes is not None and found.st_size != one.bytes:
        return "changed"
    if one.sha256 is None or found.st_size > MAX_HASHED_BYTES:
        return "recorded"
    return "verified" if _digest(path) == one.sha256 else "changed"


def _digest(path: str) -> str:
    digest = hash_maker(FEW)(b"")
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError:
        return ""
    found: str = digest.hexdigest()
    return found
