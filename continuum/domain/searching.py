"""Words to search by: how text is cut into them, and what a query asks for.

Text and query are cut and folded by the same rules on both back ends, so a
back end sees words only, never the syntax of its own search language. Scripts
that put no blanks between words are cut into single characters, which a
phrase puts together again: any part of such a text can be found.
"""

from __future__ import annotations

import re
import unicodedata

from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_QUERY = 200
MAX_PHRASES = 12
_LONGEST_WORD = 100
_SHORTEST_PREFIX = 2

# Han, kana, hangul, Thai, Lao, Myanmar, Khmer.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED += "\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f"
_WORD = re.compile(rf"[{_UNSPACED}](?<=\w)|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+")
_SINGLE = re.compile(rf"[{_UNSPACED}]")
_MARK = re.compile(f"[{_MARKS}]")
_ACTING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Word(NamedTuple):
    """A word and where it stands in its text."""

    start: int
    end: int
    folded: str


class Phrase(NamedTuple):
    """Words that follow each other; the last one may go on, where `open`."""

    words: tuple[str, ...]
    open: bool


class Part(NamedTuple):
    """A piece of a text that is shown; `hit` where it was asked for."""

    text: str
    hit: bool


def words_in(text: str) -> Iterator[Word]:
    """Yield the words of `text` in order."""
    for found in _WORD.finditer(text):
        yield Word(found.start(), found.end(), _folded(found.group()))


def phrases_of(query: str) -> list[Phrase]:
    """Return what a query asks for: one phrase for each piece between blanks."""
    phrases = []
    for piece in query[:MAX_QUERY].split()[:MAX_PHRASES]:
        words = tuple(word.folded for word in words_in(piece))
        if words:
            last = words[-1]
            is_open = len(last) >= _SHORTEST_PREFIX and not _SINGLE.match(last)
            phrases.append(Phrase(words, is_open))
    return phrases


def excerpt(text: str, phrases: list[Phrase], *, size: int = 240) -> list[Part]:
    """Return about `size` characters of `text` around the first hit, cut where hits begin and end.

    The parts together are a piece of `text`, with an ellipsis where it was cut.
    """
    spans = _merged(_hits(text, phrases))
    start = max(0, spans[0][0] - size // 4) if spans else 0
    end = min(len(text), start + size)
    parts = [Part("…", False)] if start else []
    at = start
    for first, last in spans:
        if last > end or first < start:
            continue
        parts += [Part(text[at:first], False), Part(text[first:last], True)]
        at = last
    parts.append(Part(text[at:end] + ("…" if end < len(text) else ""), False))
    return [part for part in parts if part.text]


def plain(text: str) -> str:
    """Return `text` without what no database column can hold or no page should show."""
    return _ACTING.sub("\N{REPLACEMENT CHARACTER}", text)


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()[:_LONGEST_WORD]
    bare = _MARK.sub("", unicodedata.normalize("NFKD", word))
    return unicodedata.normalize("NFC", bare.casefold())[:_LONGEST_WORD]


def _hits(text: str, phrases: list[Phrase]) -> list[tuple[int, int]]:
    words = list(words_in(text))
    spans = []
    for at in range(len(words)):
        for phrase in phrases:
            if _stands_at(words, at, phrase):
                last = words[at + len(phrase.words) - 1]
                spans.append((words[at].start, last.end))
    return spans


def _stands_at(words: list[Word], at: int, phrase: Phrase) -> bool:
    there = words[at : at + len(phrase.words)]
    if len(there) < len(phrase.words):
        return False
    *whole, last = zip(there, phrase.words, strict=True)
    if any(word.folded != wanted for word, wanted in whole):
        return False
    word, wanted = last
    return word.folded.startswith(wanted) if phrase.open else word.folded == wanted


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
