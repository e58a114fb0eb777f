"""attest-keygen, attest, attest-verify: signed statements about how far chains reach."""

from __future__ import annotations

import json
import os

from continuum.cli.colour import ok_mark
from continuum.cli.failures import EXIT_CORRUPTED
from continuum.cli.files import read_document, read_text, write_document, write_new
from continuum.cli.guarding import warn_of_guards
from continuum.cli.main import load_module
from continuum.cli.progress import ProgressLine, followed
from continuum.core.errors import ConfigurationError, InvalidInput
from continuum.domain.attestation import AttestationVerdict
from continuum.services.attestations import (
    RunStanding,
    Signature,
    attest_run,
    attest_store,
    check_document,
    check_run,
    check_store,
)
from continuum.services.walks import Progress
from continuum.wire import audit as audit_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from continuum.cli.session import Session
    from continuum.domain.storeattestation import StoreCheck

_GOOD = (AttestationVerdict.SIGNED, AttestationVerdict.EXTENDED)
_GOOD_RUNS = (RunStanding.SIGNED, RunStanding.EXTENDED)
_SHOWN = 20


def add_attest_keygen(parser: ArgumentParser) -> None:
    """Options of `attest-keygen`."""
    parser.add_argument("--out", metavar="FILE", default="signer.pem", help="private key")
    parser.add_argument("--pub", metavar="FILE", help="public key; else FILE.pub")


def run_attest_keygen(session: Session, options: Namespace) -> int:
    """Write a new key pair; files that exist are left alone."""
    private, public = options.out, options.pub or f"{options.out}.pub"
    if os.path.lexists(public):
        raise InvalidInput(f"{public!r} exists already; choose another name")
    pair = _keys().KeyPair.generate()
    write_new(private, pair.private_pem, mode=0o600)
    write_new(public, pair.public_pem, mode=0o644)
    if session.terminal.as_json:
        session.terminal.document({"private_key": private, "public_key": public})
    else:
        session.terminal.line(f"private key: {private} (only you can read it; keep it so)")
        session.terminal.line(f"public key: {public} (hand it to whoever checks)")
    return 0


def add_attest(parser: ArgumentParser) -> None:
    """Options of `attest`."""
    parser.add_argument("run_id", metavar="RUN", nargs="?", help="run id")
    parser.add_argument("--all", action="store_true", help="one statement over all runs")
    parser.add_argument(
        "--list",
        action="append",
        metavar="RUN",
        help="with --all: list only this run's proof; repeatable",
    )
    add_key(parser)
    parser.add_argument("--out", metavar="FILE", help="write the document there")


def add_key(parser: ArgumentParser) -> None:
    """Add whose key signs."""
    parser.add_argument("--key", metavar="FILE", help="private key; else CONTINUUM_SIGNER_KEY")
    parser.add_argument("--signer", metavar="NAME", help="who signs; else CONTINUUM_SIGNER")


def run_attest(session: Session, options: Namespace) -> int:
    """Verify first, then sign; a broken chain is not signed."""
    _ensure_one_subject(options)
    signature = signature_from(session, options)
    with session.reading() as store:
        warn_of_guards(session.terminal, store)
        if options.all:
            steps = attest_store(store, signature, only=options.list or ())
            document = followed(session.terminal, steps)
        else:
            document = attest_run(store, options.run_id, signature)
    _hand_out(session, options, document)
    return 0


def add_attest_verify(parser: ArgumentParser) -> None:
    """Options of `attest-verify`."""
    parser.add_argument("run_id", metavar="RUN", nargs="?", help="run id")
    parser.add_argument("--attest", metavar="FILE", help="the document to hold against the store")
    parser.add_argument("--all", action="store_true", help="the document is about all runs")
    parser.add_argument("--file", metavar="FILE", help="check a document by itself, no store")
    parser.add_argument("--pub", metavar="FILE", help="accept only what this key has signed")


def run_attest_verify(session: Session, options: Namespace) -> int:
    """Check signature and proofs; hold the signed heads against the store."""
    trusted = read_text(options.pub, "the public key") if options.pub else None
    check = _keys().check_signature
    if options.file:
        if options.run_id or options.all or options.attest:
            raise InvalidInput("--file checks a document by itself; leave RUN and --attest out")
        document = read_document(options.file, "the attestation")
        return _print_store_check(session, check_document(document, check, trusted_key=trusted))
    _ensure_one_subject(options)
    if not options.attest:
        raise InvalidInput("--attest FILE names the document; --file FILE checks one by itself")
    document = read_document(options.attest, "the attestation")
    if options.all:
        return _against_store(session, check_document(document, check, trusted_key=trusted))
    with session.reading() as store:
        steps = check_run(store, options.run_id, document, check, trusted_key=trusted)
        found = followed(session.terminal, steps)
    if session.terminal.as_json:
        session.terminal.document(audit_wire.attestation(found))
    else:
        good = found.verdict in _GOOD
        session.terminal.line(ok_mark(good), f" {found.verdict}: {_MEANING[found.verdict]}")
        session.terminal.line(
            f"  signed event {found.signed_sequence} by {found.signer or 'nobody named'}, "
            f"newest event {found.live_sequence}"
        )
        if not found.run_match:
            session.terminal.line("  the document is about another run")
    return 0 if found.verdict in _GOOD else EXIT_CORRUPTED


