"""What the commands print: results on stdout, everything else on stderr.

Text of agents is hostile. Every piece of text passes `printable` here and
nowhere else; only `Painted` pieces add codes of their own.
"""

from __future__ import annotations

import json

from continuum.cli.colour import Painted, wrap
from continuum.core.printing import printable as printable
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TextIO

Piece = str | Painted


class Column(NamedTuple):
    """A column of a table: its header, and its width, 0 for the last one."""

    header: str
    width: int
    right: bool = False


class Terminal:
    """The two streams of one command."""

    def __init__(
        self, out: TextIO, err: TextIO, *, as_json: bool = False, colour: bool = False
    ) -> None:
        self.as_json = as_json
        self._out = out
        self._err = err
        self._colour = colour and not as_json

    def document(self, value: Any) -> None:
        """Print the one JSON document of a command."""
        self._out.write(json.dumps(value, indent=2, sort_keys=True) + "\n")

    def line(self, *pieces: Piece) -> None:
        """Print one line of text; control characters in it are made visible."""
        self._out.write("".join(self._shown(piece) for piece in pieces) + "\n")

    def raw(self, text: str) -> None:
        """Print machine-readable text that escapes everything itself, such as JSON or CSV."""
        self._out.write(text)

    def overwrite(self, text: str) -> None:
        """Write over the current line on stderr; for progress on a terminal."""
        self._err.write("\r" + printable(text))
        self._err.flush()

    def lines(self, heading: str, entries: Iterable[str]) -> None:
        """Print a heading and indented lines under it, or nothing without entries."""
        shown = list(entries)
        if not shown:
            return
        self.line()
        self.line(heading)
        for entry in shown:
            self.line("  ", entry)

    def note(self, text: str) -> None:
        """Print a hint, notice or error on stderr."""
        self._err.write(printable(text) + "\n")

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Piece]]) -> None:
        """Print a header and rows in columns; longer text pushes the rest."""
        self.line(*_cells(columns, [Painted(column.header, "bold") for column in columns]))
        for row in rows:
            self.line(*_cells(columns, row))

    def _shown(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return printable(piece)
        text = printable(piece.text)
        return wrap(text, piece.style) if self._colour else text


def shorten(text: str, width: int) -> str:
    """Return at most `width` characters of `text`, marked where it was cut."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _cells(columns: Sequence[Column], row: Sequence[Piece]) -> list[Piece]:
    pieces: list[Piece] = []
    for column, cell in zip(columns, row, strict=True):
        text = printable(cell if isinstance(cell, str) else cell.text)
        blanks = " " * max(column.width - len(text), 0)
        padded = f"{blanks}{text}" if column.right else f"{text}{blanks}"
        pieces.append(padded if isinstance(cell, str) else cell._replace(text=padded))
        if column is not columns[-1]:
            pieces.append("  ")
    return pieces
