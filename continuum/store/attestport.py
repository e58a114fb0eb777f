"""The part of the store port about attestations that were made here; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.auditport import VerificationRow


class AttestationRow(NamedTuple):
    """A signed document that is kept for a while, without what it says.

    Attributes:
        run_id: None for one over the whole store.
        by_name: who asked for it.
        signer: who signed, as the document says; empty where it says nobody.
        head_sequence: the newest signed event; 0 for the whole store.
        runs: how many runs it is about.
    """

    attestation_id: str
    run_id: str | None
    by_name: str
    signer: str
    made_at: str
    head_sequence: int
    runs: int


class AttestationReads(Protocol):
    """Attestations; none in a store without the table."""

    has_attestations: bool

    def attestations(self, run_id: str | None, *, limit: int) -> list[AttestationRow]:
        """Return those of a run, or over the whole store, newest first."""

    def attestation_document(self, run_id: str | None, attestation_id: str) -> str | None:
        """Return what one of them says, as it was signed; None where there is none."""

    def newest_attesting(self, run_id: str | None) -> VerificationRow | None:
        """Return how the last attempt to attest a run, or the whole store, has ended."""


class AttestationWrites(Protocol):
    """One more attestation, inside a transaction."""

    def save_attestation(self, row: AttestationRow, document: str) -> None:
        """Keep it."""

    def drop_old_attestations(self, run_id: str | None, *, kept: int) -> None:
        """Drop all but the newest ones of a run, or over the whole store."""