def signature_from(session: Session, options: Namespace) -> Signature:
    """Return who signs, as options and environment say.

    Raises:
        InvalidInput: no key is named, or it cannot be used.
        ConfigurationError: the extra `attest` is not installed.
    """
    path = options.key or os.environ.get("CONTINUUM_SIGNER_KEY")
    if not path:
        raise InvalidInput("no signing key; --key FILE or CONTINUUM_SIGNER_KEY names one")
    pair = _keys().KeyPair.from_pem(read_text(path, "the signing key"))
    signer = options.signer or os.environ.get("CONTINUUM_SIGNER") or None
    return Signature(pair, signer, session.at)


def _keys() -> ModuleType:
    try:
        return load_module("keys")
    except ImportError as exc:
        raise ConfigurationError(
            "attestations need the package `cryptography`; install `continuum-console[attest]`"
        ) from exc


def _ensure_one_subject(options: Namespace) -> None:
    if bool(options.run_id) == bool(options.all):
        raise InvalidInput("name one RUN, or --all for the whole store")


def _hand_out(session: Session, options: Namespace, document: dict[str, Any]) -> None:
    if options.out:
        write_document(options.out, document)
    if session.terminal.as_json:
        place = {"attestation_file": options.out} if options.out else {}
        session.terminal.document({**document, **place})
    elif options.out:
        session.terminal.line(f"{options.out}: {_subject(document)}")
    else:
        session.terminal.raw(json.dumps(document, indent=2, sort_keys=True) + "\n")


def _subject(document: dict[str, Any]) -> str:
    if "statement" in document:
        statement = document["statement"]
        return f"{statement['tree_size']} runs attested, root {statement['root_hash']}"
    return f"attested through event {document['trusted_through_seq']}, {document['chain_hash']}"


def _print_store_check(session: Session, found: StoreCheck) -> int:
    if session.terminal.as_json:
        session.terminal.document(audit_wire.store_check(found))
        return 0 if found.ok else EXIT_CORRUPTED
    if found.ok:
        session.terminal.line(
            ok_mark(True),
            f" signed by {found.signer or 'nobody named'} at {found.timestamp}: "
            f"{len(found.heads)} of {found.tree_size} runs proven",
        )
        session.terminal.line(f"  root {found.root_hash}")
        return 0
    session.terminal.line(ok_mark(False), " the document proves nothing")
    for problem in found.problems[:_SHOWN]:
        session.terminal.line(f"  {problem}")
    return EXIT_CORRUPTED


def _against_store(session: Session, proven: StoreCheck) -> int:
    if not proven.ok:
        return _print_store_check(session, proven)
    with session.reading() as store:
        found = _standings(session, check_store(store, proven))
    good = all(one in _GOOD_RUNS for one in found.values())
    if session.terminal.as_json:
        runs = {run_id: str(one) for run_id, one in found.items()}
        session.terminal.document({**audit_wire.store_check(proven), "ok": good, "runs": runs})
        return 0 if good else EXIT_CORRUPTED
    for run_id, one in found.items():
        session.terminal.line(ok_mark(one in _GOOD_RUNS), f" {one}  {run_id}")
    return 0 if good else EXIT_CORRUPTED


def _standings(
    session: Session, steps: Iterator[Progress | tuple[str, RunStanding]]
) -> dict[str, RunStanding]:
    line = ProgressLine(session.terminal)
    found: dict[str, RunStanding] = {}
    for step in steps:
        if isinstance(step, Progress):
            line.show(step)
        else:
            run_id, standing = step
            found[run_id] = standing
    line.clear()
    return found


_MEANING = {
    AttestationVerdict.SIGNED: "the chain is whole and ends with the signed event",
    AttestationVerdict.EXTENDED: "the chain is whole, holds the signed event, and went on",
    AttestationVerdict.ALTERED: "the signature is good, but this is not the chain it was given for",
    AttestationVerdict.UNTRUSTED: "the signature does not hold for this run",
}
