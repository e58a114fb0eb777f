"""One thread that does what touches the store, first come, first served.

The protocol goes on meanwhile: pings are answered and further calls queued. A
call that was begun is finished, also when its client takes it back.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeVar

    T = TypeVar("T")


class Worker:
    """Runs functions in its thread, in the order they are given."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="continuum-store")

    async def run(self, function: Callable[[], T]) -> T:
        """Return what `function` returns; a cancelled wait leaves it running."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, function)

    def soon(self, function: Callable[[], object]) -> None:
        """Run `function` behind what is waiting; nobody waits for it."""
        self._executor.submit(function)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._executor.shutdown(wait=True)
