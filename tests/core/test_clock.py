"""Reading times leniently and writing them in one form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.clock import (
    body_time,
    column_time,
    column_to_body,
    is_column_time,
    parse_time,
)
from continuum.core.errors import InvalidInput

INSTANT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T03:04:05.678901+00:00",
        "2026-01-02T03:04:05.678901Z",
        "2026-01-02 03:04:05.678901",
        "2026-01-02T08:34:05.678901+05:30",
        "2026-01-02T03:04:05.678901999Z",
        "1767323045.678901",
    ],
)
def test_every_written_form_of_an_instant_reads_alike(text):
    assert parse_time(text) == INSTANT


def test_a_bare_date_is_midnight_utc():
    assert parse_time("2026-01-02") == datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "nan", "1e300"])
def test_a_text_that_is_no_time_is_refused(text):
    with pytest.raises(InvalidInput, match="not a time"):
        parse_time(text)


def test_columns_and_bodies_differ_in_the_zone_only():
    assert column_time(INSTANT) == "2026-01-02T03:04:05.678901+00:00"
    assert body_time(INSTANT) == "2026-01-02T03:04:05.678901Z"
    assert column_to_body("2026-01-02T03:04:05+00:00") == "2026-01-02T03:04:05Z"


@given(st.datetimes(min_value=datetime(1000, 1, 1)))
def test_what_is_written_is_recognised_and_reads_back(moment):
    at = moment.replace(tzinfo=UTC)

    assert is_column_time(column_time(at))
    assert parse_time(column_time(at)) == at
    assert parse_time(body_time(at)) == at


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02 03:04:05+00:00",
        "2026-01-02T03:04:05.000000+00:00",
        "2026-01-02T03:04:05,678901+00:00",
        "2026-01-02T03:04:05.678901+01:00",
        "2026-W01-1T03:04:05.678901+00:00",
        "2026-01-02T03:04:05.6789+00:00",
        "2026-01-02T03:04:05.678901-00:00",
        "",
    ],
)
def test_another_form_is_not_taken_for_the_column_form(text):
    assert not is_column_time(text)


def test_an_impossible_time_in_the_column_form_is_an_error():
    with pytest.raises(ValueError, match="day"):
        is_column_time("2026-02-31T03:04:05+00:00")


def test_a_time_of_another_zone_is_written_in_utc():
    at = datetime(2026, 1, 2, 8, 34, 5, tzinfo=timezone(timedelta(hours=5, minutes=30)))

    assert column_time(at) == "2026-01-02T03:04:05+00:00"
