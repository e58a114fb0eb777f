"""Hashes are the same whichever implementation made them, and the fast one comes when it pays."""

from __future__ import annotations

import hashlib
import subprocess
import sys

from continuum.core import hashing
from continuum.core.hashing import FEW, hash_maker, hex_digest

TEXTS = (b"", b"a", "ü".encode(), b"x" * 100_000)


def test_a_digest_is_that_of_the_standard_library(monkeypatch):
    monkeypatch.setattr(hashing, "_state", hashing._State())

    for text in TEXTS * (FEW // 2):  # some from each
        assert hex_digest(text) == hashlib.sha256(text).hexdigest()
    assert hashing._state.maker is hashlib.sha256


def test_whoever_hashes_a_lot_gets_the_fast_one_at_once(monkeypatch):
    monkeypatch.setattr(hashing, "_state", hashing._State())

    assert hash_maker(1) is not hashlib.sha256
    assert hash_maker(FEW) is hashlib.sha256
    assert hash_maker(1) is hashlib.sha256


def test_a_short_command_does_not_load_openssl(tmp_path):
    code = (
        "import sys; from continuum.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('_hashlib' in sys.modules)"
    )
    place = str(tmp_path / "store.db")
    for command in (["start", "run-1", "--goal", "g"], ["status", "run-1"], ["resume", "run-1"]):
        done = subprocess.run(
            [sys.executable, "-c", code, "--db", place, *command],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == "False", command
