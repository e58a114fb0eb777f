"""Verification reports as JSON."""

from __future__ import annotations

from continuum.wire.failures import with_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.chain import Violation
    from continuum.services.chain import VerifyReport


def verification(report: VerifyReport, *, with_index: bool = False) -> dict[str, Any]:
    """Return what an audit found.

    `projectable` is there only when the chain is healthy, the index members
    only when they were asked for.
    """
    walked = report.verification
    document: dict[str, Any] = {
        "ok": walked.ok,
        "checked": walked.checked,
        "truncated": walked.truncated,
        "trusted_through": {walked.run_id: walked.trusted_through},
        "violations": [violation(one) for one in walked.violations],
    }
    if report.projectable is not None:
        document["projectable"] = report.projectable
    if with_index:
        document["action_index_drift"] = report.index_drift
    if report.index_repair is not None:
        document["action_index_repair"] = report.index_repair
    return with_failure(document, report.failure)


def violation(found: Violation) -> dict[str, Any]:
    """Return one thing that is wrong with a chain."""
    return {
        "kind": str(found.kind),
        "run_id": found.run_id,
        "sequence": found.sequence,
        "event_id": found.event_id,
        "detail": found.detail,
    }
