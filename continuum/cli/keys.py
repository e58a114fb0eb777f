"""Ed25519 keys for the command line; importing this needs the extra `attest`."""

from __future__ import annotations

from continuum.domain.signing import KeyPair as KeyPair
from continuum.domain.signing import check_signature as check_signature
