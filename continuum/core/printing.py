"""Text of agents is hostile: showing it so that it can neither move a cursor nor forge a line."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return `text` with control, format and unpaired characters as escapes.

    Newlines count as control characters: a name must not forge a line.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\xa0" else _escape(one) for one in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
