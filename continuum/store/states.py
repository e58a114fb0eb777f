"""Reading state versions and checkpoints: shared by both back ends."""

from __future__ import annotations

from continuum.core.errors import UnreadableRecord, VersionNotFound
from continuum.store.lateparts import loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.domain.checkpoints import Checkpoint, StateVersion
    from continuum.store.database import Database, Row

_FORMS = "continuum.domain.checkpoints"
"""Knows the forms of stored states. Most runs have none when they are judged."""


class StateReads:
    """Versions and checkpoints of a run."""

    _database: Database

    def newest_version(self, run_id: str) -> StateVersion | None:
        """Return it with its fingerprint checked; raise `UnreadableRecord` when it fails."""
        row = self._database.one("states.newest_version", run_id=run_id)
        return _version(row) if row else None

    def version(self, run_id: str, number: int) -> StateVersion:
        """Return one version, checked; raise `VersionNotFound`."""
        row = self._database.one("states.version", run_id=run_id, version=number)
        if row is None:
            raise VersionNotFound(
                f"run {run_id!r} has no version {number}; `continuum history` lists what it has"
            )
        return _version(row)

    def newest_version_cover(self, run_id: str) -> tuple[int, int] | None:
        """Return (version, source_sequence) of the newest version without loading the state."""
        row = self._database.one("states.newest_version_cover", run_id=run_id)
        if row is None:
            return None
        version, covered = row
        try:
            return version, int(covered or 0)
        except ValueError as exc:
            raise UnreadableRecord(
                f"version {version} of run {run_id!r} does not say which events it covers"
            ) from exc

    def newest_checkpoint(self, run_id: str) -> Checkpoint | None:
        """Return the one of greatest version, then created_at; its seal checked."""
        row = self._database.one("states.newest_checkpoint", run_id=run_id)
        return _checkpoint(row[0]) if row else None

    def checkpoints(self, run_id: str) -> Iterator[Checkpoint]:
        """Yield all by ascending version, seals checked."""
        for row in self._database.all("states.checkpoint_keys", run_id=run_id):
            body = self._database.one("states.checkpoint_body", checkpoint_id=row[0])
            if body is not None:
                yield _checkpoint(body[0])


def _version(row: Row) -> StateVersion:
    version: StateVersion = loaded(_FORMS, "version_from_row")(*row)
    return version


def _checkpoint(body: str) -> Checkpoint:
    checkpoint: Checkpoint = loaded(_FORMS, "checkpoint_from_body")(body)
    return checkpoint
