"""Families as trees: the worst below, pages of children, and guards."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from continuum import open_store
from continuum.core.errors import RunNotFound
from continuum.services import summaries
from continuum.services.families import Fork, Reach, family_tree, list_families
from tests.conftest import NOON
from tests.outsiders import change
from tests.stores import RunMaker


@pytest.fixture
def grow(store):
    """Make runs, each (id, parent) a second after the one before; ids that end in ? wait."""

    def make(*pairs, **metadata):
        for number, (name, parent) in enumerate(pairs):
            run_id = name.rstrip("?")
            maker = RunMaker(store, at=NOON + timedelta(seconds=number))
            claimed = ["k"] if name != run_id else []
            maker(run_id, parent=parent, claimed=claimed, metadata=metadata.get(run_id))
        settle(store)
        return store

    return make


def settle(store):
    """Judge until parents know of their children."""
    while summaries.catch_up(store, limit=200, at=NOON):
        pass


def shape(node):
    """Return a tree as nested lists of ids."""
    return [node.row.run_id, *(shape(child) for child in node.children)]


def test_a_tree_says_the_worst_below_each_run(grow):
    store = grow(("root", None), ("a", "root"), ("b", "root"), ("deep?", "a"))

    tree = family_tree(store, "root", Reach())

    assert shape(tree) == ["root", ["b"], ["a", ["deep"]]]
    assert tree.worst == "request_human"
    assert [child.worst for child in tree.children] == ["", "request_human"]
    assert (tree.size, tree.waiting, tree.is_cut) == (4, 1, False)


def test_the_worst_counts_children_that_are_on_no_page_yet(grow):
    store = grow(("root", None), ("oldest?", "root"), ("b", "root"), ("c", "root"))

    tree = family_tree(store, "root", Reach(children=2))

    assert shape(tree) == ["root", ["c"], ["b"]]
    assert (tree.worst, tree.waiting) == ("request_human", 1)
    rest = family_tree(store, "root", Reach(children=2, before=tree.older))
    assert shape(rest) == ["root", ["oldest"]]
    assert rest.older is None


def test_an_ended_child_counts_only_while_something_of_it_is_in_doubt(grow, store_url):
    store = grow(("root", None), ("a", "root"), ("b?", "root"))
    change(store_url, "cx_summaries", {"run_id": "a"}, {"status": "completed", "mode": "abort"})
    assert family_tree(store, "root", Reach()).worst == "request_human"

    change(store_url, "cx_summaries", {"run_id": "b"}, {"status": "aborted", "open_actions": 0})

    assert family_tree(store, "root", Reach()).worst == ""


def test_a_tree_can_be_narrowed_to_what_waits(grow):
    store = grow(("root", None), ("a", "root"), ("b", "root"), ("deep?", "a"), ("fine", "a"))

    tree = family_tree(store, "root", Reach(waiting=True))

    assert shape(tree) == ["root", ["a", ["deep"]]]
    assert not tree.is_cut


def test_a_tree_stops_at_its_depth_and_says_so(grow):
    store = grow(("root", None), ("a", "root"), ("b", "a"))

    tree = family_tree(store, "root", Reach(depth=1))

    assert shape(tree) == ["root", ["a"]]
    assert tree.children[0].is_cut


def test_a_tree_stops_at_its_size_and_says_so(grow):
    store = grow(("root", None), ("a", "root"), ("b", "root"), ("c", "a"), ("d", "b"))

    tree = family_tree(store, "root", Reach(nodes=4))

    assert tree.size == 4
    assert [child.is_cut for child in tree.children] == [False, True]


def test_a_run_on_the_path_is_shown_wherever_it_stands(grow):
    store = grow(("root", None), ("oldest", "root"), ("b", "root"), ("c", "root"))

    tree = family_tree(store, "root", Reach(children=1, path=("oldest",)))

    assert shape(tree) == ["root", ["c"], ["oldest"]]


def test_children_that_wait_can_come_first_and_the_rest_goes_on_behind(grow):
    store = grow(("root", None), ("old?", "root"), ("b", "root"), ("c", "root"), ("d", "root"))

    tree = family_tree(store, "root", Reach(children=3, leading=1))
    rest = family_tree(store, "root", Reach(before=tree.older))

    assert shape(tree) == ["root", ["old"], ["d"], ["c"]]
    assert shape(rest) == ["root", ["b"], ["old"]]


def test_a_circle_of_parents_ends(grow, store_url):
    store = grow(("a", None), ("b", "a"))
    change(store_url, "runs", {"run_id": "a"}, {"parent_run_id": "b"})
    settle(store)

    assert shape(family_tree(store, "a", Reach())) == ["a", ["b"]]
    change(store_url, "runs", {"run_id": "a"}, {"parent_run_id": "a"})
    settle(store)
    assert shape(family_tree(store, "a", Reach())) == ["a", ["b"]]


def test_a_fork_says_where_and_why_it_branched_off(grow):
    forked = {"fork": "true", "fork_reason": "new direction", "fork_parent_sequence": 4}
    odd = {"fork": "true", "fork_parent_sequence": "4"}
    store = grow(("root", None), ("a", "root"), ("f", "root"), ("g", "root"), f=forked, g=odd)

    tree = family_tree(store, "root", Reach())

    forks = {child.row.run_id: child.fork for child in tree.children}
    assert forks == {"a": None, "f": Fork(4, "new direction"), "g": Fork(0, "")}
    assert tree.fork is None


def test_families_are_listed_newest_first_in_pages(grow):
    store = grow(
        ("r1", None), ("r2", None), ("r3", None), ("lone", None),
        ("a", "r1"), ("b?", "r2"), ("c", "r3"),
    )  # fmt: skip

    first = list_families(store, limit=2, reach=Reach())
    second = list_families(store, before=first.older, limit=2, reach=Reach())

    assert [shape(one) for one in first.families] == [["r3", ["c"]], ["r2", ["b"]]]
    assert [shape(one) for one in second.families] == [["r1", ["a"]]]
    assert second.older is None


def test_families_can_be_narrowed_to_those_that_wait_and_by_text(grow):
    store = grow(("r1", None), ("r2", None), ("a", "r1"), ("b?", "r2"))

    waiting = list_families(store, waiting=True, limit=9, reach=Reach(waiting=True))
    named = list_families(store, text="R1", limit=9, reach=Reach())

    assert [shape(one) for one in waiting.families] == [["r2", ["b"]]]
    assert [shape(one) for one in named.families] == [["r1", ["a"]]]


def test_an_unknown_run_has_no_tree(store):
    with pytest.raises(RunNotFound):
        family_tree(store, "nobody", Reach())


def test_a_run_that_was_not_judged_yet_is_in_its_tree(grow):
    store = grow(("root", None))
    RunMaker(store, at=NOON)("new", parent="root")

    tree = family_tree(store, "root", Reach())

    assert shape(tree) == ["root", ["new"]]
    assert tree.children[0].row.mode == ""


def test_a_store_of_the_other_client_has_trees_without_verdicts(tmp_path):
    path = str(tmp_path / "theirs.db")
    with open_store(path) as ours:
        for run_id, parent in (("root", None), ("a", "root"), ("b", "a")):
            RunMaker(ours, at=NOON)(run_id, parent=parent)
    forget_our_tables(path)

    with open_store(path, read_only=True) as theirs:
        tree = family_tree(theirs, "root", Reach(path=("a",)))
        assert list_families(theirs, limit=9, reach=Reach()).families == ()

    assert shape(tree) == ["root", ["a", ["b"]]]
    assert (tree.row.mode, tree.worst) == ("", "")


def forget_our_tables(path):
    """Leave what the other client knows of a store."""
    with closing(sqlite3.connect(path)) as raw, raw:
        found = "SELECT type, name FROM sqlite_master WHERE name LIKE 'cx_%' AND type = ?"
        for kind in ("trigger", "table"):
            for _, name in raw.execute(found, (kind,)).fetchall():
                raw.execute(f"DROP {kind} IF EXISTS {name}")
