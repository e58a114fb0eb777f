"""Rows of figures, and how they are printed."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Memory(NamedTuple):
    """Peak memory of the process that did the work, in MiB."""

    ours: float | None = None
    peer: float | None = None


class Goal(NamedTuple):
    """What the design asks for, and whether this run met it."""

    text: str
    met: bool


class Row(NamedTuple):
    """One subject: a rate (more is better) or a duration in ms (less is better).

    Attributes:
        floor: what the machine itself needs for the smallest honest version.
        note: what a reader must know to read the figures.
    """

    subject: str
    unit: str
    ours: float | None
    peer: float | None = None
    floor: float | None = None
    goal: Goal | None = None
    memory: Memory = Memory()
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster than the reference client; None if either is unmeasured."""
        if not self.ours or not self.peer:
            return None
        return self.ours / self.peer if self.is_rate else self.peer / self.ours

    @property
    def is_rate(self) -> bool:
        """True when more is better."""
        return self.unit.endswith("/s")


class Table(NamedTuple):
    """The rows of one subject under a heading."""

    heading: str
    rows: list[Row]


_HEADER = ("", "ours", "reference", "floor", "× faster", "× floor", "peak MiB", "asked for")


def at_least_times(row: Row, times: float) -> Row:
    """Return `row` with the goal of being so many times faster than the reference."""
    ratio = row.ratio
    if ratio is None:
        return row
    return row._replace(goal=Goal(f"≥ {times:g}× reference", ratio >= times))


def at_most(row: Row, limit: float) -> Row:
    """Return `row` with the goal of staying below `limit` in its own unit."""
    if row.ours is None:
        return row
    return row._replace(goal=Goal(f"≤ {limit:g} {row.unit}", row.ours <= limit))


def at_most_beside_floor(row: Row, limit: float, times: float) -> Row:
    """Return `row` with the goal of staying below `limit`, or near a floor that is slow itself.

    A commit that has to reach the disk takes as long as the disk does.
    """
    if row.ours is None or row.floor is None:
        return row
    met = row.ours <= max(limit, times * row.floor)
    return row._replace(goal=Goal(f"≤ {limit:g} {row.unit} or {times:g}× floor", met))


def at_most_floors(row: Row, times: float) -> Row:
    """Return `row` with the goal of staying below so many times its floor."""
    if row.ours is None or not row.floor:
        return row
    return row._replace(goal=Goal(f"≤ {times:g}× floor", row.ours <= times * row.floor))


def printed(table: Table) -> str:
    """Return the table as aligned text, notes below it."""
    cells = [_HEADER, *(_cells(row) for row in table.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADER))]
    lines = [f"## {table.heading}", *(_aligned(row, widths) for row in cells)]
    lines += [f"   {row.subject}: {row.note}" for row in table.rows if row.note]
    return "\n".join(lines) + "\n"


def as_json(tables: Sequence[Table]) -> dict[str, dict[str, float | None]]:
    """Return {subject: {ours, peer, floor, ratio}}; null where nothing was measured."""
    return {
        f"{table.heading}: {row.subject} [{row.unit}]": {
            "ours": row.ours,
            "peer": row.peer,
            "floor": row.floor,
            "ratio": row.ratio,
        }
        for table in tables
        for row in table.rows
    }


def missed(tables: Sequence[Table]) -> list[str]:
    """Return the goals that this run did not meet."""
    return [
        f"{table.heading}: {row.subject} ({row.goal.text})"
        for table in tables
        for row in table.rows
        if row.goal and not row.goal.met
    ]


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.subject,
        _figure(row.ours, row.unit),
        _figure(row.peer, row.unit),
        _figure(row.floor, row.unit),
        _times(row.ratio),
        _times(_floors(row)),
        _memory(row.memory),
        f"{row.goal.text}: {'met' if row.goal.met else 'MISSED'}" if row.goal else "",
    )


def _floors(row: Row) -> float | None:
    """How many times the floor's time ours takes."""
    if not row.ours or not row.floor:
        return None
    return row.floor / row.ours if row.is_rate else row.ours / row.floor


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".replace(",", " ")


def _times(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}×".replace(",", " ") if value >= 100 else f"{value:.2f}×"


def _memory(memory: Memory) -> str:
    if memory == Memory():
        return ""
    return " / ".join("–" if one is None else f"{one:.0f}" for one in memory)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first = row[0].ljust(widths[0])
    middle = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
    return "  ".join([first, *middle, row[-1]]).rstrip()
