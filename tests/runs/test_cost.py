"""What a page may cost: a fixed number of queries, however many rows there are."""

from __future__ import annotations

from typing import Any

import pytest

from continuum.domain.events import Origin
from continuum.services.runs import NewRun, start_run
from runs.engine import current_store
from tests.conftest import NOON
from tests.runs.conftest import refresh

PAGES = ["/", "/?tab=all", "/runs/", "/actions/", "/families/", "/runs/run_a/"]


@pytest.mark.parametrize("url", PAGES)
def test_a_page_asks_the_people_database_twice(
    operator, uncertain, django_assert_max_num_queries, url
):
    uncertain()

    with django_assert_max_num_queries(2):  # the session, the person with their roles
        assert operator.get(url).status_code == 200


NARROWED = "/?tab=all&type=send&family=run_a&text=a&verdict=request_human"


@pytest.mark.parametrize("url", ["/", NARROWED, "/?item=next", "/runs/", "/actions/"])
def test_a_list_asks_the_store_as_often_for_two_rows_as_for_fifty(
    operator, console, uncertain, statements, url
):
    uncertain("run_a")
    uncertain("run_b", key="k-b")
    few = statements(lambda: operator.get(url))
    for number in range(48):
        start_run(console, NewRun(f"more-{number}", "g", Origin.EXTERNAL_AGENT), at=NOON)
    refresh(console)

    many = statements(lambda: operator.get(url))

    assert many == few


@pytest.fixture
def statements(console, operator):
    """Return how many statements the console's own connection runs for a call."""

    def count(call):
        call()  # opens the connection, so that opening is not counted
        seen: list[str] = []
        # SQLite itself says what it is asked; no double of ours stands in between.
        opened: Any = current_store(console.url)
        raw = opened._database._connection
        raw.set_trace_callback(seen.append)
        call()
        raw.set_trace_callback(None)
        return len(seen)

    return count
