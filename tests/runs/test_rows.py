"""Rows of long lists are written in Python, so that each value is escaped has to be shown."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

from runs.markup import fill, joined

HOSTILE = "</p><script>alert('x')</script>&\"{0}{name}"


def test_fill_escapes_as_django_does() -> None:
    assert fill("<p>{text}</p>", text=HOSTILE) == format_html("<p>{}</p>", HOSTILE)


def test_fill_keeps_what_is_marked_as_safe_and_nothing_else() -> None:
    class Claimed(str):
        """A text that only claims to be markup."""

        def __html__(self) -> str:
            return str(self)

    assert fill("{a}", a=SafeString("<b>")) == "<b>"
    assert fill("{a}", a=Claimed("<b>")) == "&lt;b&gt;"


def test_fill_writes_numbers_and_nothing_as_text() -> None:
    assert fill("{a} {b}", a=3, b=None) == "3 None"


def test_joined_texts_stay_marked() -> None:
    assert type(joined([fill("<i>{a}</i>", a="<"), SafeString("<br>")])) is SafeString
    assert joined([fill("<i>{a}</i>", a="<")]) == "<i>&lt;</i>"


def test_percent_signs_of_a_text_and_of_values_stay() -> None:
    assert fill('<rect width="{a}%">{b} %s</rect>', a=50, b="100 %(a)s") == (
        '<rect width="50%">100 %(a)s %s</rect>'
    )
