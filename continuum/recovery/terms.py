"""The terms of a contract: what a verdict says, in the interchange format."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.contract import Contract, seal_contract
from continuum.recovery.family import blocking_children, child_line
from continuum.recovery.modes import STATUS_OF_MODE, Mode
from continuum.recovery.wording import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.recovery.facts import Facts
    from continuum.recovery.plan import Step
    from continuum.recovery.validation import Validation


class Ruling(NamedTuple):
    """The mode as presented, and the texts that explain it."""

    mode: Mode
    rationale: tuple[str, ...]


def draw_contract(
    facts: Facts, validation: Validation, plan: tuple[Step, ...], ruling: Ruling
) -> Contract:
    """Return the sealed contract of one verdict."""
    contract = Contract(
        run_id=facts.run_id,
        checkpoint_version=facts.checkpoint_version,
        recovery_status=STATUS_OF_MODE[ruling.mode],
        verified=tuple(sorted(_verified(facts, validation))),
        invalidated=tuple(sorted(_invalidated(facts, validation))),
        required_actions=tuple(step.id for step in plan),
        next_allowed_action=plan[0].id if plan else None,
        evidence=(
            *sorted(f"{one.name}: {one.detail}" for one in validation.entries if one.detail),
            *_extra_evidence(facts),
        ),
        reason="; ".join(ruling.rationale),
        post_checkpoint_observations=facts.observations,
    )
    return seal_contract(contract, at=facts.now)


def _verified(facts: Facts, validation: Validation) -> list[str]:
    # A state folded from a log that may have been altered verifies nothing.
    if not facts.chain.ok:
        return []
    until = ""
    if facts.projection_failure is not None:
        until = f" (through sequence {facts.state['source_sequence']})"
    return [f"{entry.name}{until}" for entry in validation.entries if entry.is_valid]


def _invalidated(facts: Facts, validation: Validation) -> Iterator[str]:
    for entry in validation.not_valid:
        yield f"{entry.name} ({entry.status})"
    if facts.projection_failure is not None:
        stop = facts.projection_failure.sequence
        yield f"projection (invalid: log stops folding at sequence {stop})"
    if not facts.chain.ok:
        yield "chain (invalid)"
    if facts.row_disagreement:
        yield "run_row (conflicted)"


def _extra_evidence(facts: Facts) -> Iterator[str]:
    failure, chain, closed = facts.projection_failure, facts.chain, facts.closed
    if not chain.ok:
        yield f"chain: {one_line(chain.detail) or 'does not verify'}"
    if closed:
        yield f"run: {closed.status} at event {closed.sequence}"
    if facts.row_disagreement:
        yield f"run_row: {one_line(facts.row_disagreement)}"
    for child in blocking_children(facts.children):
        yield f"family: {child_line(child)}"
    if failure is not None:
        yield (
            f"projection: stops at sequence {failure.sequence} ({failure.event_type}): "
            f"{one_line(failure.reason)}"
        )
    if facts.question.scope is not None:
        yield f"scope: only {', '.join(sorted(facts.question.scope))} was looked at"
