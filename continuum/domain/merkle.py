"""Merkle trees as RFC 6962 (2.1) and RFC 9162 (2.1.3) define them, over SHA-256.

A leaf is hashed with 0x00 in front, a node with 0x01, so that no node passes
for a leaf. The root of many leaves is one hash to sign; an inclusion proof
shows with a few hashes that one leaf was under it, without the others.
"""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LEAF, _NODE = b"\x00", b"\x01"
EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of one leaf."""
    return sha256(_LEAF + data).digest()


class MerkleTree:
    """A tree over leaf hashes, in order; holds about two hashes a leaf."""

    def __init__(self, leaves: Iterable[bytes]) -> None:
        self._levels = [list(leaves)]
        while len(self._levels[-1]) > 1:
            self._levels.append(_level_above(self._levels[-1]))

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0])

    @property
    def root(self) -> bytes:
        """The hash over all leaves."""
        return self._levels[-1][0] if self.size else EMPTY_ROOT

    def proof(self, index: int) -> list[bytes]:
        """Return the hashes that lead from leaf `index` to the root, lowest first.

        Raises:
            IndexError: there is no such leaf.
        """
        if not 0 <= index < self.size:
            raise IndexError(f"leaf {index} of {self.size}")
        path = []
        for level in self._levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                path.append(level[sibling])
            index >>= 1
        return path


def is_included(leaf: bytes, index: int, proof: Sequence[bytes], *, size: int, root: bytes) -> bool:
    """Return whether `proof` leads from the hash of leaf `index` to the root of `size` leaves."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = _node_hash(sibling, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = _node_hash(found, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and found == root


def _level_above(level: Sequence[bytes]) -> list[bytes]:
    """Pair the hashes of a level; one that is left over goes up as it is."""
    pairs = zip(level[::2], level[1::2], strict=False)
    above = [_node_hash(left, right) for left, right in pairs]
    return [*above, level[-1]] if len(level) & 1 else above


def _node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()
