"""Reconciliation probes at work: ask the outside world, settle what it answers.

A probe is a command of the person who keeps the working folder. It runs with
the caller's environment and rights, gets the action's record as JSON on its
standard input, and has a time limit (ledger.md 10).
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from functools import partial
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from threading import Thread

from continuum.core.clock import body_time
from continuum.core.errors import AlreadyDecided, DecisionChanged
from continuum.core.records import NamedTuple
from continuum.domain.actions import PROBED
from continuum.ledger.probes import ProbeReading, reading_of_failure, reading_of_output
from continuum.services.actions import list_actions, settle_action
from continuum.services.claims import live_lease

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import IO

    from continuum.domain.actions import Action, Slot
    from continuum.domain.leases import Lease
    from continuum.ledger.probes import Probe
    from continuum.store.base import ReadStore, Store

_MAX_OUTPUT = 64 * 1024
_DRAIN_SECONDS = 1.0


class Unresolved(NamedTuple):
    """An action its probe could not settle, and why."""

    action_type: str
    detail: str


class Reconciliation(NamedTuple):
    """What asking the probes of one run came to.

    Attributes:
        occurred, not_occurred: the settled actions, `TYPE:LABEL`.
        without_probe: ids of the actions nobody could be asked about.
    """

    run_id: str
    dry_run: bool
    occurred: tuple[str, ...]
    not_occurred: tuple[str, ...]
    unresolved: tuple[Unresolved, ...]
    without_probe: tuple[str, ...]

    @property
    def is_done(self) -> bool:
        """True when nothing pending is left, or would be left by a real run."""
        return not self.unresolved and not self.without_probe


def reconcile(
    store: Store, run_id: str, probes: Mapping[str, Probe], *, at: datetime
) -> Reconciliation:
    """Ask the probes about every pending action and settle what they answer.

    Raises:
        RunNotFound: no such run.
    """
    readings = [
        (slot, _settle(store, slot, reading, at) if reading else None)
        for slot, reading in _ask(store, run_id, probes, at)
    ]
    return _summary(run_id, readings, dry_run=False)


def rehearse(
    store: ReadStore, run_id: str, probes: Mapping[str, Probe], *, at: datetime
) -> Reconciliation:
    """Ask the probes and say what would be settled; write nothing."""
    return _summary(run_id, list(_ask(store, run_id, probes, at)), dry_run=True)


def run_probe(probe: Probe, action: Action) -> ProbeReading:
    """Return what a probe says about an action; a probe that fails says nothing.

    The record goes to standard input and nowhere else, so no text of an agent
    ever reaches a shell.
    """
    with TemporaryFile() as record:
        record.write(json.dumps(action.record()).encode("ascii"))
        record.seek(0)
        try:
            process = Popen(
                probe.command,
                shell=isinstance(probe.command, str),
                stdin=record,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as exc:
            return reading_of_failure(f"the probe cannot be started: {exc}")
        return _reading(process, probe.timeout_seconds)


def _reading(process: Popen[bytes], timeout_seconds: float) -> ProbeReading:
    stdout, stderr = _Tail(process.stdout), _Tail(process.stderr)
    try:
        process.wait(timeout_seconds)
    except TimeoutExpired:
        return reading_of_failure(f"the probe took longer than {timeout_seconds:g} s")
    finally:
        if process.returncode is None:  # too slow, or this process was interrupted
            _stop(process)
    if process.returncode:
        return reading_of_failure(
            f"the probe exited {process.returncode}", stdout=stdout.text(), stderr=stderr.text()
        )
    return reading_of_output(stdout.text())


class _Tail:
    """The end of a stream, read in the background so that its writer never blocks."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream = stream
        self._kept = b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def text(self) -> str:
        """Return the last 64 KiB as text."""
        self._reader.join(_DRAIN_SECONDS)
        return self._kept.decode("utf-8", "replace")

    def _read(self) -> None:
        if self._stream is None:
            return
        with self._stream as stream:
            for chunk in iter(partial(os.read, stream.fileno(), _MAX_OUTPUT), b""):
                self._kept = (self._kept + chunk)[-_MAX_OUTPUT:]


_Readings = list[tuple["Slot", "ProbeReading | None"]]


def _ask(
    store: ReadStore, run_id: str, probes: Mapping[str, Probe], at: datetime
) -> Iterator[tuple[Slot, ProbeReading | None]]:
    """Yield each pending action and what its probe says, so that it is settled at once."""
    for slot in list_actions(store, run_id, statuses=PROBED):
        probe = probes.get(slot.action.action_type)
        yield slot, _asked(probe, slot, live_lease(store, slot, at)) if probe else None


def _asked(probe: Probe, slot: Slot, lease: Lease | None) -> ProbeReading:
    """Ask, unless the claimant is still at work: then there is no outcome to find yet."""
    if lease is None:
        return run_probe(probe, slot.action)
    return reading_of_failure(
        f"{lease.client!r} is performing it and has until {body_time(lease.until)} to record "
        "the outcome; the probe was not asked"
    )


def _settle(store: Store, slot: Slot, reading: ProbeReading, at: datetime) -> ProbeReading:
    """Record the answer, unless somebody settled the action while the probe ran."""
    if reading.occurred is None:
        return reading
    said = f"settled by the probe of {slot.action.action_type!r}"
    try:
        settle_action(
            store,
            slot.action.run_id,
            slot.key,
            occurred=bool(reading.occurred),
            external_id=reading.external_id,
            result=reading.result,
            # In the record of a completed action a note would read as an error.
            note=reading.note or ("" if reading.occurred else said),
            members={"via": "probe", "reason": said},
            at=at,
            seen_sequence=slot.last_sequence,
        )
    except (AlreadyDecided, DecisionChanged) as exc:
        return reading_of_failure(str(exc))
    return reading


def _summary(run_id: str, readings: _Readings, *, dry_run: bool) -> Reconciliation:
    asked = [(slot.action, reading) for slot, reading in readings if reading is not None]
    return Reconciliation(
        run_id=run_id,
        dry_run=dry_run,
        occurred=tuple(_label(one, said) for one, said in asked if said.occurred is True),
        not_occurred=tuple(_label(one, said) for one, said in asked if said.occurred is False),
        unresolved=tuple(
            Unresolved(one.action_type, said.detail) for one, said in asked if said.occurred is None
        ),
        without_probe=tuple(slot.action.action_id for slot, reading in readings if reading is None),
    )


def _label(action: Action, reading: ProbeReading) -> str:
    label = reading.external_id or action.external_id or action.action_id[:12]
    return f"{action.action_type}:{label}"


def _stop(process: Popen[bytes]) -> None:
    """End the probe and whatever it started: its whole process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
