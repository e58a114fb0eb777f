"""Verdicts and contracts as plain text, for readers who get nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from continuum.domain.contract import Contract
    from continuum.recovery.validation import Entry
    from continuum.recovery.verdict import Verdict

MAX_LINES = 60
"""Lines of one section that are shown; a longer one says how many are not."""


def report(verdict: Verdict) -> str:
    """Return the verdict with its reasons and what to do about them."""
    lines = [
        f"Run {verdict.run_id}: {verdict.mode} ({'safe' if verdict.safe else 'not safe'} to go on)",
        f"Checkpoint: v{verdict.checkpoint_version}",
        *_section("Because", verdict.rationale),
        *_section("State", (_part(entry) for entry in verdict.validation.entries)),
        *_section(
            "Outcome unknown",
            (f"{one.action_type} is {one.status} ({one.action_id})" for one in verdict.uncertain),
        ),
        *_section("To do", (f"{step.id}: {step.reason}" for step in verdict.plan)),
        *_section("By a person", verdict.human_steps),
    ]
    return "\n".join(lines)


def contract_text(sealed: Contract) -> str:
    """Return a sealed contract in words."""
    lines = [
        f"Contract for run {sealed.run_id}, checkpoint v{sealed.checkpoint_version}",
        f"Status: {sealed.recovery_status}",
        f"Reason: {sealed.reason}",
        f"Next: {sealed.next_allowed_action or 'nothing is prescribed'}",
        *_section("Relied on", sealed.verified),
        *_section("Not relied on", sealed.invalidated),
        *_section("Required, in order", sealed.required_actions),
        f"Seal: {sealed.integrity_hash}",
    ]
    return "\n".join(lines)


def _part(entry: Entry) -> str:
    return f"{entry.name} is {entry.status}: {entry.detail}"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [*lines]
    if not shown:
        return
    yield f"{title}:"
    yield from (f"- {line}" for line in shown[:MAX_LINES])
    if len(shown) > MAX_LINES:
        yield f"- and {len(shown) - MAX_LINES} more"
