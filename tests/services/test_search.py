"""Search: what is found, by which words, and that a query is never syntax."""

from __future__ import annotations

import pytest

from continuum import open_store
from continuum.core.ids import new_id
from continuum.domain.events import Draft, EventType, Origin
from continuum.services import search, summaries
from continuum.services.actions import complete_action
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.services.acting import claimed, recorded

HOSTILE = "<script>alert(1)</script> \x1b[31m \u202eevil"


def take_in(store):
    """Do what a page does before it searches."""
    summaries.catch_up(store, limit=100, at=NOON)
    while search.catch_up(store):
        pass


def run_of(store, run_id, goal):
    start_run(store, NewRun(run_id, goal), at=NOON)
    return run_id


def finding(store, run_id, text):
    recorded(
        store, run_id, EventType.FINDING_ADDED, {"finding_id": new_id("finding"), "claim": text}
    )


@pytest.fixture
def looked_up(store):
    """Return what is found, as (kind, run id, ref)."""

    def look(query):
        take_in(store)
        found = search.search(store, query)
        return [(hit.kind, hit.run_id, hit.ref) for group in found.groups for hit in group.hits]

    return look


def shown(hit):
    return "".join(f"[{part.text}]" if part.hit else part.text for part in hit.parts)


def test_runs_are_found_by_words_of_their_goal_and_id(store, looked_up):
    run_of(store, "invoices-2026", "Process ten invoices of Müller & Söhne")
    run_of(store, "pages", "Move 9 pages")

    assert ("run", "invoices-2026", "") in looked_up("ten INVOICES")
    assert ("run", "invoices-2026", "") in looked_up("muller sohne")
    assert ("run", "invoices-2026", "") in looked_up("inv")
    assert ("run", "invoices-2026", "") in looked_up("invoices-2026")
    assert looked_up("invoices pages") == []


def test_actions_are_found_by_type_key_arguments_and_id_outside(store, looked_up):
    run_of(store, "run-a", "Pay")
    key = claimed(store, "run-a", "invoice:INV-0017", "send_payment")
    complete_action(store, "run-a", key, external_id="ch_9zX/4", at=NOON)

    for query in ("send_payment", "payment INV-0017", "ch_9zX/4", "9zx", "ref invoice"):
        hits = [hit for hit in looked_up(query) if hit[0] == "action"]
        assert hits == ([("action", "run-a", key)] if query != "ref invoice" else [])
    found = search.search(store, "ch_9zX/4")
    assert [(hit.kind, hit.ref) for hit in found.exact] == [("action", key)]
    assert [hit.ref for hit in search.search(store, key).exact] == [key]


def test_what_events_say_is_found_with_the_place_marked(store, looked_up):
    run_of(store, "run-a", "Research")
    finding(store, "run-a", "The bridge was closed in March because of ice")

    assert ("event", "run-a", "2") in looked_up("bridge march")
    [hit] = search.search(store, "closed in").groups[2].hits
    assert shown(hit) == "The bridge was [closed] [in] March because of ice"


@pytest.mark.parametrize("query", ["橋", "閉鎖", "は三月に", "三月に閉", "다리", "สะพาน"])
def test_scripts_without_blanks_are_found_by_any_part(store, looked_up, query):
    run_of(store, "run-a", "調査")
    finding(store, "run-a", "橋は三月に閉鎖された。 다리가 닫혔다. สะพานปิดแล้ว")

    assert ("event", "run-a", "2") in looked_up(query)


def test_characters_in_another_order_are_not_found(store, looked_up):
    run_of(store, "run-a", "調査")
    finding(store, "run-a", "三月に閉鎖")

    assert looked_up("鎖閉") == []


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'",
        "bridge AND",
        "OR",
        "NOT bridge",
        "bridge NEAR/2 ice",
        "words:bridge",
        "kind : event",
        "brid*",
        "(bridge",
        "bridge)",
        "^bridge",
        "-bridge",
        "bridge & ice | x <-> :*",
        "\\",
        "%",
        "_",
        "'; DROP TABLE runs; --",
        "a\x00b",
        "\ud800",
        "x" * 5000,
        "🦜",
        "",
        "   ",
    ],
)
def test_a_query_is_plain_text_whatever_it_looks_like(store, query):
    run_of(store, "run-a", "Research")
    finding(store, "run-a", "The bridge was closed because of ice")
    take_in(store)

    search.search(store, query)
    search.search_page(store, query, "event")

    assert search.search(store, "bridge").groups[2].hits


def test_operators_are_words(store, looked_up):
    run_of(store, "run-a", "Research")
    finding(store, "run-a", "bridge or ferry")

    assert ("event", "run-a", "2") in looked_up("bridge OR")
    assert looked_up("bridge OR train") == []
    assert looked_up("NOT bridge") == []


def test_hashes_are_found_from_eight_digits_on(store):
    run_of(store, "run-a", "Research")
    take_in(store)
    [event] = store.events("run-a")

    for digits in (event.hash, event.hash[:8], event.hash[:20].upper()):
        assert [(hit.ref, hit.exact) for hit in search.search(store, digits).exact] == [
            ("1", "hash")
        ]
    assert search.search(store, event.hash[:7]).exact == ()
    other = "0" if event.hash[9] != "0" else "1"
    assert search.search(store, event.hash[:9] + other).exact == ()


