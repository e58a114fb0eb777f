"""From words to a command: global options, usage errors, hand-over."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from continuum.cli.console import handed_arguments
from continuum.cli.dispatch import split_command
from continuum.cli.main import COMMANDS, main
from continuum.cli.parsing import Parser

_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ([], None, [])),
        ("--json", (["--json"], None, [])),
        ("runs --limit 3", ([], "runs", ["--limit", "3"])),
        ("--db x.db --json runs", (["--db", "x.db", "--json"], "runs", [])),
        ("--d x.db runs", (["--d", "x.db"], "runs", [])),
        ("--db=x.db runs", (["--db=x.db"], "runs", [])),
        ("start r --goal --json", ([], "start", ["r", "--goal", "--json"])),
    ],
)
def test_the_first_word_behind_the_global_options_is_the_command(words, expected):
    assert split_command(words.split()) == expected


def test_no_command_prints_the_help_with_every_command(capsys):
    assert main([]) == 0

    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_version_says_program_and_number(capsys):
    assert main(["--version"]) == 0
    assert main(["--vers"]) == 0

    assert capsys.readouterr().out == "continuum 0.1.0\ncontinuum 0.1.0\n"


@pytest.mark.parametrize(
    "words",
    [
        ["frobnicate"],
        ["runs", "--json"],
        ["start", "run-a"],
        ["events", "run-a", "--after", "x"],
        ["--color", "--no-color", "runs"],
        ["--co", "runs", "--unknown"],
        ["--db"],
        ["--unknown", "runs"],
        ["resume", "a", "b\x1b[2J"],
    ],
)
def test_usage_errors_exit_2_and_print_nothing_on_stdout(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert main(words) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: continuum")
    assert "\x1b" not in err
    assert not list(tmp_path.iterdir())


def test_every_command_has_options_and_a_runner_and_help(capsys):
    for name, command in COMMANDS.items():
        if command.module != "console":
            assert main([name, "--help"]) == 0
            assert f"usage: continuum {name}" in capsys.readouterr().out


def test_commands_of_the_console_are_handed_over_with_the_global_options():
    options = argparse.Namespace(db="postgresql://h/d", json=True)

    assert handed_arguments("users", ["list"], options) == [
        "users",
        "--db=postgresql://h/d",
        "list",
        "--json",
    ]
    assert handed_arguments(
        "dashboard", ["--bind", ":9000"], argparse.Namespace(db=None, json=False)
    ) == [
        "dashboard",
        "--bind",
        ":9000",
    ]


def test_a_reader_that_leaves_ends_the_command_quietly():
    with subprocess.Popen(
        [sys.executable, "-m", "continuum.cli", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()

    assert (process.returncode, said) == (1, b"")


def test_parser_complaints_are_escaped(capsys):
    with pytest.raises(SystemExit):
        Parser(prog="x", description="d").error("bad \x1b[2J")

    assert "bad \\x1b[2J" in capsys.readouterr().err
