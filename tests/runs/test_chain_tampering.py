"""Whatever somebody does to a log around the product is seen on every page; none says safe.

On both back ends, without and with a verification that came after the damage.
"""

from __future__ import annotations

import pytest
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from django.db.backends.sqlite3.base import DatabaseWrapper as SqliteWrapper

from continuum.core.clock import utc_now
from continuum.domain.events import Draft, EventType, Head, Origin, seal
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, run_job
from continuum_site.databases import store_settings
from runs import jobs
from runs.engine import drop_store
from tests.commands import run_ours
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import claimed_action, progressed

RUN = "run_a"
DAMAGES = {
    "content": ("UPDATE events SET payload = '{}' WHERE sequence = 3", 3),
    "origin": ("UPDATE events SET source = 'human' WHERE sequence = 2", 2),
    "time": ("UPDATE events SET timestamp = '2999-01-01T00:00:00+00:00' WHERE sequence = 4", 4),
    "hash": (f"UPDATE events SET hash = '{'0' * 64}' WHERE sequence = 3", 3),
    "link": (f"UPDATE events SET prev_hash = '{'0' * 64}' WHERE sequence = 4", 4),
    "unreadable": ("UPDATE events SET payload = '{\"a\": 1' WHERE sequence = 3", 3),
    "first deleted": ("DELETE FROM events WHERE sequence = 1", 1),
    "middle deleted": ("DELETE FROM events WHERE sequence = 3", 3),
    "last deleted": ("DELETE FROM events WHERE sequence = 6", 6),
    "tail cut": ("DELETE FROM events WHERE sequence > 2", 3),
    "emptied": ("DELETE FROM events", 1),
    "archive emptied": ("DELETE FROM events_archive", 1),
    "archived changed": ("UPDATE events_archive SET payload = '{}' WHERE sequence = 2", 2),
    "archived deleted": ("DELETE FROM events_archive WHERE sequence = 1", 1),
    "type": ("UPDATE events SET type = 'TOOL_CALLED' WHERE sequence = 3", 3),
    "identity": ("UPDATE events SET event_id = 'event_x' WHERE sequence = 5", 5),
    "cause": ("UPDATE events SET causer_event_id = 'event_x' WHERE sequence = 2", 2),
    "clock moved": ("UPDATE events SET timestamp = '1999-01-01T00:00:00+00:00'", 1),
    "swapped": (
        "UPDATE events SET sequence = CASE sequence WHEN 2 THEN -5 ELSE -2 END "
        "WHERE sequence IN (2, 5); UPDATE events SET sequence = -sequence WHERE sequence < 0",
        2,
    ),
    "tail made anew": ("", 4),
}
KINDS = {
    "content": "content",
    "hash": "hash",
    "link": "link",
    "unreadable": "unreadable",
    "middle deleted": "gap",
    "last deleted": "missing tail",
    "archive emptied": "missing archive",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request):
    """Each back end in turn; everywhere else pages are tested on one."""
    return request.param


@pytest.fixture
def console(db, store, store_url, settings, make_run):
    """A console on a verified run of six events."""
    settings.CONTINUUM_DB = store_url
    make_run(RUN, progress=2)
    store.append(RUN, [Draft(EventType.REASONING_SUMMARY, {"text": "é"}, Origin.HUMAN, NOON)])
    store.append(RUN, [claimed_action(RUN, "k", at=NOON), progressed(3, at=NOON)])
    verify(store)
    catch_up(store, limit=10, at=utc_now())
    yield store
    jobs.wait(20)
    drop_store()


@pytest.fixture
def reviewer(sign_in):
    """A browser in which a reviewer is signed in."""
    return sign_in("reviewer", name="rev-1")


def verify(store):
    list(run_job(store, Order(RUN, "ada", "cli"), clock=utc_now))


def damage(store, store_url, kind):
    """Do the damage; return the first event that is wrong."""
    statement, first = DAMAGES[kind]
    if "archive" in kind:
        with store.writing(RUN) as writer:
            writer.archive(RUN, 3)
        verify(store)
    for one in statement.split(";") if statement else ():
        execute(store_url, one)
    if not statement:
        forge_tail(store, store_url, first)
    return first


def forge_tail(store, store_url, first):
    """Change an event, and make its hash and every later link fit again."""
    head = store.event_row(RUN, first - 1).row
    place = Head(head.sequence, head.hash)
    for event in list(store.events(RUN, after=first - 1)):
        payload = {"completed": 9} if event.sequence == first else event.payload
        draft = Draft(event.type, payload, event.source, event.at, event_id=event.event_id)
        row = seal(draft, run_id=RUN, head=place)
        place = Head(row.sequence, row.hash)
        change(store_url, "events", {"event_id": row.event_id}, row._asdict())


@pytest.mark.parametrize("again", [False, True], ids=["as found", "verified again"])
@pytest.mark.parametrize("kind", DAMAGES)
def test_o07_every_page_reports_the_damage_at_the_right_event(
    reviewer, console, store_url, kind, again
):
    first = damage(console, store_url, kind)
    if again:
        reviewer.post(f"/chain/{RUN}/verify/")
        jobs.wait(20)

    page = reviewer.get(f"/chain/{RUN}/").content.decode()
    listed = reviewer.get("/chain/").context["screen"]
    walk = reviewer.get(f"/chain/{RUN}/walk/")
    run_page = reviewer.get(f"/runs/{RUN}/").content.decode()

    assert f"Broken at event {first}" in page
    assert [(one.word.text, one.place) for one in listed.troubled] == [("Broken", f"at {first}")]
    lines = walk.context["screen"].lines
    assert all(one.trusted == (one.walked.row.sequence < first) for one in lines)
    assert f"from event {first} on" in walk.content.decode()
    for text in (page, run_page):
        assert ">safe" not in text and "· safe" not in text
    assert "Verified to event" not in page


