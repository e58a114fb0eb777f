"""Families: a parent is safe only while every child that still counts is."""

from __future__ import annotations

from continuum.recovery.modes import Mode
from continuum.recovery.wording import counted, one_line, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.recovery.facts import ChildVerdict


def blocking_children(children: Iterable[ChildVerdict]) -> list[ChildVerdict]:
    """Return the children that are not safe to resume, in the order given."""
    return [child for child in children if not child.safe or child.mode != Mode.RESUME]


def child_line(child: ChildVerdict) -> str:
    """Return one line about a child that blocks its parent."""
    name = f"Child {quoted(child.run_id)}"
    if child.error:
        return f"{name} cannot be judged: {one_line(child.error)}"
    line = f"{name} ({one_line(child.status)}) is not safe to resume: {one_line(child.mode)}"
    if child.uncertain_actions:
        unresolved = counted(child.uncertain_actions, "action")
        line = f"{line}, {unresolved} with unknown outcome"
    return line
