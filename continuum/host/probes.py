"""Reconciliation probes at work: ask the outside world, settle what it answers.

A probe is a command of the person who keeps the working folder. It runs with
the caller's environment and rights, gets the action's record as JSON on its
standard input, and has a time limit (ledger.md 10).
"""

from __future__ import annotations

import json
import os
import signal
from subprocess import PIPE, Popen, TimeoutExpired
from typing import NamedTuple

from continuum.core.errors import AlreadyDecided, DecisionChanged
from continuum.domain.actions import PROBED
from continuum.ledger.probes import ProbeReading, reading_of_failure, reading_of_output
from continuum.services.actions import list_actions, settle_action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from continuum.domain.actions import Action, Slot
    from continuum.ledger.probes import Probe
    from continuum.store.base import ReadStore, Store

_MAX_OUTPUT = 1024 * 1024


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
    readings = _ask(store, run_id, probes)
    for index, (slot, reading) in enumerate(readings):
        if reading is not None and reading.occurred is not None:
            readings[index] = (slot, _settle(store, slot, reading, at))
    return _summary(run_id, readings, dry_run=False)


def rehearse(store: ReadStore, run_id: str, probes: Mapping[str, Probe]) -> Reconciliation:
    """Ask the probes and say what would be settled; write nothing."""
    return _summary(run_id, _ask(store, run_id, probes), dry_run=True)


def run_probe(probe: Probe, action: Action) -> ProbeReading:
    """Return what a probe says about an action; a probe that fails says nothing."""
    shell = isinstance(probe.command, str)
    try:
        process = Popen(
            probe.command, shell=shell, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except (OSError, ValueError) as exc:
        return reading_of_failure(f"the probe cannot be started: {exc}")
    try:
        record = json.dumps(action.record()).encode("ascii")
        stdout, stderr = process.communicate(record, timeout=probe.timeout_seconds)
    except TimeoutExpired:
        _stop(process)
        return reading_of_failure(f"the probe took longer than {probe.timeout_seconds:g} s")
    out, err = _text(stdout), _text(stderr)
    if process.returncode:
        return reading_of_failure(f"the probe exited {process.returncode}", stdout=out, stderr=err)
    return reading_of_output(out)


_Readings = list[tuple["Slot", "ProbeReading | None"]]


def _ask(store: ReadStore, run_id: str, probes: Mapping[str, Probe]) -> _Readings:
    return [
        (slot, run_probe(probe, slot.action) if probe else None)
        for slot in list_actions(store, run_id, statuses=PROBED)
        for probe in (probes.get(slot.action.action_type),)
    ]


def _settle(store: Store, slot: Slot, reading: ProbeReading, at: datetime) -> ProbeReading:
    """Record the answer, unless somebody settled the action while the probe ran."""
    try:
        settle_action(
            store,
            slot.action.run_id,
            slot.key,
            occurred=bool(reading.occurred),
            external_id=reading.external_id,
            result=reading.result,
            note=reading.note,
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
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.communicate()


def _text(output: bytes) -> str:
    return output[-_MAX_OUTPUT:].decode("utf-8", "replace")
