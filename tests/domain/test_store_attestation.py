"""Store-wide attestations: one file per way of being right or wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from continuum.domain import signing
from continuum.domain import storeattestation as checks

FOLDER = Path(__file__).parents[1] / "data" / "store_attestations"
VECTORS = sorted(FOLDER.glob("*.json"))


def check(path):
    vector = json.loads(path.read_text(encoding="utf-8"))
    found = checks.check_document(
        vector["document"], signing.check_signature, trusted_key=vector.get("trusted_key")
    )
    return vector, found


@pytest.mark.parametrize("path", VECTORS, ids=[path.stem for path in VECTORS])
def test_a_document_proves_what_its_vector_says(path):
    vector, found = check(path)

    if vector["problems"] is None:
        assert found.problems
    else:
        assert list(found.problems) == vector["problems"]
    assert found.ok is path.stem.startswith("good")


@pytest.mark.parametrize("path", [one for one in VECTORS if one.stem.startswith("good")])
def test_any_changed_character_of_a_good_document_spoils_it(path):
    vector, _ = check(path)
    text = json.dumps(vector["document"], sort_keys=True)
    for place in range(0, len(text), 7):
        changed = text[:place] + ("0" if text[place] != "0" else "1") + text[place + 1 :]
        try:
            document = json.loads(changed)
        except ValueError:
            continue
        if isinstance(document, dict) and document != vector["document"]:
            assert not checks.check_document(document, signing.check_signature).ok, place


def test_what_was_proven_is_listed_by_run():
    _, found = check(FOLDER / "good.json")

    assert list(found.heads) == ["a/b", "empty", "run-1", "run-2", "run-é", "zz 🚀"]
    assert (found.tree_size, found.listed, found.signer) == (6, 6, "ops")
