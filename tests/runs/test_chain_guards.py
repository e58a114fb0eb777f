"""The page of chains says when triggers are missing, and no page says safe for their sake."""

from __future__ import annotations

import json

from continuum.services.chain import mark_verified, verify_run
from tests.conftest import NOON


def test_missing_triggers_are_shown_with_the_command_that_makes_them_again(
    operator, console, make_run, execute
):
    make_run("run_a")
    assert "Triggers that notice" not in operator.get("/chain/").content.decode()
    execute("DROP TRIGGER cx_events_update")

    page = operator.get("/chain/").content.decode()

    assert "cx_events_update" in page
    assert "continuum verify --all --index --repair-index" in page


def test_an_event_changed_while_no_trigger_watched_is_never_shown_as_safe(
    operator, console, make_run, execute
):
    make_run("run_a", progress=3)
    mark_verified(console, verify_run(console, "run_a"), at=NOON)
    for name in ("cx_events_update", "cx_keep_updated"):
        execute(f"DROP TRIGGER {name}")
    forged = json.dumps({"completed": 99, "failed": 0})
    execute("UPDATE events SET payload = ? WHERE run_id = 'run_a' AND sequence = 3", forged)

    page = operator.get("/runs/run_a/").content.decode()

    assert "REQUEST_HUMAN" in page
    assert "cannot be trusted from event 3 on" in page
