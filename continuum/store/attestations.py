"""Attestations that were made here, in SQL."""

from __future__ import annotations

from continuum.store.attestport import AttestationRow
from continuum.store.auditport import VerificationRow
from continuum.store.base import MAX_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.database import Database


class AttestationTableReads:
    """What was signed."""

    _database: Database
    has_attestations: bool

    def attestations(self, run_id: str | None, *, limit: int) -> list[AttestationRow]:
        """Return those of a run, or over the whole store, newest first."""
        if not self.has_attestations:
            return []
        rows = self._database.all("attestations.list", run_id=run_id, limit=min(limit, MAX_PAGE))
        return [AttestationRow._make(row) for row in rows]

    def attestation_document(self, run_id: str | None, attestation_id: str) -> str | None:
        """Return what one of them says, as it was signed; None where there is none."""
        if not self.has_attestations:
            return None
        wanted = {"run_id": run_id, "attestation_id": attestation_id}
        row = self._database.one("attestations.document", **wanted)
        return row[0] if row else None

    def newest_attesting(self, run_id: str | None) -> VerificationRow | None:
        """Return how the last attempt to attest a run, or the whole store, has ended."""
        if not self.has_attestations:
            return None
        row = self._database.one("attestations.newest_end", run_id=run_id)
        return VerificationRow._make(row) if row else None


class AttestationTableWrites:
    """One more attestation, inside a transaction."""

    _database: Database

    def save_attestation(self, row: AttestationRow, document: str) -> None:
        """Keep it."""
        self._database.run("attestations.save", {**row._asdict(), "document": document})

    def drop_old_attestations(self, run_id: str | None, *, kept: int) -> None:
        """Drop all but the newest ones of a run, or over the whole store."""
        bounds = {"run_id": run_id, "kept": kept, "most": MAX_PAGE}
        self._database.run("attestations.drop_older", bounds)