@pytest.fixture
def records(console, store_url):
    """The admin site's alias, on the store of this test."""
    mirrored = connections["store"]
    wrapper = PostgresWrapper if console.backend == "postgresql" else SqliteWrapper
    alias = wrapper(mirrored.settings_dict | store_settings(store_url), "store")
    connections["store"] = alias
    yield
    alias.close()
    connections["store"] = mirrored


@pytest.mark.django_db(databases=["default", "store"])
@pytest.mark.parametrize("kind", DAMAGES)
def test_o07_every_door_finds_the_damage_at_the_same_event(
    reviewer, console, records, store_url, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    first = damage(console, store_url, kind)

    found = run_ours("--db", store_url, "--json", "verify", RUN)
    everything = run_ours("--db", store_url, "--json", "verify", "--all")
    judged = {
        verb: run_ours("--db", store_url, "--json", verb, RUN)
        for verb in ("status", "resume", "validate")
    }
    admin = reviewer.get(f"/admin/runs/runrecord/{RUN}/change/").content.decode()
    events = reviewer.get("/admin/runs/eventrecord/?q=run_a").content.decode()

    assert found.exit_code == everything.exit_code == 3
    places = [one["sequence"] for one in found.document["violations"]]
    assert first in places, found.stdout
    assert judged["resume"].exit_code != 0 and judged["validate"].exit_code != 0
    for answer in judged.values():
        assert '"safe": true' not in answer.stdout, answer.stdout
    assert f"Broken at event {first}" in admin
    assert "Verified" not in admin and "safe" not in events


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_names_what_differs(reviewer, console, store_url, kind):
    damage(console, store_url, kind)

    screen = reviewer.get(f"/chain/{RUN}/").context["screen"]

    assert KINDS[kind] in [word.text for word, _ in screen.broken.differences]


def test_when_it_happened_is_told_in_the_readers_zone(reviewer, console, store_url):
    damage(console, store_url, "content")

    page = reviewer.get(f"/chain/{RUN}/").content.decode()
    listed = reviewer.get("/chain/").content.decode()

    for text in (page, listed):
        sentence = text.split("was changed at ")[1]
        assert sentence.startswith("<time datetime=") and "UTC" in sentence[:160]


def test_a_run_without_a_row_is_named_by_the_store(reviewer, console, store_url, make_run):
    make_run("gone")
    execute(store_url, "DELETE FROM action_index WHERE run_id = 'gone'")
    execute(store_url, "DELETE FROM events WHERE run_id = 'gone'")
    execute(store_url, "DELETE FROM runs WHERE run_id = 'gone'")

    reviewer.post("/chain/-/verify/")
    jobs.wait(20)
    page = reviewer.get("/chain/").content.decode()

    assert "has or had events, and no row" in page
    assert 'href="/chain/gone/"' not in page


@pytest.mark.parametrize("columns", ["goal = 'EVIL'", "status = 'completed'"])
def test_o08_a_changed_run_row_takes_the_green_away(reviewer, console, store_url, columns):
    execute(store_url, f"UPDATE runs SET {columns}")

    before = reviewer.get(f"/chain/{RUN}/").content.decode()
    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)
    after = reviewer.get(f"/chain/{RUN}/").content.decode()

    assert "Verified to event" not in before and "withdrawn" in before
    assert "Broken at event 6" in after and "run row" in after


def test_o09_numbers_and_text_are_shown_as_they_are_kept(reviewer, console, store_url):
    numbers = [1e22, -0.0, 1e-7, 2**53, 2**53 + 1, 5e-324]
    odd = {"n": numbers, "é": 1, "e\u0301": 2, "\U0001f680": 3, "\uffff": 4, "nul": "\\u0000"}
    console.append(RUN, [Draft(EventType.REASONING_SUMMARY, odd, Origin.LLM, NOON)])

    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)
    page = reviewer.get(f"/chain/{RUN}/").content.decode()
    export = b"".join(reviewer.get(f"/chain/{RUN}/export/").streaming_content)

    assert "Verified to event 7" in page
    assert b"9007199254740993" in export and b"5e-324" in export and b"1e+22" in export


def test_a_break_that_no_trigger_saw_is_seen_by_everybody_once_a_job_found_it(
    reviewer, console, store_url
):
    if console.backend == "sqlite":
        for name in ("cx_keep_updated", "cx_events_update"):
            execute(store_url, f"DROP TRIGGER {name}")
    else:
        execute(store_url, "ALTER TABLE events DISABLE TRIGGER USER")
    execute(store_url, "UPDATE events SET payload = '{}' WHERE sequence = 3")

    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)
    inbox = reviewer.get("/?tab=all").content.decode()
    run_page = reviewer.get(f"/runs/{RUN}/").content.decode()

    assert "Broken at event 3" in reviewer.get(f"/chain/{RUN}/").content.decode()
    assert "Integrity" in inbox
    assert "The chain does not verify" in run_page
