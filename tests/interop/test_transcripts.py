"""Every transcript of the reference client, replayed with our command line.

A step that answers otherwise on purpose stands in `DEVIATIONS` with the name
it has in docs/reference/deviations.md. A listed step that does not differ
fails too, so the table cannot rot.
"""

from __future__ import annotations

import pytest

from tests.interop.transcripts import Replay, is_ours, load, names

DEVIATIONS: dict[tuple[str, int], str] = {}


@pytest.mark.interop
@pytest.mark.parametrize("name", names())
def test_transcript_replays(name, request, tmp_path, monkeypatch):
    steps = load(name)
    needs_peer = any("argv" in step and not is_ours(step) for step in steps)
    replay = Replay(request.getfixturevalue("peer") if needs_peer else None)
    monkeypatch.chdir(tmp_path)

    surprises = []
    for number, step in enumerate(steps):
        if "op" in step:
            replay.prepare(step)
            continue
        answer = replay.run(step)
        differences = replay.differences(step, answer)
        if bool(differences) is not ((name, number) in DEVIATIONS):
            command = " ".join(step["argv"])
            surprises.append(f"{number} `{command}`: {differences or 'listed, but equal'}")

    assert not surprises, "\n".join(surprises)
