"""Attestations of a whole store: one signed root over the heads of all runs.

A document has two members. `statement` says how many runs there were and the
Merkle root over their heads, and is signed like an attestation of a run.
`runs` lists heads, all or some, each with the proof that leads from it to the
root, so that one run can be shown to somebody without the others.

Leaf data is the canonical JSON of `{"hash", "run_id", "sequence"}`; leaves
stand in the order of run ids by code point.
"""

from __future__ import annotations

from continuum.core.canonical import canonical_text
from continuum.core.clock import column_time
from continuum.core.records import NamedTuple
from continuum.domain.attestation import ALGORITHM, is_same_key, is_sequence, signature_valid
from continuum.domain.merkle import MerkleTree, is_included, leaf_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.attestation import Check

FORMAT = "continuum-store-attestation/1"
TREE_HASH = "rfc6962-sha256"


class RunHead(NamedTuple):
    """The newest event of a run: sequence 0 and no hash without events."""

    run_id: str
    sequence: int
    hash: str | None


class StoreCheck(NamedTuple):
    """What a document proves by itself.

    Attributes:
        problems: why it proves nothing, as `code` or `code: run`; empty when
            it holds.
        tree_size, listed: runs in the store when it was signed, and in `runs`.
        heads: what was proven, by run id.
    """

    problems: tuple[str, ...]
    tree_size: int
    listed: int
    root_hash: str
    signer: str | None
    timestamp: str
    heads: dict[str, RunHead]

    @property
    def ok(self) -> bool:
        """True when signature and every proof hold."""
        return not self.problems


def leaf_of(head: RunHead) -> bytes:
    """Return the leaf hash of a run's head."""
    return leaf_hash(canonical_text(head._asdict()).encode("ascii"))


def unsigned_statement(
    tree: MerkleTree, *, signer: str | None, public_key: str, at: datetime
) -> dict[str, Any]:
    """Return the statement on a tree that is still to be signed.

    Args:
        public_key: PEM, with its final line end.
    """
    return {
        "format": FORMAT,
        "tree_hash": TREE_HASH,
        "tree_size": tree.size,
        "root_hash": tree.root.hex(),
        "signer": signer,
        "timestamp": column_time(at),
        "public_key": public_key,
        "algorithm": ALGORITHM,
    }


def listed_run(head: RunHead, index: int, tree: MerkleTree) -> dict[str, Any]:
    """Return the entry of a run: its head, its place, and the proof."""
    proof = [one.hex() for one in tree.proof(index)]
    return {**head._asdict(), "index": index, "proof": proof}


def check_document(
    document: Mapping[str, Any], check: Check, *, trusted_key: str | None = None
) -> StoreCheck:
    """Check signature and proofs of a document; nothing but the document is needed.

    Args:
        check: as for `signature_valid`.
        trusted_key: public PEM that must have signed; else the document's own
            key is taken as it is.
    """
    statement, runs = document.get("statement"), document.get("runs")
    if not isinstance(statement, dict) or not isinstance(runs, list) or len(document) != 2:
        return StoreCheck(("not_a_store_attestation",), 0, 0, "", None, "", {})
    problems = [*_statement_problems(statement, check, trusted_key)]
    heads: dict[str, RunHead] = {}
    if not problems:
        problems += _run_problems(statement, runs, heads)
    size, signer = statement.get("tree_size"), statement.get("signer")
    return StoreCheck(
        problems=tuple(problems),
        tree_size=size if is_sequence(size) else 0,
        listed=len(runs),
        root_hash=str(statement.get("root_hash", "")),
        signer=signer if isinstance(signer, str) else None,
        timestamp=str(statement.get("timestamp", "")),
        heads=heads,
    )


def _statement_problems(
    statement: Mapping[str, Any], check: Check, trusted_key: str | None
) -> Iterator[str]:
    if statement.get("format") != FORMAT or statement.get("tree_hash") != TREE_HASH:
        yield "unknown_format"
    elif not is_sequence(statement.get("tree_size")) or _bytes(statement.get("root_hash")) is None:
        yield "malformed_statement"
    elif not signature_valid(statement, check):
        yield "wrong_signature"
    elif trusted_key is not None and not is_same_key(statement, trusted_key):
        yield "another_key"


def _run_problems(
    statement: Mapping[str, Any], runs: Sequence[Any], heads: dict[str, RunHead]
) -> Iterator[str]:
    size, root = statement["tree_size"], bytes.fromhex(statement["root_hash"])
    places: set[int] = set()
    for entry in runs:
        head, index, proof = _entry(entry)
        if head is None or index is None or proof is None:
            yield "malformed_run"
        elif head.run_id in heads or index in places:
            yield f"listed_twice: {head.run_id}"
        elif not is_included(leaf_of(head), index, proof, size=size, root=root):
            yield f"not_included: {head.run_id}"
        else:
            heads[head.run_id] = head
            places.add(index)


def _entry(entry: Any) -> tuple[RunHead | None, int | None, list[bytes] | None]:
    if not isinstance(entry, dict) or entry.keys() != _MEMBERS:
        return None, None, None
    run_id, sequence, hash_ = entry.get("run_id"), entry.get("sequence"), entry.get("hash")
    is_head = isinstance(run_id, str) and is_sequence(sequence)
    is_head = is_head and (hash_ is None or _bytes(hash_) is not None)
    head = RunHead(str(run_id), sequence, hash_) if is_head and is_sequence(sequence) else None
    index, proof = entry.get("index"), entry.get("proof")
    path = [_bytes(one) for one in proof] if isinstance(proof, list) else [None]
    known = [one for one in path if one is not None]
    return head, index if is_sequence(index) else None, known if len(known) == len(path) else None


def _bytes(text: Any) -> bytes | None:
    """Return the 32 bytes of 64 lowercase hex digits, or None."""
    if not isinstance(text, str) or len(text) != 64 or not set(text) <= _HEX:
        return None
    return bytes.fromhex(text)


_MEMBERS = {"run_id", "sequence", "hash", "index", "proof"}
_HEX = frozenset("0123456789abcdef")
