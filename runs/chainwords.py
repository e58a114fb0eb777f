"""The words of the audit pages: how a chain stands, what differs, what a check found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from continuum.domain.attestation import AttestationVerdict
from continuum.services.attestations import RunStanding
from continuum.services.breaks import DifferenceKind
from continuum.services.chainwalks import Fit
from continuum.services.standings import StandingState
from runs.words import Word

if TYPE_CHECKING:
    from continuum.services.standings import Standing

STATES = {
    StandingState.VERIFIED: Word("Verified", "verified", "ok"),
    StandingState.OUTDATED: Word("Grown since", "clock"),
    StandingState.TOUCHED: Word("Touched", "alert", "warn"),
    StandingState.BROKEN: Word("Broken", "broken", "bad"),
    StandingState.UNVERIFIED: Word("Not verified", "question"),
}
DIFFERENCES = {
    DifferenceKind.CONTENT: Word("content", "note", "bad"),
    DifferenceKind.HASH: Word("hash", "note", "bad"),
    DifferenceKind.LINK: Word("link", "chain", "bad"),
    DifferenceKind.GAP: Word("gap", "minus", "bad"),
    DifferenceKind.UNREADABLE: Word("unreadable", "broken", "bad"),
    DifferenceKind.REPLACED: Word("replaced", "split", "bad"),
    DifferenceKind.MISSING_TAIL: Word("missing tail", "minus", "bad"),
    DifferenceKind.MISSING_ARCHIVE: Word("missing archive", "archive", "bad"),
    DifferenceKind.RUN_ROW: Word("run row", "runs", "bad"),
}
FITS = {
    Fit.FITS: Word("fits", "check", "ok"),
    Fit.DIFFERS: Word("differs", "x", "bad"),
    Fit.ANCHOR: Word("anchor", "flag", "info"),
    Fit.UNKNOWN: Word("not told", "question", "warn"),
}
OUTCOMES = {
    "verified": Word("Verified", "verified", "ok"),
    "broken": Word("Broken", "broken", "bad"),
    "cancelled": Word("Given up", "ban"),
    "failed": Word("Did not end", "alert", "warn"),
    "repaired": Word("Lists repaired", "wrench", "info"),
    "signed": Word("Attested", "lock", "ok"),
}
ATTESTED = {
    AttestationVerdict.SIGNED: Word("Signed", "verified", "ok"),
    AttestationVerdict.EXTENDED: Word("Signed, and grown since", "verified", "ok"),
    AttestationVerdict.ALTERED: Word("Altered", "broken", "bad"),
    AttestationVerdict.UNTRUSTED: Word("Not to be trusted", "broken", "bad"),
}
ATTESTED_MEANING = {
    AttestationVerdict.SIGNED: "The chain is whole and ends with the signed event.",
    AttestationVerdict.EXTENDED: (
        "The chain is whole, holds the signed event in its place, and went on."
    ),
    AttestationVerdict.ALTERED: (
        "The signature is good, but this is not the chain it was given for."
    ),
    AttestationVerdict.UNTRUSTED: "The signature does not hold for this run.",
}
ATTESTED_RUNS = {
    RunStanding.SIGNED: Word("Signed", "verified", "ok"),
    RunStanding.EXTENDED: Word("Grown since", "verified", "ok"),
    RunStanding.ALTERED: Word("Altered", "broken", "bad"),
    RunStanding.MISSING: Word("Missing", "minus", "bad"),
}
DEEDS = {
    "start": Word("Started", "flag"),
    "confirm": Word("Confirmed", "check", "accent"),
    "settle": Word("Settled", "done", "accent"),
    "compensate": Word("Compensated", "undo", "info"),
    "complete": Word("Completed", "check", "ok"),
    "abort": Word("Aborted", "ban"),
    "fork": Word("Forked", "split"),
    "approve": Word("Approved", "check", "accent"),
    "revoke": Word("Revoked", "x", "warn"),
    "caller_added": Word("Caller added", "plus", "accent"),
    "caller_allowed": Word("Caller: tools allowed", "plus", "accent"),
    "caller_denied": Word("Caller: tools taken", "minus"),
    "caller_edited": Word("Caller edited", "wrench"),
    "caller_secret": Word("Caller: new secret", "lock"),
    "caller_disabled": Word("Caller disabled", "ban", "warn"),
    "caller_enabled": Word("Caller enabled", "check"),
}


def outcome_word(outcome: str) -> Word:
    """Return the word of what a verification came to."""
    return OUTCOMES.get(outcome) or Word(outcome, "alert", "bad")


def deed_word(verb: str) -> Word:
    """Return the word of what a person did; an unknown verb is shown as it is."""
    return DEEDS.get(verb) or Word(verb.replace("_", " "), "person")


def standing_title(known: Standing) -> str:
    """Say in a line how a chain stands."""
    result, bad = known.result, known.bad_sequence
    if known.state is StandingState.BROKEN:
        return f"Broken at event {bad:,}" if bad else "Broken"
    if known.state is StandingState.VERIFIED:
        return f"Verified to event {known.head.sequence:,}"
    if known.state is StandingState.OUTDATED and result and result.outcome == "verified":
        return f"Not verified beyond event {result.head_sequence:,}"
    return "Not verified"
