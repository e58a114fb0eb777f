"""Families on their pages: trees, tables, pages of children, branches."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from continuum.services import families
from tests.runs.conftest import refresh

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def family(console, make_run):
    """A root with two children, one of them a fork that waits for a person."""
    make_run("root", goal="Release")
    make_run("plain", parent="root")
    forked = {"fork": "true", "fork_reason": "new direction", "fork_parent_sequence": 4}
    make_run("forked", parent="root", metadata=forked, claimed=["k"])
    make_run("lone")
    for _ in range(3):
        refresh(console)
    return console


def shown(client, address):
    """Return the runs an address shows, in order."""
    return [line.node.row.run_id for line in client.get(address).context["screen"].lines]


def test_the_list_holds_roots_with_what_is_below_them(viewer, family):
    assert shown(viewer, "/families/") == ["root", "forked", "plain"]
    page = viewer.get("/families/").content.decode()
    assert "2 children, 1 waiting" in page
    assert "worst below" in page


def test_a_family_has_a_page_of_its_own(viewer, family):
    page = viewer.get("/families/root/").content.decode()

    assert '<h1 class="run-title">Release</h1>' in page
    assert 'href="/runs/forked/"' in page
    assert viewer.get("/families/nobody/").status_code == 404


def test_a_fork_is_a_branch_with_its_place_and_reason(viewer, family):
    page = viewer.get("/families/root/").content.decode()

    assert page.count("data-fork") == 1
    assert "fork at event 4: new direction" in page


def test_only_those_waiting_are_shown_on_request(viewer, family):
    assert shown(viewer, "/families/?waiting=1") == ["root", "forked"]
    assert shown(viewer, "/families/root/?waiting=1") == ["root", "forked"]
    assert "Nothing below waits" in viewer.get("/families/plain/?waiting=1").content.decode()


def test_a_table_says_the_same_as_the_tree(viewer, family):
    page = viewer.get("/families/root/?view=table").content.decode()

    assert "<caption>Runs of the family" in page
    assert page.count('<th scope="row"') == 3
    assert 'class="tree"' not in page


def test_children_come_in_pages(viewer, family, monkeypatch):
    monkeypatch.setattr("runs.pages.family.Reach", lambda **known: families.Reach(1, **known))

    screen = viewer.get("/families/root/").context["screen"]

    rest = shown(viewer, f"/families/root/?before={quote(screen.older)}")
    assert ([line.node.row.run_id for line in screen.lines], rest) == (
        ["root", "plain"],
        ["root", "forked"],
    )


def test_a_place_that_is_none_is_refused(viewer, family):
    assert viewer.get("/families/?before=x").status_code == 422
    assert viewer.get("/families/root/?before=x").status_code == 422


def test_a_run_shows_its_family_with_itself_marked(viewer, family):
    page = viewer.get("/runs/forked/?tab=family").content.decode()

    assert '<span class="tree-node" aria-current="true"><a href="/runs/forked/"' in page
    assert 'href="/families/root/"' in page


def test_what_agents_wrote_is_text(viewer, console, make_run):
    forked = {"fork": "true", "fork_reason": HOSTILE}
    make_run(HOSTILE, goal=HOSTILE)
    make_run("child", goal=HOSTILE, parent=HOSTILE, metadata=forked)
    for _ in range(2):
        refresh(console)

    for address in ("/families/", "/families/?view=table", "/runs/child/?tab=family"):
        page = viewer.get(address).content.decode()
        assert HOSTILE not in page
        assert "fork: &lt;script&gt;" in page
