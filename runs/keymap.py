"""The keys of the console, as people read them; `static/js/keys.js` is what acts on them."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One key, or several after each other.

    Attributes:
        presses: what to press, in order.
        alternative: another key that does the same.
        is_single: it rests when single keys are switched off.
    """

    presses: tuple[str, ...]
    does: str
    alternative: str = ""
    is_single: bool = True


KEYS = (
    Key(("/",), "Search"),
    Key(("j",), "Next row", "↓ in search"),
    Key(("k",), "Row before", "↑ in search"),
    Key(("Enter",), "Open the row", "o"),
    Key(("u",), "Back to the list, at the same row"),
    Key(("n",), "Next item that needs a person"),
    Key(("c",), "Claim the item, or release it"),
    Key(("x",), "Tick the row"),
    Key(("e",), "Go to the evidence"),
    Key(("d",), "Go to the decision; it decides nothing"),
    Key(("r",), "Pause or go on following the store"),
    Key(("g", "i"), "Inbox"),
    Key(("g", "r"), "Runs"),
    Key(("g", "a"), "Audit of chains"),
    Key(("?",), "These keys"),
    Key(("Esc",), "Leave a field or close a dialog", is_single=False),
    Key(("Ctrl", "Enter"), "Send the answer, inside its reason and once one is chosen", "", False),
)
