"""Reading exports: checking a file without a store, and importing it into an empty one."""

from __future__ import annotations

import json

from continuum.core.errors import Corrupted, InvalidInput, Refused
from continuum.core.records import NamedTuple
from continuum.domain.chain import ChainWalk, Verification, Violation, ViolationKind
from continuum.domain.events import EventRow
from continuum.domain.exportlines import FORMAT, MAX_LINE_BYTES, row_of_line
from continuum.domain.runs import Run, RunStatus
from continuum.services.walks import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from continuum.store.base import Store, Writer

_PART_ROWS = 1024
_PART_CHARACTERS = 4 << 20


class FileReport(NamedTuple):
    """What an export file proves by itself.

    Attributes:
        runs: the walk of each run, in the order of the file; only those that
            are broken once there are more than a thousand.
        problems: what is wrong with the file as a whole.
    """

    runs: tuple[Verification, ...]
    run_count: int
    events: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True when every chain is whole and the file complete."""
        return not self.problems and all(one.ok for one in self.runs)


class Imported(NamedTuple):
    """What an import wrote; `orphans` are runs whose parent was not in the file."""

    runs: int
    events: int
    orphans: tuple[str, ...]


class RunPart(NamedTuple):
    """Consecutive events of one run, all archived or all live."""

    archived: bool
    rows: list[EventRow]


Record = tuple[str, dict[str, "Any"]]
_RUNS_KEPT = 1000


def verify_file(lines: Iterable[bytes]) -> Iterator[Progress | FileReport]:
    """Walk every chain of an export; the report comes last.

    Args:
        lines: of the file, with their line ends; longer than `MAX_LINE_BYTES`
            is refused.

    Raises:
        InvalidInput: the file is no export.
    """
    checker = _Checker()
    for part in _parts(lines):
        if isinstance(part, RunPart):
            checker.take(part)
            yield Progress(checker.run_id, checker.events, checker.events)
        else:
            checker.note(*part)
    yield checker.report()


def import_file(store: Store, lines: Iterable[bytes]) -> Iterator[Progress | Imported]:
    """Import an export into a store without runs: all of it or nothing; the count comes last.

    Every event keeps its columns and is checked before it is written. All
    become live, also those that were archived.

    Raises:
        InvalidInput: the file is no export, or ends early.
        Refused: the store has runs.
        Corrupted: an event does not follow the one before, or does not hash to
            its value.
    """
    with store.writing() as writer:
        if store.run_ids(limit=1):
            raise Refused("an import needs a store without runs; name a new one with --db")
        importer = _Importer(writer)
        for part in _parts(lines):
            if isinstance(part, RunPart):
                importer.take(part)
                yield Progress(importer.run_id, importer.events, importer.events)
            else:
                importer.note(*part)
        outcome = importer.finish()
    yield outcome


def _parts(lines: Iterable[bytes]) -> Iterator[RunPart | Record]:
    """Group event lines; yield every other line by itself."""
    part = RunPart(False, [])
    room = _PART_CHARACTERS
    for number, line in enumerate(lines, 1):
        kind, document = _record(line, number)
        if kind == "event":
            row, archived = _row(document, number), document.get("archived") is True
            room -= len(line)
            is_full = len(part.rows) >= _PART_ROWS or room <= 0
            if part.rows and (is_full or archived is not part.archived):
                yield part
                part, room = RunPart(archived, []), _PART_CHARACTERS
            part = part if part.rows else RunPart(archived, [])
            part.rows.append(row)
            continue
        if part.rows:
            yield part
            part, room = RunPart(False, []), _PART_CHARACTERS
        yield kind, document
    if part.rows:
        yield part


def _record(line: bytes, number: int) -> Record:
    if len(line) > MAX_LINE_BYTES:
        raise InvalidInput(f"line {number} is longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise InvalidInput(f"line {number} is no JSON: {exc}") from exc
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind not in ("export", "run", "event", "run_end", "export_end"):
        raise InvalidInput(f"line {number} is no line of an export")
    if number == 1 and (kind != "export" or document.get("format") != FORMAT):
        raise InvalidInput(f"the file does not open as an export of the format {FORMAT}")
    return kind, document


def _row(document: Mapping[str, Any], number: int) -> EventRow:
    try:
        return row_of_line(document)
    except (InvalidInput, TypeError) as exc:
        raise InvalidInput(f"line {number}: {exc}") from exc


class _Checker:
    """Walks the chains of a file one after another."""

    def __init__(self) -> None:
        self.run_id = ""
        self.events = 0
        self._walk: ChainWalk | None = None
        self._found: list[Verification] = []
        self._problems: list[str] = []
        self._seen: set[str] = set()
        self._runs = 0
        self._ended = False

    def take(self, part: RunPart) -> None:
        """Walk some events."""
        self.events += len(part.rows)
        if self._walk is None:
            self._say("events stand outside of any run")
            return
        if any(row.run_id != self.run_id for row in part.rows):
            self._say(f"events of another run stand among those of {self.run_id!r}")
        (self._walk.archive if part.archived else self._walk.live)(part.rows)

    def note(self, kind: str, document: Mapping[str, Any]) -> None:
        """Take a line that is no event."""
        if self._ended:
            self._say("lines follow the end of the export")
        if kind == "run":
            self._begin(str(document.get("run_id")))
        elif kind == "run_end":
            self._end(document)
        elif kind == "export_end":
            self._ended = True
            if (document.get("runs"), document.get("events")) != (self._runs, self.events):
                self._say("the file does not hold as many runs and events as its end says")

    def report(self) -> FileReport:
        """Return what was found."""
        if self._walk is not None or not self._ended:
            self._say("the file ends early")
        if self._walk is not None:
            self._keep(self._walk.result())
        return FileReport(tuple(self._found), self._runs, self.events, tuple(self._problems))

    def _begin(self, run_id: str) -> None:
        if self._walk is not None:
            self._say(f"run {self.run_id!r} has no end")
            self._keep(self._walk.result())
        if run_id in self._seen:
            self._say(f"run {run_id!r} is there twice")
        self._seen.add(run_id)
        self.run_id, self._walk = run_id, ChainWalk(run_id)
        self._runs += 1

    def _end(self, document: Mapping[str, Any]) -> None:
        if self._walk is None or document.get("run_id") != self.run_id:
            self._say("an end without its run")
            return
        self._walk.live(())
        walked = self._walk.result()
        self._keep(walked.with_more(_cut_off(walked, document)))
        self._walk = None

    def _keep(self, walked: Verification) -> None:
        if len(self._found) < _RUNS_KEPT or not walked.ok:
            self._found.append(walked)

    def _say(self, problem: str) -> None:
        if problem not in self._problems:
            self._problems.append(problem)


def _cut_off(walked: Verification, document: Mapping[str, Any]) -> Iterator[Violation]:
    """The end of a run says how it ended; a file that holds less has lost its tail."""
    names = ("events", "archived", "head_sequence", "head_hash")
    told = tuple(document.get(name) for name in names)
    found = (
        walked.checked + walked.archived,
        walked.archived,
        walked.head_sequence,
        walked.head_hash,
    )
    if told != found:
        detail = f"the export ended with {told[0]} events, the file holds {found[0]}"
        at = walked.head_sequence + 1
        yield Violation(ViolationKind.MISSING_TAIL, walked.run_id, at, None, detail)


class _Importer:
    """Writes runs and their events, checked, inside one transaction."""

    def __init__(self, writer: Writer) -> None:
        self.run_id = ""
        self.events = 0
        self._writer = writer
        self._parents: dict[str, str] = {}
        self._runs: set[str] = set()
        self._in_run = 0
        self._is_open = self._ended = False

    def take(self, part: RunPart) -> None:
        """Write some events behind the last."""
        if not self._is_open:
            raise InvalidInput("events stand outside of any run")
        self._writer.insert_sealed(self.run_id, part.rows)
        self.events += len(part.rows)
        self._in_run += len(part.rows)

    def note(self, kind: str, document: Mapping[str, Any]) -> None:
        """Take a line that is no event."""
        if kind == "run":
            run = _run(document)
            if self._is_open or run.run_id in self._runs:
                raise InvalidInput(
                    f"run {run.run_id!r} is there twice, or the one before has no end"
                )
            if run.parent_run_id is not None:
                self._parents[run.run_id] = run.parent_run_id
            self._writer.insert_run(run._replace(parent_run_id=None))
            self._runs.add(run.run_id)
            self.run_id, self._in_run, self._is_open = run.run_id, 0, True
        elif kind == "run_end":
            if not self._is_open or document.get("events") != self._in_run:
                raise Corrupted(f"run {self.run_id!r} does not hold as many events as its end says")
            self._is_open = False
        self._ended = kind == "export_end"

    def finish(self) -> Imported:
        """Link children to their parents; return what was written."""
        if self._is_open or not self._ended:
            raise InvalidInput("the file ends early; nothing was imported")
        known = {child: parent for child, parent in self._parents.items() if parent in self._runs}
        for child, parent in known.items():
            self._writer.set_parent(child, parent)
        lost = self._writer.misplaced_keys()
        if lost:
            raise Refused(
                f"{len(lost)} store-wide actions are shared by several runs, and the order of the "
                f"file would hide their newest outcome, such as that of key {lost[0]}; "
                "import these runs into stores of their own"
            )
        orphans = tuple(sorted(self._parents.keys() - known.keys()))
        return Imported(len(self._runs), self.events, orphans)


def _run(document: Mapping[str, Any]) -> Run:
    names = ("run_id", "goal", "status", "created_at", "updated_at")
    texts = [document.get(name) for name in names]
    metadata, parent = document.get("metadata"), document.get("parent_run_id")
    if not all(isinstance(text, str) for text in texts) or not isinstance(metadata, dict):
        raise InvalidInput("a run lacks a column, or its metadata is no object")
    run_id, goal, status, created_at, updated_at = map(str, texts)
    try:
        known = RunStatus(status)
    except ValueError as exc:
        raise InvalidInput(f"run {run_id!r} has the unknown status {status!r}") from exc
    return Run(
        run_id, goal, known, created_at, updated_at, metadata, str(parent) if parent else None
    )
