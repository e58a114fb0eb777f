"""Times are shown in the reader's zone, with UTC in the title."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from runs.clocks import clock_at

AT = "2026-12-01T23:30:15.250000+00:00"
IN_UTC = clock_at(datetime(2026, 12, 1, 23, 45, tzinfo=UTC))
IN_TOKYO = clock_at(datetime(2026, 12, 2, 8, 45, tzinfo=ZoneInfo("Asia/Tokyo")))


def text_of(markup: str) -> str:
    return markup.partition(">")[2].removesuffix("</time>")


def test_a_time_names_utc_in_its_title_whatever_the_zone():
    for clock in (IN_UTC, IN_TOKYO):
        assert 'title="2026-12-01 23:30:15 UTC"' in clock.second(AT)
        assert f'datetime="{AT}"' in clock.second(AT)


def test_today_is_the_readers():
    assert text_of(IN_UTC.second(AT)) == "23:30:15"
    assert text_of(IN_TOKYO.second(AT)) == "08:30:15"
    assert text_of(IN_TOKYO.second("2026-12-01T14:30:15+00:00")) == "1 Dec 23:30:15"
    assert text_of(IN_TOKYO.clock("2026-12-01T14:30:15+00:00")) == "1 Dec 23:30"


def test_how_long_ago_does_not_depend_on_the_zone():
    assert text_of(IN_UTC.ago(AT)) == text_of(IN_TOKYO.ago(AT)) == "14 min"


@pytest.mark.parametrize("value", [None, "", "soon"])
def test_what_is_no_time_is_a_dash(value):
    assert IN_UTC.second(value) == IN_UTC.clock(value) == IN_UTC.ago(value) == "–"
    assert IN_UTC.in_words(value) == ""


def test_times_in_a_sentence_are_the_readers_and_the_rest_is_escaped():
    sentence = f"<b>event 7</b> was changed at {AT}, seen 2026-99-99T00:00:00+00:00"

    shown = IN_TOKYO.in_sentence(sentence)

    assert shown.startswith("&lt;b&gt;event 7&lt;/b&gt; was changed at <time ")
    assert 'title="2026-12-01 23:30:15 UTC">08:30:15</time> JST, seen 2026-99-99T' in shown


@pytest.mark.parametrize("clock", [IN_UTC, IN_TOKYO])
@pytest.mark.parametrize("value", ["2026-12-01 23:30:15.25Z", "2026-12-02T01:30:15.250+02:00"])
def test_every_way_of_writing_a_moment_shows_the_same(clock, value):
    assert clock.second(value) == clock.second(AT)


def test_what_only_looks_like_a_time_is_a_dash():
    assert IN_UTC.second("2026-13-41T25:61:61.250000+00:00") == "–"


def test_a_zone_that_is_utc_for_now_is_converted_like_any_other():
    in_london = clock_at(datetime(2026, 12, 1, 23, 45, tzinfo=ZoneInfo("Europe/London")))

    assert text_of(in_london.second("2026-07-01T12:00:00+00:00")) == "1 Jul 13:00:00"
