"""One verb, one event: command line, console and library append the same, field by field.

Each verb is driven through every front end on a copy of one store. Ids, times,
hashes and what names the surface may differ; nothing else.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from django.urls import reverse

from continuum import open_store
from continuum.services import decisions
from continuum.services.actions import Settlement, complete_action
from continuum.services.acts import Act
from continuum.services.progress import Progress, record_progress
from tests.commands import run_ours
from tests.conftest import NOON
from tests.runs.conftest import form_of

RUN, KEY, REASON, PERSON = "run_a", "INV-001", "the mail log says so", "op-1"
SURFACE = {"via", "request_id", "seen_sequence", "closed_by"}
MOMENTS = {"created_at", "started_at", "completed_at"}

VERBS = {
    "confirm": (
        ["confirm", RUN, "--scope", "goal"],
        {"scope": "goal"},
        lambda store, act: decisions.confirm(store, RUN, act, scope=("goal",)),
    ),
    "settle-occurred": (
        ["reconcile", RUN, "--action", KEY, "--occurred", "--external-id", "msg-1"],
        {"outcome": "occurred", "external_id": "msg-1"},
        lambda store, act: decisions.settle(store, RUN, KEY, act, Settlement(True, "msg-1")),
    ),
    "settle-not-occurred": (
        ["reconcile", RUN, "--action", KEY, "--not-occurred"],
        {"outcome": "not_occurred"},
        lambda store, act: decisions.settle(store, RUN, KEY, act, Settlement(False)),
    ),
    "compensate": (
        ["compensate", RUN, KEY],
        {},
        lambda store, act: decisions.compensate(store, RUN, KEY, act),
    ),
    "complete": (
        ["complete", RUN, "--summary", "all sent", "--over-open-items"],
        {"summary": "all sent", "over_open_items": "1"},
        lambda store, act: decisions.complete(
            store, RUN, act, summary="all sent", over_open_items=True
        ),
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_front_end_appends_the_same_events(
    verb, operator, console, uncertain, store_url, tmp_path
):
    uncertain(RUN, KEY)
    record_progress(console, RUN, Progress(4), at=NOON)
    if verb == "compensate":
        complete_action(console, RUN, KEY, external_id="msg-1", at=NOON)
    head = console.head(RUN).sequence
    by_command, by_library = (copied(store_url, tmp_path / name) for name in ("cli", "library"))
    command, answer, perform = VERBS[verb]

    ran = run_ours("--db", by_command, *command, "--by", PERSON, "--reason", REASON)
    url = console_url(verb)
    sent = operator.post(url, form_of(operator.get(url)) | answer | {"reason": REASON})
    with open_store(by_library) as store:
        perform(store, Act(by=PERSON, via="library", at=NOON, reason=REASON))

    assert (ran.exit_code, sent.status_code) in {(0, 302), (20, 302), (30, 302)}, ran.stderr
    told = [told_by(by_command, head), told_by(store_url, head), told_by(by_library, head)]
    assert told[0]
    assert told[0] == told[1] == told[2]


def console_url(verb):
    """Return the address of a verb's form."""
    name = verb.partition("-")[0]
    of_action = name in ("settle", "compensate")
    return reverse(f"runs:{name}", args=[RUN, KEY] if of_action else [RUN])


def copied(url, path):
    """Return the address of a copy of a SQLite store."""
    with closing(sqlite3.connect(url)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return str(path)


def told_by(url, head):
    """Return what the events behind `head` say, whoever wrote them and whenever."""
    with open_store(url, read_only=True) as store:
        return [
            (str(event.type), str(event.source), plain(event.payload))
            for event in store.events(RUN, after=head)
        ]


def plain(payload):
    """Return a payload without what names its surface and its moment."""
    kept = {name: value for name, value in payload.items() if name not in SURFACE}
    if "action" in kept:
        kept["action"] = {n: v for n, v in kept["action"].items() if n not in MOMENTS}
    return kept