def test_ids_of_events_and_runs_are_found_exactly_and_first(store):
    run_of(store, "odd/../run 🦜", "Research")
    [event] = store.events("odd/../run 🦜")

    assert [hit.exact for hit in search.search(store, event.event_id).exact] == ["event id"]
    assert [hit.exact for hit in search.search(store, "odd/../run 🦜").exact] == ["run id"]


def test_hostile_text_is_found_as_text(store, looked_up):
    run_of(store, "run-a", HOSTILE)

    assert ("run", "run-a", "") in looked_up("script alert")
    [hit] = search.search(store, "evil").groups[0].hits
    assert "<script>" in shown(hit)
    assert "\x1b" not in shown(hit)


def test_numbers_and_hashes_of_events_are_no_words(store, looked_up):
    run_of(store, "run-a", "Research")
    recorded(store, "run-a", EventType.TASK_UPDATED, {"completed": 4711, "failed": 0})

    assert looked_up("4711") == []


def test_what_was_archived_is_found(store, looked_up):
    run_of(store, "run-a", "Research")
    finding(store, "run-a", "an early bridge")
    recorded(store, "run-a", EventType.TASK_UPDATED, {"completed": 1, "failed": 0})
    with store.writing("run-a") as writer:
        writer.archive("run-a", 2)

    assert ("event", "run-a", "2") in looked_up("early")


def test_it_is_taken_in_by_and_by_and_says_so(store):
    run_of(store, "run-a", "Research")
    for number in range(12):
        finding(store, "run-a", f"bridge {number}")
    summaries.catch_up(store, limit=10, at=NOON)

    assert search.search(store, "bridge").behind
    assert search.catch_up(store, events=5) == 5
    assert search.search(store, "bridge").behind
    assert search.catch_up(store, events=500) == 8
    found = search.search(store, "bridge")

    assert not found.behind
    assert found.groups[2].before is not None
    assert len(found.groups[2].hits) == search.SHOWN


def test_pages_go_on_where_the_last_one_ended(store):
    run_of(store, "run-a", "Research")
    for number in range(search.PAGE + 5):
        finding(store, "run-a", f"bridge {number}")
    take_in(store)

    first = search.search_page(store, "bridge", "event")
    second = search.search_page(store, "bridge", "event", before=first.before)

    refs = [int(hit.ref) for hit in (*first.hits, *second.hits)]
    assert refs == list(range(search.PAGE + 6, 1, -1))
    assert second.before is None


def test_an_action_stands_once_with_its_newest_words(store, looked_up):
    run_of(store, "run-a", "Pay")
    key = claimed(store, "run-a", "invoice:1", "send_payment")
    take_in(store)
    complete_action(store, "run-a", key, external_id="receipt7", at=NOON)

    assert [hit for hit in looked_up("send_payment") if hit[0] == "action"] == [
        ("action", "run-a", key)
    ]
    assert ("action", "run-a", key) in looked_up("receipt7")


def test_taking_in_anew_finds_the_same(store, looked_up):
    run_of(store, "run-a", "Research bridges")
    finding(store, "run-a", "The bridge")
    before = looked_up("bridge")

    search.rebuild(store)
    assert search.search(store, "bridge").behind

    assert looked_up("bridge") == before


def test_a_run_that_is_gone_is_not_found(store, store_url, looked_up):
    run_of(store, "run-a", "Research bridges")
    assert looked_up("bridges")
    execute(store_url, "DELETE FROM events WHERE run_id = 'run-a'")
    execute(store_url, "DELETE FROM runs WHERE run_id = 'run-a'")

    assert looked_up("bridges") == []
    run_of(store, "run-a", "Research ferries")
    assert looked_up("bridges") == []
    assert looked_up("ferries")


def test_an_event_nobody_can_read_stops_nothing(store, store_url, looked_up):
    run_of(store, "run-a", "Research")
    finding(store, "run-a", "The bridge")
    change(store_url, "events", {"run_id": "run-a", "sequence": 1}, {"payload": "["})

    assert ("event", "run-a", "2") in looked_up("bridge")


def test_an_append_writes_nothing_to_search(store):
    run_of(store, "run-a", "Research")
    take_in(store)
    place = store.search_place("run-a")

    with store.writing("run-a") as writer:
        draft = Draft(
            EventType.FINDING_ADDED, {"finding_id": "f", "claim": "new"}, Origin.HUMAN, NOON
        )
        writer.append("run-a", [draft])

    assert store.search_place("run-a") == place


def test_a_store_from_before_search_is_taken_in_once_opened_for_writing(store, store_url, backend):
    run_of(store, "run-a", "Research bridges")
    summaries.catch_up(store, limit=10, at=NOON)
    store.close()
    of_runs = "" if backend == "sqlite" else " ON runs"
    execute(store_url, f"DROP TRIGGER cx_search_deleted{of_runs}")
    words = ("cx_search_words",) if backend == "sqlite" else ()
    for table in (*words, "cx_search", "cx_search_names", "cx_search_runs", "cx_policies"):
        execute(store_url, f"DROP TABLE {table}")
    execute(store_url, "UPDATE cx_meta SET value = '3' WHERE key = 'schema_version'")

    with open_store(store_url, read_only=True) as plain:
        assert search.search(plain, "bridges").is_empty
        assert [hit.exact for hit in search.search(plain, "run-a").exact] == ["run id"]
        assert plain.policies() == []
        assert plain.queue_decisions(since="") == []

    with open_store(store_url) as again:
        take_in(again)
        assert search.search(again, "bridges").groups[0].hits
