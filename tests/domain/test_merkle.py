"""Merkle trees, by the published roots of RFC 6962's test leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.domain.merkle import EMPTY_ROOT, MerkleTree, is_included, leaf_hash

LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def tree_of(count):
    return MerkleTree(leaf_hash(str(number).encode()) for number in range(count))


@pytest.mark.parametrize("size", range(9))
def test_the_root_is_the_published_one(size):
    tree = MerkleTree(leaf_hash(leaf) for leaf in LEAVES[:size])

    assert tree.root.hex() == ROOTS[size]
    assert tree.size == size


def test_an_empty_tree_has_a_root_and_no_leaf():
    assert MerkleTree([]).root == EMPTY_ROOT
    with pytest.raises(IndexError):
        MerkleTree([]).proof(0)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 13, 64, 100])
def test_every_leaf_has_a_proof_that_holds_nowhere_else(size):
    tree = tree_of(size)
    for index in range(size):
        leaf, proof = leaf_hash(str(index).encode()), tree.proof(index)

        assert is_included(leaf, index, proof, size=size, root=tree.root)
        for other in {index - 1, index + 1, size}:
            assert not is_included(leaf, other, proof, size=size, root=tree.root)
        assert not is_included(leaf, index, [*proof, b"\0" * 32], size=size, root=tree.root)
        if proof:
            assert not is_included(leaf, index, proof[:-1], size=size, root=tree.root)


@given(st.integers(2, 70), st.data())
def test_any_changed_byte_of_a_proof_spoils_it(size, data):
    tree = tree_of(size)
    index = data.draw(st.integers(0, size - 1))
    proof = tree.proof(index)
    place = data.draw(st.integers(0, len(proof) - 1))
    byte = data.draw(st.integers(0, 31))
    changed = bytearray(proof[place])
    changed[byte] ^= data.draw(st.integers(1, 255))
    leaf = leaf_hash(str(index).encode())

    wrong = [*proof[:place], bytes(changed), *proof[place + 1 :]]

    assert not is_included(leaf, index, wrong, size=size, root=tree.root)


def test_a_node_does_not_pass_for_a_leaf():
    tree = tree_of(4)
    left = tree.proof(2)[1]

    assert not is_included(left, 0, [tree.proof(0)[1]], size=4, root=tree.root)
