"""Ed25519 keys and signatures; needs the optional extra `attest`."""

from __future__ import annotations

import base64
import binascii

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from continuum.core.errors import InvalidInput
from continuum.domain.attestation import signed_text, unsigned_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import Head


class KeyPair:
    """A signing key; `private_pem` (PKCS #8, unencrypted) must stay secret."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def generate(cls) -> KeyPair:
        """Return a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, text: str) -> KeyPair:
        """Return the key of a private PEM.

        Raises:
            InvalidInput: the text is no unencrypted Ed25519 private key.
        """
        try:
            key = load_pem_private_key(text.encode("utf-8"), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as exc:
            raise InvalidInput("the signing key is no unencrypted private PEM") from exc
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidInput("the signing key is not an Ed25519 key")
        return cls(key)

    @property
    def private_pem(self) -> str:
        """The private key as PEM, with its final line end."""
        text = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return text.decode("ascii")

    @property
    def public_pem(self) -> str:
        """The public key as PEM, with its final line end."""
        public = self._key.public_key()
        return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode("ascii")

    def sign(self, message: bytes) -> str:
        """Return the signature of `message` in standard base64."""
        return base64.b64encode(self._key.sign(message)).decode("ascii")


def attest(
    run_id: str, head: Head, key: KeyPair, *, signer: str | None, at: datetime
) -> dict[str, Any]:
    """Return a signed document that says how far the chain of a run reaches.

    Raises:
        NoEvents: there is nothing to attest.
    """
    document = unsigned_document(run_id, head, signer=signer, public_key=key.public_pem, at=at)
    return {**document, "signature": key.sign(signed_text(document).encode("ascii"))}


def check_signature(public_key: str, signature: str, message: bytes) -> bool:
    """Return whether `signature` (base64, line breaks ignored) is that of `message`.

    False for a key or signature that cannot be read.
    """
    try:
        key = load_pem_public_key(public_key.encode("utf-8"))
        raw = base64.b64decode(signature)
    except (ValueError, UnsupportedAlgorithm, binascii.Error):
        return False
    if not isinstance(key, Ed25519PublicKey):
        return False
    try:
        key.verify(raw, message)
    except InvalidSignature:
        return False
    return True
