"""The import contracts of pyproject.toml, and what they cannot say."""

from __future__ import annotations

import re
from pathlib import Path

from importlinter.cli import lint_imports

_ROOT = Path(__file__).parents[1]


def test_imports_keep_every_contract(capsys):
    exit_code = lint_imports(config_filename="pyproject.toml", no_cache=True)

    assert exit_code == 0, capsys.readouterr().out


def test_locked_packages_are_hashed_and_name_no_address():
    for lock in sorted((_ROOT / "requirements").glob("*.txt")):
        text = lock.read_text(encoding="utf-8")
        pins = re.findall(r"^[a-z0-9][^\s;=]*==", text, re.MULTILINE)

        assert pins, lock.name
        assert text.count("--hash=sha256:") >= len(pins), lock.name
        assert "://" not in text, lock.name
