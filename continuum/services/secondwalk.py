"""Walking a long chain with two processes.

A second process checks the last part of the live rows, starting from the hash
that is stored in front of it; this one gets there meanwhile and so vouches for
that hash. What the other says counts only where both parts are healthy and end
at the head that is seen here. Until it is said this process walks on, and so it
does where nothing is said at all. An outcome never depends on how it came about.
"""

from __future__ import annotations

import json
import os
import sys

from continuum.core.records import NamedTuple
from continuum.domain.chain import ChainWalk
from continuum.store.opening import open_store, parse_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from continuum.store.base import ReadStore

HEAD_START = 6_000
"""How many events are checked in the time a process takes to start."""

SHORTEST = 8_000
"""Fewer live events than this are checked sooner by one process."""

_ROOT = os.path.abspath(f"{__file__}/../../..")
_KILL = 9
_MOST_ANSWER = 4096  # written in one go, so it is read in one
_CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from continuum.services.secondwalk import main
main()
"""


class Part(NamedTuple):
    """The last part of a run's live rows: behind event `after`, up to the head."""

    url: str
    run_id: str
    after: int
    after_hash: str
    head: int
    head_hash: str


class SecondWalker:
    """Another process that checks a part. Use it in a `with` block, which leaves none behind."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._answer, out = os.pipe()
        os.set_blocking(self._answer, False)
        try:
            self._pid = _spawn(part, out)
        finally:
            os.close(out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._answer)
        os.kill(self._pid, _KILL)
        os.waitpid(self._pid, 0)

    def has_found_it_healthy(self) -> bool:
        """Tell, without waiting, whether the part is known to be healthy by now."""
        try:
            told = os.read(self._answer, _MOST_ANSWER)
        except BlockingIOError:
            return False
        return told == _healthy(self.part.head, self.part.head_hash)


def last_part(store: ReadStore, run_id: str, first: int) -> Part | None:
    """Return the part another process should check; None where this one should walk alone.

    Args:
        first: the sequence of the first live row.
    """
    head = store.head(run_id)
    if type(head.sequence) is not int or not head.hash or head.sequence - first < SHORTEST:
        return None
    if not _can_share(store):
        return None
    border = (first + head.sequence + HEAD_START) // 2
    row = store.event_row(run_id, border)
    if row is None or row.archived or type(row.row.hash) is not str:
        return None
    return Part(store.url, run_id, border, row.row.hash, head.sequence, head.hash)


def main() -> None:
    """Be the other process: check the part that the last argument names, and answer."""
    part = Part(**json.loads(sys.argv[-1]))
    walk = ChainWalk(part.run_id, after=part.after, prev_hash=part.after_hash)
    with open_store(part.url, read_only=True) as store, store.reading():
        walk.live(store.event_rows(part.run_id, archived=False, after=part.after, upto=part.head))
    found = walk.result()
    if walk.stands_at(part.head, part.head_hash):
        os.write(1, _healthy(found.head_sequence, found.head_hash))


def _healthy(head: int, head_hash: str | None) -> bytes:
    return f"healthy to {head} {head_hash}".encode("ascii", "backslashreplace")


def _can_share(store: ReadStore) -> bool:
    """A file can be opened twice; a store in memory cannot, and a server has its own limits."""
    backend, place = parse_address(store.url)
    return (
        backend == "sqlite"
        and place != ":memory:"
        and hasattr(os, "posix_spawn")
        and os.path.basename(sys.executable).startswith("python")
        and len(os.sched_getaffinity(0)) > 1
    )


def _spawn(part: Part, answer: int) -> int:
    """Start a bare interpreter on `main`; what it has to complain about is of no interest."""
    question = json.dumps(part._asdict())
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", "-c", _CODE, _ROOT, question],
        {},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, answer, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
