"""What reaches a terminal: escaped, coloured only where it should be."""

from __future__ import annotations

import io

import pytest

from continuum.cli.colour import Painted, wants_colour
from continuum.cli.output import Column, Terminal, printable, shorten


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def make_terminal(**options):
    out, err = io.StringIO(), io.StringIO()
    return Terminal(out, err, **options), out, err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("é 決策 🙂", "é 決策 🙂"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("title\x1b]0;owned\x07", "title\\x1b]0;owned\\x07"),
        ("one\ntwo", "one\\x0atwo"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half \ud800", "half \\ud800"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("no\xa0break", "no\xa0break"),
    ],
)
def test_o21_control_characters_are_made_visible(text, shown):
    assert printable(text) == shown


def test_line_escapes_every_piece_and_keeps_its_own_codes():
    terminal, out, _ = make_terminal(colour=True)

    terminal.line("run ", Painted("r\x1b[0m", "red"))

    assert out.getvalue() == "run \x1b[31mr\\x1b[0m\x1b[0m\n"


def test_json_is_ascii_sorted_indented_and_never_coloured():
    terminal, out, _ = make_terminal(as_json=True, colour=True)

    terminal.document({"b": "é\x1b", "a": [1]})
    terminal.line(Painted("text", "red"))

    assert out.getvalue() == ('{\n  "a": [\n    1\n  ],\n  "b": "\\u00e9\\u001b"\n}\ntext\n')


def test_notes_go_to_stderr_escaped():
    terminal, out, err = make_terminal()

    terminal.note("error: \x1b[2J")

    assert (out.getvalue(), err.getvalue()) == ("", "error: \\x1b[2J\n")


def test_table_columns_line_up_whatever_is_escaped_or_coloured():
    terminal, out, _ = make_terminal()

    terminal.table(
        (Column("RUN", 8), Column("N", 3, right=True), Column("GOAL", 0)),
        [("a\x07", "1", "one"), (Painted("b", "red"), "20", "two")],
    )

    assert out.getvalue().splitlines() == [
        "RUN         N  GOAL",
        "a\\x07       1  one",
        "b          20  two",
    ]


def test_long_text_is_cut_and_marked():
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"


@pytest.mark.parametrize(
    ("screen", "environment", "forced", "expected"),
    [
        (True, {}, None, True),
        (False, {}, None, False),
        (True, {"NO_COLOR": ""}, None, False),
        (True, {"TERM": "dumb"}, None, False),
        (False, {"NO_COLOR": "1"}, True, True),
        (True, {}, False, False),
    ],
)
def test_colour_needs_a_terminal_unless_it_is_asked_for(screen, environment, forced, expected):
    stream = _Screen() if screen else io.StringIO()

    assert wants_colour(stream, environment, forced) is expected
