"""Continuum: a hash-chained event store for long-running AI agents.

`open_store` is loaded on first use, so that importing the package costs
nothing.
"""

from __future__ import annotations

from sys import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.opening import open_store as open_store

__version__ = "0.1.0"
__all__ = ["__version__", "open_store"]

_LAZY = {"open_store": "continuum.store.opening"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    __import__(_LAZY[name])
    value: object = getattr(modules[_LAZY[name]], name)
    globals()[name] = value
    return value
