"""What is measured is real: generated logs are whole, and fold."""

from __future__ import annotations

import pytest

from benchmarks.stores import action_key, build_ledger, build_logs, run_name
from continuum import open_store
from continuum.core.errors import Conflict
from continuum.domain.actions import ActionStatus
from continuum.services.actions import Claim, claim_action
from continuum.services.chain import verify_run
from tests.services.acting import NOON


class LocalMaker:
    """Makes an empty store as a worker does, in this process."""

    def ask(self, do, **arguments):
        """Answer `create`, the only thing asked for."""
        assert do == "create"
        open_store(arguments["url"]).close()


@pytest.mark.parametrize("spaced", [True, False])
def test_generated_logs_verify_and_agree_with_their_rows(spaced, tmp_path):
    path = tmp_path / "logs.db"

    build_logs(LocalMaker(), path, runs=2, events=25, spaced=spaced, open_every=2)

    with open_store(str(path), read_only=True) as store:
        reports = [verify_run(store, run_name(number)) for number in (0, 1)]
        assert [one.ok for one in reports] == [True, True]
        assert [one.verification.checked for one in reports] == [25, 25]
        assert [len(store.slots(run_name(number))) for number in (0, 1)] == [0, 1]


def test_a_generated_ledger_holds_actions_our_own_claims_recognise(tmp_path):
    path = tmp_path / "ledger.db"

    build_ledger(LocalMaker(), path, actions=3)

    with open_store(str(path)) as store:
        run_id = run_name(0)
        assert verify_run(store, run_id, index=True).index_drift == 0
        slots = store.slots(run_id)
        assert [slot.action.status for slot in slots] == [ActionStatus.COMPLETED] * 3
        assert slots[1].key == action_key(run_id, "k1")
        again = {"to": "user1@example.com", "n": 1}
        answer = claim_action(store, run_id, Claim("send_mail", again, key="k1"), at=NOON)
        assert answer.proceed is False
        with pytest.raises(Conflict):
            claim_action(store, run_id, Claim("send_mail", {"to": "x"}, key="k1"), at=NOON)
