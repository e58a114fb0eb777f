"""Evidence bundles: one zip that shows a run to somebody without a store.

It holds the log as lines that can be checked, the verdict's contract, the
state, the actions, what the verification found, a signed statement when a key
is given, and a report to read and print. A damaged run has a bundle too; what
cannot be computed from it is left out, and the report says so.
"""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from continuum.core.clock import column_time
from continuum.core.errors import ContinuumError, Refused
from continuum.core.records import NamedTuple
from continuum.domain.contract import contract_document
from continuum.domain.state import stored_state
from continuum.services.acts_log import ActQuery, human_acts
from continuum.services.attestations import attest_walked
from continuum.services.exports import export_jsonl
from continuum.services.recovery import assess
from continuum.services.reports import Evidence, report_html
from continuum.services.walks import Progress, VerifyReport, verify_with_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import IO, Any

    from continuum.domain.actions import Slot
    from continuum.recovery.verdict import Verdict
    from continuum.services.attestations import Signature
    from continuum.store.base import PagedEvent, ReadStore

EVENTS_IN_REPORT = 1000
_EVENTS = "events.jsonl"
_PACKED_AT_ONCE = 1 << 16
"""A line at a time would cost more than packing it."""


class Bundled(NamedTuple):
    """What went into a bundle: file names, and whether the run's chain is whole."""

    files: tuple[str, ...]
    is_whole: bool


def write_bundle(
    store: ReadStore,
    run_id: str,
    out: IO[bytes],
    *,
    at: datetime,
    signature: Signature | None = None,
) -> Iterator[Progress | Bundled]:
    """Write the bundle of a run to `out`, which need not be seekable; what it holds comes last.

    The events are written while the chain is verified, in one snapshot, so that
    whoever is sent the bundle gets its first bytes at once and more all the time.

    Raises:
        RunNotFound: no such run; nothing was written.
        UnreadableRecord: the run's row cannot be read; nothing was written.
    """
    with (
        store.reading(),
        closing(_Walk(store, run_id)) as walk,
        ZipFile(out, "w", ZIP_DEFLATED) as archive,
    ):
        parts = _Parts(archive, at)
        parts.add("README.txt", _READ_ME)
        yield walk.progress
        lines = export_jsonl(store, [run_id], at=at)
        yield from parts.stream(_EVENTS, walk.beside(lines))
        yield from walk.rest()
        evidence = _gather(store, walk.outcome(), at, signature)
        for name, document in _documents(evidence).items():
            parts.add(name, json.dumps(document, indent=2, sort_keys=True) + "\n")
        parts.add("report.html", report_html(evidence))
        parts.add("SHA256SUMS", parts.sums())
    yield Bundled(tuple(parts.digests), evidence.report.ok)


class _Walk:
    """A verification that goes on while something else is done.

    Its first step is done when it is made, so that what cannot be read at all
    fails before anything was written.
    """

    def __init__(self, store: ReadStore, run_id: str) -> None:
        self.progress = Progress(run_id, 0, 0)
        self._report: VerifyReport | None = None
        self._steps = verify_with_progress(store, run_id)
        self._step()

    def close(self) -> None:
        """Give up."""
        close: Any = getattr(self._steps, "close", None)
        close()

    def beside(self, pieces: Iterable[str | Progress]) -> Iterator[str | Progress]:
        """Yield `pieces`, walking on as far as they have come each time they say so."""
        for piece in pieces:
            if isinstance(piece, str):
                yield piece
                continue
            while self._report is None and self._share() < piece.done / max(piece.total, 1):
                self._step()
            yield self.progress

    def rest(self) -> Iterator[Progress]:
        """Walk to the end."""
        while self._report is None:
            self._step()
            yield self.progress

    def outcome(self) -> VerifyReport:
        """Return what was found.

        Raises:
            RuntimeError: the walk has not ended.
        """
        if self._report is None:
            raise RuntimeError("a walk ended without a report")
        return self._report

    def _share(self) -> float:
        return self.progress.done / max(self.progress.total, 1)

    def _step(self) -> None:
        step = next(self._steps, None)
        if isinstance(step, Progress):
            self.progress = step
        elif step is None:
            raise RuntimeError("a walk ended without a report")
        else:
            self._report = step


