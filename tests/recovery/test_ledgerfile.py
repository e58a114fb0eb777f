"""Recovery-ledger records: chained, limited, compacted."""

from __future__ import annotations

import json

import pytest

from continuum.core.canonical import digest_text
from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.recovery.ledgerfile import (
    Gate,
    Note,
    Record,
    RecordKind,
    compacted,
    content_hash,
    count_attempts,
    file_name,
    first_broken,
    follow,
    needs_human,
    note_attempt,
    record_document,
    record_from_line,
    record_line,
)
from tests.recovery.cases import NOON, RUN
from tests.vectors import load_vectors

CASES = load_vectors("recovery_ledger")["cases"]


def chain_of(number: int, *, anchor: int | None = None):
    records: list[Record] = []
    for place in range(number):
        note = Note(RecordKind.DECISION, anchor=place == anchor, text=f"n{place}")
        records.append(follow(records, note, run_id=RUN, at=NOON))
    return records


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["record"]["entry_id"])
def test_records_of_the_reference_client_hash_the_same(case):
    record = case["record"]

    assert content_hash(record) == record["content_hash"]
    assert digest_text(case["hashed_text"]) == record["content_hash"]


def test_chain_of_the_reference_client_is_read_and_whole():
    records = [record_from_line(json.dumps(case["record"])) for case in CASES]

    assert first_broken(records) is None
    assert [record_document(record) for record in records] == [case["record"] for case in CASES]
    assert needs_human(records)


def test_lines_read_back_as_they_were():
    for record in chain_of(3):
        assert record_from_line(record_line(record)) == record


def test_changed_record_breaks_the_chain_at_its_place():
    records = chain_of(4)
    records[2] = records[2]._replace(note="another story")

    assert first_broken(records) == 2


def test_left_out_record_breaks_the_chain_behind_it():
    records = chain_of(4)
    del records[1]

    assert first_broken(records) == 2


def test_attempt_at_the_limit_calls_for_a_person_once():
    records: list[Record] = []
    for _ in range(4):
        records += note_attempt(records, run_id=RUN, at=NOON, limit=3)

    gates = [record for record in records if record.gate is Gate.HUMAN_REQUIRED]
    assert count_attempts(records) == 4
    assert [(gate.sequence, gate.anchor) for gate in gates] == [(3, True)]
    assert first_broken(records) is None


def test_two_attempts_of_three_need_nobody():
    records: list[Record] = []
    for _ in range(2):
        records += note_attempt(records, run_id=RUN, at=NOON)

    assert not needs_human(records)
    assert needs_human(records, limit=2)


def test_compaction_keeps_the_newest_and_the_anchors_and_chains_anew():
    records = compacted(chain_of(60, anchor=3), keep=50)

    assert [record.sequence for record in records] == [3, *range(10, 60)]
    assert records[0].prev_hash == "genesis"
    assert first_broken(records) is None


def test_compaction_to_nothing_keeps_anchors_only():
    assert [one.sequence for one in compacted(chain_of(5, anchor=2), keep=0)] == [2]
    with pytest.raises(InvalidInput):
        compacted([], keep=-1)


def test_sequence_goes_on_behind_a_compacted_chain():
    records = compacted(chain_of(60), keep=2)

    assert follow(records, Note(RecordKind.ATTEMPT), run_id=RUN, at=NOON).sequence == 60


@pytest.mark.parametrize("line", ["", "[]", "{}", "null", '{"kind": "decision"}', "{"])
def test_unreadable_lines_are_refused(line):
    with pytest.raises(UnreadableRecord):
        record_from_line(line)


def test_unknown_member_kind_or_gate_is_refused():
    good = record_document(chain_of(1)[0])

    for bad in ({**good, "extra": 1}, {**good, "kind": "x"}, {**good, "gate": "x"}):
        with pytest.raises(UnreadableRecord):
            record_from_line(json.dumps(bad))


def test_slashes_of_a_run_id_stay_out_of_the_file_name():
    assert file_name("team/run/7") == "ledger-team_run_7.jsonl"
