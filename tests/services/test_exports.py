"""Exports that can be checked and imported again; every file changed is noticed."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from continuum import open_store
from continuum.core.errors import ContinuumError, InvalidInput, Refused, RunNotFound
from continuum.domain import signing
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus
from continuum.services import chain, exports, walks
from continuum.services.attestations import Signature
from continuum.services.bundles import Bundled, write_bundle
from continuum.services.exports import csv_line, export_csv, export_jsonl
from continuum.services.imports import FileReport, Imported, import_file, verify_file
from continuum.services.walks import Progress
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import claimed_action

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=https://evil/x onerror=alert(1)>',
    "![x](https://evil/p.png)",
    "=HYPERLINK(1)",
    "\x1b[2J\u202e\u200bgnp.exe",
    "</title><!--<script>",
)


def exported(store, runs=None):
    """Return the lines of an export, as a file has them."""
    lines = export_jsonl(store, runs, at=NOON)
    return [line.encode() for line in lines if not isinstance(line, Progress)]


def report_of(lines):
    *_, report = verify_file(lines)
    assert isinstance(report, FileReport)
    return report


def imported(store, lines):
    *_, done = import_file(store, lines)
    assert isinstance(done, Imported)
    return done


@pytest.fixture
def lively(store, make_run):
    """A store with a family, an archive, odd payloads and an action."""
    make_run("parent", progress=4)
    make_run("child", parent="parent", goal="=1+1 <b>", claimed=["k"])
    odd = {"floats": [1e22, -0.0, 1e-7, 5e-324], "ints": [2**53 + 1, 10**30], "t": "é\u2028\x00🚀"}
    odd["lone"] = "\ud800"
    store.append("child", [Draft(EventType.TOOL_CALLED, odd, Origin.LLM, NOON)])
    with store.writing("parent") as writer:
        writer.archive("parent", 3)
    return store


def hashes(store):
    return {
        run_id: [
            row.hash
            for archived in (True, False)
            for row in store.event_rows(run_id, archived=archived)
        ]
        for run_id in store.run_ids(limit=100)
    }


def test_an_export_is_whole_by_itself(lively):
    report = report_of(exported(lively))

    assert report.ok
    assert (report.run_count, report.events) == (2, 8)
    assert {one.run_id: one.head_hash for one in report.runs} == {
        run_id: lively.head(run_id).hash for run_id in ("child", "parent")
    }


def test_an_import_gives_the_same_hashes(lively, tmp_path):
    lines = exported(lively)
    with open_store(str(tmp_path / "copy.db")) as copy:
        done = imported(copy, lines)

        assert (done.runs, done.events, done.orphans) == (2, 8, ())
        assert hashes(copy) == hashes(lively)
        assert copy.run("child").parent_run_id == "parent"
        assert copy.slot("child", "k") == lively.slot("child", "k")
        assert copy.index_drift() == 0
        assert report_of(exported(copy)).ok


def test_an_import_goes_to_the_other_back_end_too(lively, backend, tmp_path, request):
    other = (
        request.getfixturevalue("empty_postgres_url")
        if backend == "sqlite"
        else str(tmp_path / "copy.db")
    )
    with open_store(other) as copy:
        imported(copy, [line.replace(b"\\u0000", b"") for line in exported(lively, ["parent"])])

        assert hashes(copy)["parent"] == hashes(lively)["parent"]


def test_a_child_whose_parent_is_not_in_the_file_is_told(lively, tmp_path):
    with open_store(str(tmp_path / "copy.db")) as copy:
        assert imported(copy, exported(lively, ["child"])).orphans == ("child",)
        assert copy.run("child").parent_run_id is None


def test_an_import_into_a_store_with_runs_is_refused(lively):
    lines = exported(lively)
    before = hashes(lively)

    with pytest.raises(Refused):
        imported(lively, lines)

    assert hashes(lively) == before


def test_an_export_of_an_unknown_run_yields_nothing(store):
    with pytest.raises(RunNotFound):
        next(export_jsonl(store, ["nobody"], at=NOON))


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@pytest.mark.parametrize("gone", range(12))
def test_any_line_left_out_is_noticed_and_imports_nothing(lively, tmp_path, gone):
    lines = exported(lively)
    assert len(lines) == 14
    del lines[gone + 1]

    assert not report_of(lines).ok
    with open_store(str(tmp_path / "copy.db")) as copy:
        with pytest.raises(ContinuumError):
            imported(copy, lines)
        assert copy.run_ids(limit=1) == []


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_changed_byte_of_an_event_is_noticed(lively, data):
    lines = exported(lively)
    events = [n for n, line in enumerate(lines) if b'"kind":"event"' in line]
    number = data.draw(st.sampled_from(events))
    place = data.draw(st.integers(0, len(lines[number]) - 2))
    changed = bytearray(lines[number])
    changed[place] = data.draw(st.sampled_from(b'0a9"{ '))
    before, after = json.loads(lines[number]), None
    with suppress(ValueError):
        after = json.loads(bytes(changed))
    lines[number] = bytes(changed)

    try:
        assert after == before or not report_of(lines).ok
    except InvalidInput:
        assert after != before


def test_swapped_lines_and_other_files_are_refused(lively):
    lines = exported(lively)
    lines[2], lines[3] = lines[3], lines[2]

    assert not report_of(lines).ok
    for other in ([b"{}\n"], [b"no json\n"], [b'{"kind":"export","format":"x/9"}\n']):
        with pytest.raises(InvalidInput):
            report_of(other)
    assert not report_of([]).ok


def test_a_damaged_run_is_exported_as_it_is_and_found_broken(store, store_url, make_run):
    run_id = make_run(progress=3)
    change(store_url, "events", {"sequence": 2}, {"payload": "{broken"})
    change(store_url, "events", {"sequence": 4}, {"source": "human"})

    report = report_of(exported(store))

    found = [(str(one.kind), one.sequence) for one in report.runs[0].violations]
    assert found[0] == ("UNREADABLE_RECORD", 2)
    assert ("TAMPERED_CONTENT", 4) in found
    assert run_id == report.runs[0].run_id


def test_the_newest_outcome_of_a_shared_key_is_not_lost_by_the_order_of_a_file(
    store, make_run, tmp_path
):
    make_run("a")
    make_run("b")
    later = NOON.replace(hour=13)
    store.append("b", [claimed_action("b", "shared", at=NOON)])
    store.append("a", [claimed_action("a", "shared", at=later)])
    with open_store(str(tmp_path / "copy.db")) as copy:
        with pytest.raises(Refused, match="shared"):
            imported(copy, exported(store))
        assert copy.run_ids(limit=1) == []


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", "\u200b=1", "\ufeff@a"],
)
def test_no_cell_can_be_taken_for_a_formula(cell):
    (shown,) = next(csv.reader(io.StringIO(csv_line([cell]), newline="")))

    assert shown == f"'{cell}"


def test_csv_keeps_quotes_line_ends_and_numbers(lively, store_url):
    execute(
        store_url, "UPDATE events SET event_id = '=cmd|1' WHERE sequence = 1 AND run_id = 'child'"
    )
    text = "".join(line for line in export_csv(lively, None) if isinstance(line, str))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))

    assert len(rows) == 8
    assert rows[0]["event_id"] == "'=cmd|1"
    assert [row["sequence"] for row in rows[:3]] == ["1", "2", "3"]
    assert json.loads(rows[2]["payload"])["t"].startswith("é")
    assert csv_line(['a"b', "c\nd", -5]) == '"a""b","c\nd","-5"\r\n'


def bundle(store, run_id, signature=None):
    out = io.BytesIO()
    *_, done = write_bundle(store, run_id, out, at=NOON, signature=signature)
    assert isinstance(done, Bundled)
    return done, zipfile.ZipFile(out)


def test_a_bundle_holds_what_an_auditor_needs(lively):
    done, archive = bundle(lively, "child")

    assert sorted(archive.namelist()) == [
        "README.txt",
        "SHA256SUMS",
        "actions.json",
        "contract.json",
        "events.jsonl",
        "report.html",
        "state.json",
        "verification.json",
    ]
    assert done.is_whole
    assert report_of(archive.open("events.jsonl")).ok
    assert json.loads(archive.read("contract.json"))["run_id"] == "child"
    assert json.loads(archive.read("actions.json"))[0]["key"] == "k"
    assert json.loads(archive.read("verification.json"))["ok"] is True


def test_a_bundle_is_sent_while_its_chain_is_walked(store, make_run, monkeypatch):
    """Whoever downloads one waits for no walk: a proxy would give up."""
    monkeypatch.setattr(exports, "ROWS_BETWEEN_PROGRESS", 50)
    monkeypatch.setattr(walks, "STEP_TURNS", 1)
    make_run("long", progress=1500)
    out = io.BytesIO()
    sizes, shares = [], []

    for step in write_bundle(store, "long", out, at=NOON):
        sizes.append(out.tell())
        if not isinstance(step, Bundled):
            shares.append(step.done / max(step.total, 1))

    assert sizes[0] > 500 and shares[0] < 0.2
    assert shares == sorted(shares)
    assert shares[sizes.index(next(size for size in sizes if size > sizes[0]))] < 0.9
    assert zipfile.ZipFile(out).testzip() is None


def test_a_bundle_walks_its_chain_once(lively, monkeypatch):
    begun = []
    walk = chain.walk_in_steps

    def counted(store, walked, run_id):
        begun.append(run_id)
        return walk(store, walked, run_id)

    monkeypatch.setattr(chain, "walk_in_steps", counted)
    monkeypatch.setattr(walks, "walk_in_steps", counted)

    bundle(lively, "child")

    assert begun.count("child") == 1


def test_a_run_without_events_has_a_bundle_that_says_that_it_was_not_signed(store):
    moment = "2026-01-01T00:00:00+00:00"
    with store.writing() as writer:
        writer.insert_run(Run("bare", "goal", RunStatus.STARTED, moment, moment, {}, None))

    _, archive = bundle(store, "bare", Signature(signing.KeyPair.generate(), None, NOON))

    assert "attestation.json" not in archive.namelist()
    assert "nothing to attest" in archive.read("report.html").decode()


def test_a_bundle_signs_with_a_key(lively):
    key = signing.KeyPair.generate()

    _, archive = bundle(lively, "parent", Signature(key, "ops", NOON))

    document = json.loads(archive.read("attestation.json"))
    assert document["chain_hash"] == lively.head("parent").hash


def test_a_damaged_run_has_a_bundle_that_says_so_and_is_not_signed(lively, store_url):
    change(store_url, "events", {"run_id": "child", "sequence": 2}, {"source": "human"})

    done, archive = bundle(lively, "child", Signature(signing.KeyPair.generate(), None, NOON))

    assert not done.is_whole
    assert "attestation.json" not in archive.namelist()
    text = archive.read("report.html").decode()
    assert "Broken at event" in text and "Safe to go on" not in text


def test_a_report_is_inert_whatever_agents_wrote(store, make_run):
    make_run("r", goal="".join(HOSTILE))
    for text in HOSTILE:
        payload = {"tool": text, "path": text, "by": text, "reason": text}
        store.append("r", [Draft(EventType.TOOL_COMPLETED, payload, Origin.HUMAN, NOON)])
        claim = claimed_action("r", text, at=NOON, action_type=text, arguments={text: text})
        store.append("r", [claim])

    _, archive = bundle(store, "r")
    page = archive.read("report.html").decode()

    body = page[page.index("<body>") :]
    for forbidden in (
        "<script",
        "<img",
        "<!--",
        "</title",
        "\x1b",
        "\u202e",
        "\u200b",
        "href",
        "src=",
    ):
        assert forbidden not in body.replace("&lt;img src=", "").replace("&quot;&gt;", ""), (
            forbidden
        )
    assert "default-src 'none'" in page
