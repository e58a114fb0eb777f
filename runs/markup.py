"""Filling HTML texts: what `django.utils.html.format_html` does, at a third of its price.

Django's function also serves lazy translations and any object that brings its
own markup; rows of long lists hold plain values and marked texts only.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTHING = SafeString("")


def fill(text: str, /, **values: object) -> SafeString:
    """Return `text` with its named gaps filled; what is not marked as safe is escaped."""
    escaped = {
        name: value if type(value) is SafeString else escape(str(value))
        for name, value in values.items()
    }
    return SafeString(text.format_map(escaped))


def joined(parts: Iterable[SafeString]) -> SafeString:
    """Return marked texts one after the other."""
    return SafeString("".join(parts))
