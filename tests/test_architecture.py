"""The import contracts of pyproject.toml, and what they cannot say."""

from __future__ import annotations

from importlinter.cli import lint_imports


def test_imports_keep_every_contract(capsys):
    exit_code = lint_imports(config_filename="pyproject.toml", no_cache=True)

    assert exit_code == 0, capsys.readouterr().out
