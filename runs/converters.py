"""Run ids, keys and item ids in addresses.

They are free text: slashes, dots, emoji, 512 characters. A plain one is written
as it is, every other as `~` and base64url without padding, so that each value
has exactly one address and each address exactly one value.
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@=,+-]{0,255}")


class Name:
    """The path converter `<name:…>`."""

    regex = r"[A-Za-z0-9_~][A-Za-z0-9_.:@=,+-]*"

    def to_python(self, value: str) -> str:
        """Return the text an address names.

        Raises:
            ValueError: no value is written like this, so the page does not exist.
        """
        text = _decoded(value) if value.startswith("~") else value
        if self.to_url(text) != value:
            raise ValueError(value)
        return text

    def to_url(self, value: str) -> str:
        """Return `value` as one segment of an address.

        Raises:
            ValueError: nothing is called by no name.
        """
        if not value:
            raise ValueError("an empty name has no address")
        if _PLAIN.fullmatch(value):
            return value
        encoded = urlsafe_b64encode(value.encode("utf-8", "surrogatepass"))
        return "~" + encoded.decode("ascii").rstrip("=")


def _decoded(value: str) -> str:
    body = value[1:]
    padded = body + "=" * (-len(body) % 4)
    try:
        return urlsafe_b64decode(padded).decode("utf-8", "surrogatepass")
    except (binascii.Error, UnicodeDecodeError) as exc:
        raise ValueError(value) from exc
