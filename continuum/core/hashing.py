"""SHA-256 for a command that hashes a little, and for a process that hashes a lot.

`hashlib` loads OpenSSL, which takes longer than a short command spends on all
its hashes together. Python's own implementation is there at once and takes
three times as long for each. So the first few hundred hashes of a process are
made by the one, and all others by the other; they are the same hashes.
"""

from __future__ import annotations

from sys import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FEW = 400
"""How many hashes are made before OpenSSL is loaded; together they take half a millisecond."""

_BUILT_IN = ("_sha256", "_sha2")  # until Python 3.11, and since 3.12


def hash_maker(count: int) -> Callable[[bytes], Any]:
    """Return what makes SHA-256 hash objects, for somebody who will make `count` of them."""
    if _state.left > 0:
        _state.left -= count
        if _state.left <= 0:
            _state.maker = _loaded("hashlib")
    return _state.maker


def hex_digest(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 lowercase hex digits."""
    digest: str = hash_maker(1)(data).hexdigest()
    return digest


def _loaded(module: str) -> Callable[[bytes], Any]:
    __import__(module)
    maker: Callable[[bytes], Any] = modules[module].sha256
    return maker


class _State:
    """What a process has hashed so far, and with what."""

    def __init__(self) -> None:
        self.left = FEW
        for module in (*_BUILT_IN, "hashlib"):
            try:
                self.maker = _loaded(module)
            except ImportError:
                continue
            return


_state = _State()