class _Parts:
    """Adds files to an archive and keeps the digest of each."""

    def __init__(self, archive: ZipFile, at: datetime) -> None:
        self.digests: dict[str, str] = {}
        self._archive = archive
        self._moment = (at.year, at.month, at.day, at.hour, at.minute, at.second)

    def add(self, name: str, text: str) -> None:
        """Add a file of text."""
        for _ in self.stream(name, [text]):
            pass

    def stream(self, name: str, pieces: Iterable[str | Progress]) -> Iterator[Progress]:
        """Add a file piece by piece; progress among the pieces is handed on."""
        digest = sha256()
        entry = ZipInfo(name, self._moment)
        entry.compress_type = ZIP_DEFLATED
        with self._archive.open(entry, "w", force_zip64=True) as file:
            waiting = bytearray()
            for piece in pieces:
                if isinstance(piece, Progress):
                    yield piece
                    continue
                waiting += piece.encode("utf-8", "backslashreplace")
                if len(waiting) >= _PACKED_AT_ONCE:
                    digest.update(waiting)
                    file.write(waiting)
                    waiting.clear()
            digest.update(waiting)
            file.write(waiting)
        self.digests[name] = digest.hexdigest()

    def sums(self) -> str:
        """Return the digests in the form of `sha256sum`."""
        return "".join(f"{digest}  {name}\n" for name, digest in self.digests.items())


def _gather(
    store: ReadStore, report: VerifyReport, at: datetime, signature: Signature | None
) -> Evidence:
    run_id = report.verification.run_id
    problems: list[str] = []
    verdict = _verdict(store, report, at, problems)
    slots = _slots(store, run_id, problems)
    document = None
    if signature is not None:
        document = _attestation(report, signature, problems)
    return Evidence(
        row=store.run_row(run_id),
        at=at,
        report=report,
        verdict=verdict,
        slots=tuple(slots),
        acts=human_acts(store, ActQuery(run_id=run_id, limit=200)),
        newest=tuple(_newest(store, run_id)),
        attestation=document,
        problems=tuple(problems),
    )


def _newest(store: ReadStore, run_id: str) -> list[PagedEvent]:
    found = page = store.event_page(run_id, limit=200)
    while len(page) == 200 and len(found) < EVENTS_IN_REPORT:
        page = store.event_page(run_id, before=page[-1].row.sequence, limit=200)
        found = found + page
    return found


def _attestation(
    report: VerifyReport, signature: Signature, problems: list[str]
) -> dict[str, Any] | None:
    if not report.verification.ok:
        problems.append("the chain is broken, so it was not signed")
        return None
    try:
        return attest_walked(report.verification, signature)
    except Refused as exc:
        problems.append(f"it was not signed: {exc}")
        return None


def _verdict(
    store: ReadStore, report: VerifyReport, at: datetime, problems: list[str]
) -> Verdict | None:
    walked = report.verification
    try:
        return assess(store, walked.run_id, at=at, audit=True, walked=walked)
    except ContinuumError as exc:
        problems.append(f"it cannot be judged: {exc}")
        return None


def _slots(store: ReadStore, run_id: str, problems: list[str]) -> list[Slot]:
    try:
        return store.slots(run_id)
    except ContinuumError as exc:
        problems.append(f"its actions cannot be listed: {exc}")
        return []


def _documents(evidence: Evidence) -> dict[str, Any]:
    documents: dict[str, Any] = {
        "verification.json": _verification(evidence.report, evidence.at),
        "actions.json": [{"key": one.key, **one.action.record()} for one in evidence.slots],
    }
    if evidence.verdict is not None:
        documents["contract.json"] = contract_document(evidence.verdict.contract)
        documents["state.json"] = stored_state(evidence.verdict.state)
    if evidence.attestation is not None:
        documents["attestation.json"] = evidence.attestation
    return documents


def _verification(report: VerifyReport, at: datetime) -> dict[str, Any]:
    walked = report.verification
    return {
        **walked._asdict(),
        "ok": report.ok,
        "at": column_time(at),
        "projectable": report.projectable,
        "violations": [{**one._asdict(), "kind": str(one.kind)} for one in walked.violations],
    }


_READ_ME = """\
This bundle shows one run of an agent: what was recorded, and what it proves.

report.html        to read and print; it loads nothing and runs nothing
events.jsonl       every event with its hash and the hash before it
verification.json  what walking the chain found when the bundle was made
contract.json      the sealed verdict: what may be done next
state.json         the state folded from the events
actions.json       external side effects, as recorded
attestation.json   a signed statement on the newest event, if a key was given
SHA256SUMS         digests of these files

To check it without any store:

    sha256sum --check SHA256SUMS
    continuum verify --file events.jsonl

The chain proves that no event was changed, added or left out between its first
and its last. That no event is missing behind the last one, and that it is the
chain it claims to be, is what a signature proves: attestation.json must name
the hash that ends events.jsonl, and must be signed by a key you know.
"""
