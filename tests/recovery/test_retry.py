"""The block that informs the next attempt stays small."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from continuum.recovery.facts import RetryFacts
from continuum.recovery.retry import MAX_BYTES
from continuum.recovery.verdict import judge
from tests.recovery.cases import STARTED, action, make_facts


def size(block: dict[str, Any]) -> int:
    return len(json.dumps(block, sort_keys=True).encode())


def asked(name: str) -> tuple[str, str, dict[str, Any]]:
    return ("APPROVAL_REQUESTED", "human", {"approval_id": name, "subject": "s"})


def effects(number: int, length: int = 4) -> tuple[dict[str, Any], ...]:
    kind = "k" * length
    return tuple(
        {"action_id": f"a-{n}", "action_type": kind, "occurred": True} for n in range(number)
    )


def retry_of(*told, **overrides) -> dict[str, Any]:
    block = judge(make_facts(STARTED, *told, **overrides)).informed_retry
    assert block is not None
    return block


def test_nothing_to_learn_gives_no_block():
    assert judge(make_facts(STARTED)).informed_retry is None


def test_earlier_recoveries_are_told_although_the_run_is_clean():
    step = {"kind": "reconcile_action", "target": "action_1"}
    started = ("RECOVERY_STARTED", "deterministic", {"mode": "wait", "plan": [step]})

    block = retry_of(started, ("RECOVERY_BLOCKED", "deterministic", {}))

    assert (block["attempts"], block["blocked_recoveries"]) == (1, 1)
    assert block["last_attempt_mode"] == "wait"
    assert block["last_attempt_steps"] == ["reconcile_action:action_1"]
    assert block["current_failures"] == []


def test_lists_keep_the_newest_of_each():
    retry = RetryFacts(
        last_attempt_steps=tuple(f"step:{n}" for n in range(12)),
        settled_effects=effects(9),
        seen=True,
    )

    block = retry_of(*(asked(f"ap-{n}") for n in range(9)), retry=retry)

    assert block["last_attempt_steps"] == [f"step:{n}" for n in range(4, 12)]
    assert [one["action_id"] for one in block["settled_effects"]] == [
        "a-4",
        "a-5",
        "a-6",
        "a-7",
        "a-8",
    ]
    assert [one["id"] for one in block["current_failures"]] == [f"ap-{n}" for n in range(1, 9)]
    assert len(block["avoid"]) == 6
    assert block["avoid"] == sorted(block["avoid"])


def test_too_large_a_block_loses_rules_first():
    names = [f"ap-{n}-{'x' * 130}" for n in range(6)]

    block = retry_of(
        *map(asked, names), retry=RetryFacts(settled_effects=effects(5, 200), seen=True)
    )

    assert size(block) <= MAX_BYTES
    assert len(block["avoid"]) == 4
    assert len(block["settled_effects"]) == 5


def test_then_failures_effects_and_steps_are_cut_to_one_each():
    retry = RetryFacts(
        last_attempt_steps=tuple("s" * 600 for _ in range(8)),
        settled_effects=effects(5, 700),
        seen=True,
    )

    block = retry_of(*(asked(f"ap-{n}-{'x' * 300}") for n in range(8)), retry=retry)

    assert size(block) <= MAX_BYTES
    assert [len(block[name]) for name in ("avoid", "current_failures", "settled_effects")] == [
        4,
        1,
        1,
    ]
    assert 1 <= len(block["last_attempt_steps"]) < 8


def test_unresolved_action_is_a_thing_to_avoid():
    block = retry_of(action("unknown"))

    assert block["current_failures"] == []
    assert len(block["avoid"]) == 1
    assert block["avoid"][0].startswith("pay (action_1): ")


@given(
    names=st.lists(st.text(min_size=1, max_size=300), max_size=12, unique=True),
    steps=st.lists(st.text(max_size=300), max_size=12),
)
def test_block_fits_or_is_cut_to_the_bone(names, steps):
    facts = make_facts(STARTED, retry=RetryFacts(last_attempt_steps=tuple(steps), seen=True))
    times = {"granted_at": None, "granted_by": None, "expires_at": None, "reason": None}
    state: Any = {
        **facts.state,
        "approvals": [
            {"approval_id": name, "subject": "", "status": "pending", **times} for name in names
        ],
    }

    block = judge(facts._replace(state=state)).informed_retry

    assert block is not None
    if size(block) > MAX_BYTES:
        assert len(block["avoid"]) <= 4
        assert len(block["current_failures"]) <= 1
        assert len(block["last_attempt_steps"]) <= 1
        assert not any(failure["detail"] for failure in block["current_failures"])
