"""Attestations, verification results and breaks as JSON."""

from __future__ import annotations

from continuum.wire.chain import violation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.attestation import Attestation
    from continuum.domain.storeattestation import StoreCheck
    from continuum.services.acts_log import ActPage
    from continuum.services.breaks import Break, Neighbour
    from continuum.services.imports import FileReport
    from continuum.services.standings import Standing
    from continuum.services.verifications import VerificationRow
    from continuum.services.walks import StoreReport


def attestation(found: Attestation) -> dict[str, Any]:
    """Return what a document says about a run; `run_match` and `in_place` are ours."""
    return {
        "run_id": found.run_id,
        "verdict": str(found.verdict),
        "signature_valid": found.signature_valid,
        "chain_match": found.chain_match,
        "chain_intact": found.chain_intact,
        "signer": found.signer,
        "signed_seq": found.signed_sequence,
        "live_seq": found.live_sequence,
        "run_match": found.run_match,
        "in_place": found.in_place,
    }


def store_check(found: StoreCheck) -> dict[str, Any]:
    """Return what a store-wide document proves by itself."""
    return {
        "valid": found.ok,
        "problems": list(found.problems),
        "tree_size": found.tree_size,
        "listed": found.listed,
        "root_hash": found.root_hash,
        "signer": found.signer,
        "timestamp": found.timestamp,
        "runs": [head._asdict() for head in found.heads.values()],
    }


def store_report(found: StoreReport) -> dict[str, Any]:
    """Return what walking every chain has found; `broken` is cut at its limit."""
    return {
        "ok": found.ok,
        "runs": found.runs,
        "events": found.events,
        "broken_runs": found.broken_runs,
        "broken": [
            {
                "run_id": one.verification.run_id,
                "trusted_through": one.verification.trusted_through,
                "violations": [violation(each) for each in one.verification.violations],
                "projection_failed_at": one.failure.sequence if one.failure else None,
            }
            for one in found.broken
        ],
        "runs_without_row": list(found.without_row),
    }


def verification_row(row: VerificationRow) -> dict[str, Any]:
    """Return a kept result."""
    return row._asdict()


def standing(found: Standing) -> dict[str, Any]:
    """Return what may be said about a chain without walking it."""
    return {
        "run_id": found.run_id,
        "state": str(found.state),
        "reason": found.reason,
        "bad_sequence": found.bad_sequence,
        "head_sequence": found.head.sequence,
        "head_hash": found.head.hash,
        "result": verification_row(found.result) if found.result else None,
    }


def break_place(found: Break) -> dict[str, Any]:
    """Return the neighbourhood of the first bad event."""
    return {
        "run_id": found.run_id,
        "sequence": found.sequence,
        "before": _neighbour(found.before),
        "bad": _neighbour(found.bad),
        "after": _neighbour(found.after),
        "differences": [{**one._asdict(), "kind": str(one.kind)} for one in found.differences],
    }


def act_page(page: ActPage) -> dict[str, Any]:
    """Return what people did; `next` is where an older page begins."""
    return {
        "acts": [one._asdict() for one in page.acts],
        "next": list(page.next) if page.next else None,
    }


def file_report(found: FileReport) -> dict[str, Any]:
    """Return what an export file proves by itself."""
    return {
        "ok": found.ok,
        "runs": found.run_count,
        "events": found.events,
        "problems": list(found.problems),
        "heads": {
            one.run_id: {"sequence": one.head_sequence, "hash": one.head_hash} for one in found.runs
        },
        "broken": [
            {
                "run_id": one.run_id,
                "trusted_through": one.trusted_through,
                "violations": [violation(each) for each in one.violations],
            }
            for one in found.runs
            if not one.ok
        ],
    }


def _neighbour(found: Neighbour | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {**found.row._asdict(), "archived": found.archived, "digest": found.digest}
