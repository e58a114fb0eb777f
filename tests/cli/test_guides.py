"""Every command that the guides for reviewers name works as they write it."""

from __future__ import annotations

import re
import shlex
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from continuum import open_store
from tests.commands import run_ours
from tests.conftest import NOON
from tests.stores import RunMaker

GUIDES = Path(__file__).parents[2] / "docs" / "guide"
FENCED = re.compile(r"^\$ (continuum .+)$", re.MULTILINE)
INLINE = re.compile(r"`(continuum [^`]+)`")
WORDS = {
    "RUN": "r-7",
    "NAME": "bot",
    "VERB": "confirm",
    "TIME": "2026-01-01",
    "FILE": "all.json",
    "FILE.zip": "evidence.zip",
    "events.jsonl": "evidence/events.jsonl",
}
OF_THE_CONSOLE = ("users", "dashboard", "demo")


def commands(name):
    """Return the commands of a guide in their order, words for values filled in."""
    text = (GUIDES / name).read_text(encoding="utf-8")
    places = sorted([*FENCED.finditer(text), *INLINE.finditer(text)], key=lambda one: one.start())
    found = []
    for place in places:
        words = shlex.split(place[1].replace("[", "").replace("]", ""), comments=True)[1:]
        if words[0] not in OF_THE_CONSOLE and "--db" not in words:
            found.append([WORDS.get(word, word) for word in words])
    return found


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a store, a key, an attestation, a bundle and a caller."""
    monkeypatch.chdir(tmp_path)
    with open_store("continuum.db") as store:
        RunMaker(store, at=NOON)("r-7", claimed=["k"], progress=2)
    for line in (
        "attest-keygen --out signer.pem",
        "attest --all --key signer.pem --out all.json",
        "bundle r-7 --out evidence.zip",
        "callers add bot --by ada --reason new",
    ):
        done = run_ours(*line.split())
        assert done.exit_code == 0, (line, done.stderr)
    with zipfile.ZipFile("evidence.zip") as archive:
        archive.extractall("evidence")


@pytest.mark.parametrize(("name", "least"), [("audit.md", 8), ("security.md", 3)])
def test_every_command_of_a_guide_works(desk, name, least):
    found = commands(name)
    assert len(found) >= least

    for words in found:
        done = run_ours(*words, environment={"CONTINUUM_SIGNER_KEY": "signer.pem"})
        assert done.exit_code == 0, (words, done.stdout, done.stderr)


def test_the_sums_of_a_bundle_hold_as_the_guide_checks_them(desk):
    lines = Path("evidence/SHA256SUMS").read_text(encoding="ascii").splitlines()

    for line in lines:
        digest, _, name = line.partition("  ")
        assert sha256(Path("evidence", name).read_bytes()).hexdigest() == digest
    assert len(lines) >= 7
