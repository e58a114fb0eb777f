"""A verdict as text: the same page for validate, resume and confirm."""

from __future__ import annotations

from continuum.cli.colour import Painted, actor_mark, mode_name, ok_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from continuum.cli.output import Terminal
    from continuum.recovery.verdict import Verdict


def print_verdict(terminal: Terminal, verdict: Verdict) -> None:
    """Print the verdict with everything it rests on."""
    terminal.line(Painted("Run ", "bold"), verdict.run_id)
    terminal.line("Goal: ", verdict.state["goal"]["description"])
    terminal.line(f"Checkpoint: v{verdict.checkpoint_version}")
    _print_chain(terminal, verdict)
    terminal.line()
    terminal.line(Painted("State", "bold"))
    for entry in verdict.validation.entries:
        name = f"{entry.component} {entry.component_id}" if entry.component_id else entry.component
        terminal.line("  ", ok_mark(entry.status == "valid"), f" {name}: {entry.detail}")
    _print_actions(terminal, verdict)
    terminal.line()
    terminal.line(Painted("Verdict: ", "bold"), mode_name(verdict.mode))
    for reason in verdict.rationale:
        terminal.line("  because ", reason)
    _print_plan(terminal, verdict)


def print_context(terminal: Terminal, verdict: Verdict) -> None:
    """Print what resuming needs beside the verdict: family and earlier attempts."""
    terminal.lines("Children that stand in the way:", verdict.family_rationale)
    terminal.lines("Earlier attempts and what they left:", _attempts(verdict.informed_retry))


def _print_chain(terminal: Terminal, verdict: Verdict) -> None:
    chain = verdict.chain
    if chain.ok:
        terminal.line("Chain: ", ok_mark(True), f" whole up to event {chain.checked_through}")
    else:
        terminal.line("Chain: ", ok_mark(False), f" broken: {chain.detail}")


def _print_actions(terminal: Terminal, verdict: Verdict) -> None:
    if not verdict.uncertain:
        return
    terminal.line()
    terminal.line(Painted("Actions nobody has settled", "bold"))
    for action in verdict.uncertain:
        what = f" {action.action_type}: {action.status} ({action.action_id})"
        terminal.line("  ", ok_mark(False), what)


def _print_plan(terminal: Terminal, verdict: Verdict) -> None:
    if verdict.plan:
        terminal.line()
        terminal.line(Painted("Repairs", "bold"))
    for number, step in enumerate(verdict.plan, 1):
        mark = actor_mark(step.requires_human)
        terminal.line(f"  {number}. ", mark, f" {step.kind} {step.target}: {step.reason}")
    terminal.line()
    terminal.line("Next allowed: ", verdict.next_allowed_action or _without_next(verdict))
    terminal.lines(
        "What to do:",
        (f"{number}. {step}" for number, step in enumerate(verdict.human_steps, 1)),
    )


def _without_next(verdict: Verdict) -> str:
    return "continue" if verdict.safe else "nothing"


def _attempts(informed: dict[str, Any] | None) -> Iterator[str]:
    if informed is None:
        return
    if informed["attempts"]:
        yield f"{informed['attempts']} recorded, the last one as {informed['last_attempt_mode']}"
    for step in informed["last_attempt_steps"]:
        yield f"planned then: {step}"
    for effect in informed["settled_effects"]:
        happened = "did happen" if effect["occurred"] else "did not happen"
        yield f"settled: {effect['action_type']} {happened}"
    for rule in informed["avoid"]:
        yield f"avoid: {rule}"
