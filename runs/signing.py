"""The key with which reviewers sign attestations, and reading what somebody else signed.

The key is a file that the server reads for each signature; it is never kept, shown
or logged. Keys and signatures need the optional package `cryptography`.
"""

from __future__ import annotations

import json
from contextlib import closing
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings

from continuum.core.errors import ConfigurationError, InvalidInput, Refused
from continuum.services.attestations import (
    RunStanding,
    Signature,
    check_document,
    check_run,
    check_store,
)
from continuum.services.walks import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from continuum.domain.attestation import Attestation
    from continuum.services.attestations import StoreCheck
    from continuum.store.base import ReadStore

CHECK_SECONDS = 20.0
"""A request walks a chain for so long at most; jobs and commands have all the time in the world."""

_MOST_RUNS_CHECKED = 200
_MOST_KEY_BYTES = 16 * 1024


class CheckedStore(NamedTuple):
    """What became of the runs that a document over a store proves.

    Attributes:
        unchecked: how many more it proves than were looked at.
    """

    proven: StoreCheck
    runs: list[tuple[str, RunStanding]]
    unchecked: int

    @property
    def ok(self) -> bool:
        """True when the document holds, every run was looked at and none was altered."""
        return self.is_good_so_far and not self.unchecked

    @property
    def is_good_so_far(self) -> bool:
        """True when the document holds and nothing that was looked at was altered."""
        good = (RunStanding.SIGNED, RunStanding.EXTENDED)
        return self.proven.ok and all(one in good for _, one in self.runs)


def has_key() -> bool:
    """Return whether a key is named; whether it can be used is told when it is."""
    return bool(settings.SIGNER_KEY)


def signature(person: str, at: datetime) -> Signature:
    """Return who signs: the console's key, in the name of `person`.

    Raises:
        ConfigurationError: no key is named, it cannot be used, or the package is missing.
    """
    if not has_key():
        raise ConfigurationError("no signing key is configured: set CONTINUUM_SIGNER_KEY")
    try:
        pem = Path(settings.SIGNER_KEY).read_text(encoding="ascii")
        pair = _signing().KeyPair.from_pem(pem[:_MOST_KEY_BYTES])
    except OSError as exc:
        raise ConfigurationError(f"the signing key cannot be read: {exc.strerror}") from exc
    except (UnicodeDecodeError, InvalidInput) as exc:
        raise ConfigurationError("CONTINUUM_SIGNER_KEY names no Ed25519 private key") from exc
    signer = f"{settings.SIGNER} ({person})" if settings.SIGNER else person
    return Signature(pair, signer, at)


def read_document(raw: bytes) -> dict[str, Any]:
    """Return the JSON object of an uploaded file.

    Raises:
        InvalidInput: it holds something else.
    """
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise InvalidInput("The file is no JSON, so it is no attestation.") from exc
    if not isinstance(document, dict):
        raise InvalidInput("The file holds no JSON object, so it is no attestation.")
    return document


def hold_against_run(
    store: ReadStore, run_id: str, document: dict[str, Any], trusted_key: str
) -> Attestation:
    """Verify a run, and hold a document against it.

    Raises:
        RunNotFound: no such run.
        Refused: walking it takes too long for a page.
    """
    check = _signing().check_signature
    steps = check_run(store, run_id, document, check, trusted_key=trusted_key or None)
    instead = f"use `continuum attest-verify {run_id} --attest FILE`. Nothing was checked"
    found: Attestation | None = None
    for step in _in_time(steps, instead):
        if not isinstance(step, Progress):
            found = step
    if found is None:
        raise RuntimeError("a check ended without a result")
    return found


def hold_against_store(
    store: ReadStore, document: dict[str, Any], trusted_key: str
) -> CheckedStore:
    """Check a document over a store, and walk the runs it proves, as far as a page may."""
    check = _signing().check_signature
    proven = check_document(document, check, trusted_key=trusted_key or None)
    runs: list[tuple[str, RunStanding]] = []
    if proven.ok:
        until = monotonic() + CHECK_SECONDS
        steps: Any = check_store(store, proven)
        with closing(steps):
            for step in steps:
                if not isinstance(step, Progress):
                    runs.append(step)
                if monotonic() > until or len(runs) >= _MOST_RUNS_CHECKED:
                    break
    return CheckedStore(proven, runs, len(proven.heads) - len(runs))


def _in_time(steps: Any, instead: str) -> Iterator[Any]:
    """Hand on the steps of a walk that a request waits for, as long as it may."""
    until = monotonic() + CHECK_SECONDS
    with closing(steps):  # gives up its snapshot at once
        for step in steps:
            if monotonic() > until:
                raise Refused(f"this takes too long for a page; {instead}")
            yield step


def _signing() -> Any:
    try:
        return import_module("continuum.domain.signing")
    except ImportError as exc:
        raise ConfigurationError(
            "attestations need the package `cryptography`; install `continuum-console[attest]`"
        ) from exc
