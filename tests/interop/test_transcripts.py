"""Every transcript of the reference client, replayed with our command line.

A step that answers otherwise on purpose stands in `DEVIATIONS` with the name
it has in docs/reference/deviations.md and the exit code we give. A listed step
that does not differ fails too, so the table cannot rot. Where a deviation is
that we refuse to write, the reference client writes instead, so that the steps
behind it are compared on the same store.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.interop.transcripts import Replay, has_ours, is_ours, load, names

_DEVIATIONS_FILE = Path(__file__).parents[2] / "docs" / "reference" / "deviations.md"


class Deviation(NamedTuple):
    """How a step differs: its name, our exit code, and who acts after a refusal."""

    name: str
    exit_code: int
    peer_acts: bool = False


DEVIATIONS = {
    ("action_index_drift", 3): Deviation("D-48", 0),
    ("action_index_drift", 5): Deviation("D-48", 0),
    ("action_index_drift", 8): Deviation("D-48", 0),
    ("attestation", 4): Deviation("D-46", 0),
    ("attestation", 9): Deviation("D-45", 0),
    ("attestation", 10): Deviation("D-45", 0),
    ("attestation", 12): Deviation("D-46", 3),
    ("compact_then_verify", 8): Deviation("D-48", 0),
    ("compact_then_verify", 9): Deviation("D-31", 0),
    ("compact_then_verify", 12): Deviation("D-31", 0),
    ("compact_then_verify", 14): Deviation("D-31", 0),
    ("compact_then_verify", 16): Deviation("D-31", 0),
    ("compact_then_verify", 17): Deviation("D-31", 0),
    ("compact_then_verify", 18): Deviation("D-31", 0),
    ("compact_then_verify", 19): Deviation("D-31", 0),
    ("compact_then_verify", 22): Deviation("D-31", 0),
    ("compact_unresolved_action", 5): Deviation("D-31", 0),
    ("complete", 3): Deviation("D-32", 1, peer_acts=True),
    ("complete", 4): Deviation("D-03", 30),
    ("complete", 5): Deviation("D-32", 0, peer_acts=True),
    ("corrupt_db", 7): Deviation("D-30", 1),
    ("cross_run_claims", 9): Deviation("D-48", 0),
    ("family_blocked_child", 5): Deviation("D-04", 20),
    ("family_blocked_child", 6): Deviation("D-04", 20),
    ("family_blocked_child", 7): Deviation("D-04", 20),
    ("family_blocked_child", 10): Deviation("D-32", 1, peer_acts=True),
    ("family_blocked_child", 11): Deviation("D-04", 20),
    ("happy_path", 20): Deviation("D-34", 0),
    ("happy_path", 23): Deviation("D-48", 0),
    ("happy_path", 33): Deviation("D-33", 0),
    ("scoped_confirm", 1): Deviation("D-35", 20),
    ("scoped_confirm", 3): Deviation("D-02", 20),
    ("self_reported_confirm", 7): Deviation("D-33", 0),
    ("self_reported_confirm", 10): Deviation("D-02", 20),
    ("stale_dependency_env", 16): Deviation("D-36", 20),
    ("tampered_chain", 7): Deviation("D-48", 3),
    ("tampered_chain", 8): Deviation("D-01", 3),
    ("tampered_chain", 10): Deviation("D-44", 3),
    ("tampered_chain", 11): Deviation("D-37", 3, peer_acts=True),
    ("tampered_chain", 12): Deviation("D-44", 3),
    ("uncertain_reconcile_not_occurred", 13): Deviation("D-61", 0),
    ("uncertain_reconcile_occurred", 13): Deviation("D-61", 0),
    ("unknown_run", 23): Deviation("D-49", 1),
    ("unknown_run", 24): Deviation("D-49", 1),
}


@pytest.mark.interop
@pytest.mark.parametrize("name", [name for name in names() if has_ours(name)])
def test_transcript_replays(name, request, tmp_path, monkeypatch):
    steps = load(name)
    listed = {number: one for (of, number), one in DEVIATIONS.items() if of == name}
    needs_peer = any(one.peer_acts for one in listed.values()) or not all(map(is_ours, steps))
    replay = Replay(request.getfixturevalue("peer") if needs_peer else None)
    monkeypatch.chdir(tmp_path)

    surprises = []
    for number, step in enumerate(steps):
        if "op" in step:
            replay.prepare(step)
            continue
        answer = replay.run(step)
        deviation = listed.get(number)
        differences = replay.differences(step, answer)
        if deviation and deviation.exit_code != answer.exit_code:
            surprises.append(f"{number}: exit code {answer.exit_code} under {deviation.name}")
        if bool(differences) is not bool(deviation):
            command = " ".join(step["argv"])
            surprises.append(f"{number} `{command}`: {differences or 'listed, but equal'}")
        if deviation and deviation.peer_acts:
            replay.differences(step, replay.run_peer(step))

    assert not surprises, "\n".join(surprises)


def test_every_deviation_of_a_transcript_is_described():
    described = _DEVIATIONS_FILE.read_text(encoding="utf-8")

    for deviation in set(DEVIATIONS.values()):
        assert f"### {deviation.name} " in described
