"""Summaries, inbox items and decisions: pages, filters, counts, and making them anew."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from continuum import open_store
from continuum.core.clock import column_time
from continuum.core.errors import AlreadyDecided, NotFound
from continuum.store.modelport import ItemQuery, RunCursor, SummaryQuery
from tests.conftest import NOON
from tests.outsiders import execute, query
from tests.store.rows import decision_of, item_of, summary_of
from tests.stores import RunMaker

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def listed(store):
    """Six runs with summaries; run_2 needs a person, run_3 is the child of run_2."""
    members: dict[str, dict] = {
        "run_0": {"caller": "claude", "goal": "Send 100% of_all"},
        "run_1": {"mode": "request_human", "safe": False, "status": "completed"},
        "run_2": {"mode": "request_human", "safe": False, "caller": "claude"},
        "run_3": {},
        "run_4": {"reasons": '["the Budget is spent"]'},
        "run_5": {},
    }
    for number, run_id in enumerate(members):
        parent = "run_2" if run_id == "run_3" else None
        RunMaker(store, at=NOON + timedelta(seconds=number // 2))(run_id, parent=parent)
    with store.writing() as writer:
        for run_id, changes in members.items():
            writer.save_summary(summary_of(store, run_id, **changes))
        writer.save_items("run_2", [item_of("run_2", "item_a")], at=NOON)
    return list(members)


def found(store, **filters):
    return [one.run_id for one in store.summaries(SummaryQuery(**filters))]


def test_a_summary_comes_back_as_it_was_saved(store, make_run):
    run_id = make_run()
    saved = summary_of(store, run_id, total=7, caller="é", reasons='["x"]', snapshot='{"a":1}')

    with store.writing(run_id) as writer:
        writer.save_summary(saved._replace(mode="old"))
        writer.save_summary(saved)

    assert store.summary(run_id) == saved
    assert store.summaries(SummaryQuery()) == [saved._replace(snapshot="")]
    assert store.summary("nobody") is None


def test_pages_meet_without_gap_in_both_directions(store, listed):
    newest_first = listed[::-1]
    first = store.summaries(SummaryQuery(limit=2))
    cursor = RunCursor(first[-1].created_at, first[-1].run_id)

    second = store.summaries(SummaryQuery(limit=2, before=cursor))
    back = RunCursor(second[0].created_at, second[0].run_id)

    assert [one.run_id for one in [*first, *second]] == newest_first[:4]
    assert found(store, limit=2, after=back) == newest_first[:2]
    assert found(store, limit=1, after=back) == newest_first[1:2]


def test_filters_narrow_the_list(store, listed):
    assert found(store, modes=("request_human",)) == ["run_2", "run_1"]
    assert found(store, modes=("request_human",), statuses=("completed",)) == ["run_1"]
    assert found(store, needs_person=True) == ["run_2"]
    assert found(store, needs_person=False) == ["run_5", "run_4", "run_3", "run_1", "run_0"]
    assert found(store, parent_run_id="run_2") == ["run_3"]
    assert found(store, caller="claude") == ["run_2", "run_0"]
    assert found(store, since=column_time(NOON + timedelta(seconds=2))) == ["run_5", "run_4"]


def test_text_is_searched_literally_and_without_case(store, listed):
    assert found(store, text="budget") == ["run_4"]
    assert found(store, text="RUN_5") == ["run_5"]
    assert found(store, text="100% of_all") == ["run_0"]
    assert found(store, text="100%of") == []
    assert found(store, text="run-5") == []
    assert found(store, text="\\") == []


def test_verdicts_that_time_alone_changes_become_stale(store, make_run):
    run_id = make_run()
    with store.writing(run_id) as writer:
        writer.save_summary(summary_of(store, run_id, valid_until=column_time(LATER)))

    assert store.stale_runs(10, NOON) == []
    assert store.stale_runs(10, LATER) == [run_id]


def test_only_current_rows_of_children_are_given(store, listed):
    assert [one.run_id for one in store.current_child_summaries("run_2", NOON)] == ["run_3"]

    with store.writing() as writer:
        writer.mark_stale("run_3")

    assert store.current_child_summaries("run_2", NOON) == []


# -- inbox


@pytest.fixture
def inbox(store, make_run):
    """Four open items of two runs, by severity and age: b1, a1, a2, b2."""
    make_run("run_a")
    make_run("run_b")
    with store.writing() as writer:
        writer.save_items(
            "run_a",
            [
                item_of("run_a", "a1", severity=1, opened_at=column_time(LATER)),
                item_of("run_a", "a2", severity=2, kind="action", action_type="send"),
            ],
            at=NOON,
        )
        writer.save_items(
            "run_b",
            [
                item_of("run_b", "b1", severity=1, title="Odd 50%", parent_run_id="run_a"),
                item_of("run_b", "b2", severity=3, caller="claude"),
            ],
            at=NOON,
        )
    return store


def items(store, **filters):
    return [one.item_id for one in store.items(ItemQuery(**filters))]


def test_the_inbox_is_sorted_worst_first_and_paged_by_the_last_row(inbox):
    first = inbox.items(ItemQuery(limit=2))
    last = first[-1]

    assert items(inbox) == ["b1", "a1", "a2", "b2"]
    assert items(inbox, after=(last.severity, last.opened_at, last.item_id)) == ["a2", "b2"]


def test_the_inbox_is_filtered(inbox):
    assert items(inbox, kinds=("action",)) == ["a2"]
    assert items(inbox, kinds=("verdict",)) == ["b1", "a1", "b2"]
    assert items(inbox, kinds=("verdict", "action")) == ["b1", "a1", "a2", "b2"]
    assert items(inbox, run_id="run_b") == ["b1", "b2"]
    assert items(inbox, action_type="send") == ["a2"]
    assert items(inbox, caller="claude") == ["b2"]
    assert items(inbox, parent_run_id="run_a") == ["b1", "a1", "a2"]
    assert items(inbox, text="odd 50%") == ["b1"]
    assert items(inbox, since=column_time(LATER)) == ["a1"]
    assert items(inbox, until=column_time(NOON)) == ["b1", "a2", "b2"]
    assert items(inbox, type_text="SEN") == ["a2"]
    assert items(inbox, type_text="s_n") == []
    assert items(inbox, caller_text="lau") == ["b2"]


def test_the_inbox_is_narrowed_to_a_family_from_any_depth(inbox, make_run):
    make_run("child", parent="run_a")
    make_run("grandchild", parent="child")
    with inbox.writing() as writer:
        writer.save_items("grandchild", [item_of("grandchild", "g1")], at=NOON)

    assert items(inbox, family="run_a") == ["a1", "a2", "g1"]
    assert items(inbox, family="child") == ["g1"]
    assert items(inbox, family="run_b") == ["b1", "b2"]
    assert items(inbox, family="nobody") == []


def test_the_inbox_is_narrowed_to_a_verdict(inbox):
    with inbox.writing() as writer:
        writer.save_summary(summary_of(inbox, "run_a", mode="rollback"))

    assert items(inbox, mode="rollback") == ["a1", "a2"]
    assert items(inbox, mode="request_human") == []


@pytest.mark.parametrize(
    "narrowed",
    [
        {},
        {"kinds": ("action",)},
        {"type_text": "send"},
        {"caller_text": "claude"},
        {"family": "run_b"},
        {"text": "odd"},
        {"until": column_time(NOON)},
    ],
)
def test_counts_of_a_narrowed_inbox_are_those_of_its_lists(inbox, narrowed):
    with inbox.writing() as writer:
        writer.claim_item("b1", "ann", NOON)
        writer.save_items("run_b", [item_of("run_b", "b1", severity=1, title="Odd 50%")], at=LATER)
    since = column_time(NOON)

    told = inbox.matching_counts(ItemQuery(person="ann", since=since, **narrowed))

    def listed(state):
        within = since if state == "closed" else ""
        return len(items(inbox, state=state, person="ann", since=within, **narrowed))

    assert (told.open, told.unclaimed, told.mine, told.closed_since) == (
        listed("open"),
        listed("unclaimed"),
        listed("mine"),
        listed("closed"),
    )


def test_claims_are_kept_by_items_that_stay(inbox):
    with inbox.writing() as writer:
        writer.claim_item("a1", "ann", NOON)
        writer.save_items("run_a", [item_of("run_a", "a1", severity=1, title="New")], at=LATER)

    item = inbox.item("a1")
    assert (item.title, item.claimed_by, item.claimed_at) == ("New", "ann", column_time(NOON))
    assert items(inbox, state="mine", person="ann") == ["a1"]
    assert items(inbox, state="unclaimed") == ["b1", "b2"]

    with inbox.writing() as writer:
        writer.claim_item("a1", None, LATER)
    assert inbox.item("a1").claimed_by is None
    assert inbox.item("a1").claimed_at is None


def test_an_item_that_left_says_how(inbox):
    with inbox.writing() as writer:
        writer.save_decision(decision_of("run_a", "r0", sequence=1, person="old"))
        writer.save_decision(decision_of("run_a", "r1", sequence=5, person="ann"))
        writer.save_items("run_a", [], at=NOON)
        writer.save_items("run_b", [item_of("run_b", "b2")], at=LATER)

    closed = inbox.items(ItemQuery(state="closed"))

    assert [one.item_id for one in closed] == ["b1", "a2", "a1"]
    assert (closed[1].closed_by, closed[1].closed_via, closed[1].closed_sequence) == (
        "ann",
        "console",
        5,
    )
    assert (closed[0].closed_by, closed[0].closed_via) == (None, "elsewhere")
    place = (closed[0].severity, closed[0].closed_at, closed[0].item_id)
    assert items(inbox, state="closed", after=place) == ["a2", "a1"]
    assert items(inbox, state="closed", since=column_time(LATER)) == ["b1"]


def test_an_item_that_comes_back_is_open_and_unclaimed(inbox):
    with inbox.writing() as writer:
        writer.claim_item("a1", "ann", NOON)
        writer.save_items("run_a", [], at=NOON)
        writer.save_items("run_a", [item_of("run_a", "a1")], at=LATER)

    item = inbox.item("a1")
    assert item.closed_at is None
    assert item.closed_via is None
    assert item.claimed_by is None


def test_only_open_items_can_be_claimed(inbox):
    with inbox.writing() as writer:
        writer.save_items("run_a", [], at=NOON)

    for item_id in ("a1", "nothing"):
        with pytest.raises(NotFound), inbox.writing() as writer:
            writer.claim_item(item_id, "ann", NOON)

    assert inbox.item("a1").claimed_by is None


def test_counts_come_from_the_same_rows_as_the_list(inbox):
    with inbox.writing() as writer:
        writer.claim_item("b1", "ann", NOON)
        writer.claim_item("b2", "bob", NOON)
        writer.save_items("run_a", [item_of("run_a", "a1")], at=LATER)

    counts = inbox.item_counts("ann", since=column_time(LATER))

    assert (counts.open, counts.unclaimed, counts.mine, counts.closed_since) == (3, 1, 1, 1)
    assert counts.oldest_opened_at == column_time(NOON)
    assert counts.last_closed_at == column_time(LATER)
    assert inbox.item_counts("ann", since="9999").closed_since == 0


# -- decisions


def test_a_request_is_carried_out_once(store, make_run):
    run_id = make_run()
    row = decision_of(run_id, "r1")
    with store.writing(run_id) as writer:
        writer.save_decision(row)

    with pytest.raises(AlreadyDecided), store.writing(run_id) as writer:
        writer.save_decision(row._replace(person="bob"))

    assert store.decision("r1") == row
    assert store.decision("r2") is None
    assert store.decisions(run_id) == [row]


# -- making it anew


OURS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE name LIKE 'cx!_%' ESCAPE '!'",
    "postgresql": "SELECT relname FROM pg_class WHERE relname LIKE 'cx!_%' ESCAPE '!' UNION ALL "
    "SELECT proname FROM pg_proc WHERE proname LIKE 'cx!_%' ESCAPE '!'",
}


def remove_what_is_ours(store_url, backend):
    """Execute what the reference page says, as an administrator would."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "store.md"
    blocks = page.read_text(encoding="utf-8").split("```sql\n")[1:]
    text = blocks[0 if backend == "sqlite" else 1].partition("```")[0]
    for statement in filter(None, map(str.strip, text.split(";"))):
        execute(store_url, statement)


def test_dropping_all_our_tables_and_opening_again_gives_the_same(
    store, store_url, backend, make_run
):
    run_id = make_run(claimed=["a", "b"], progress=1)
    slots, head, foreign = store.slots(run_id), store.head(run_id), store.foreign_action("a", "x")
    store.close()

    remove_what_is_ours(store_url, backend)
    assert query(store_url, OURS[backend]) == []
    with open_store(store_url, read_only=True) as plain:
        assert not plain.has_read_model
        assert plain.slots(run_id) == slots
        assert plain.summaries(SummaryQuery()) == []
        assert plain.item_counts("ann", since="").open == 0

    with open_store(store_url) as again:
        assert again.notices
        assert again.slots(run_id) == slots
        assert again.head(run_id) == head
        mark = again.head_mark(run_id)
        assert mark is not None
        assert (mark.sequence, mark.hash) == head
        assert again.foreign_action("a", "x") == foreign
        assert again.stale_runs(10, NOON) == [run_id]
    with open_store(store_url) as once_more:
        assert once_more.notices == ()
