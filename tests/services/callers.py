"""Callers for tests: who is on the list, and how they call."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from continuum.domain.callerrows import Tools
from continuum.domain.callersettings import Settings
from continuum.services.acts import Act
from continuum.services.callerchanges import CallerChange, add_caller
from continuum.services.callers import Grantee, Identity, Policy, Right, authorize
from continuum.store.base import Store
from tests.conftest import NOON

LATER = NOON + timedelta(hours=1)
PROGRESS = "continuum_record_progress"
CONFIRM = "continuum_confirm"
RESUME = "continuum_resume"
ALL_WRITE = Tools(write=("*",))
NO_POLICY = Policy()


def by_ada(reason: str = "She asked for it.", at: datetime = NOON) -> Act:
    """A change made by the admin of these tests."""
    return Act(by="ada", via="console", at=at, reason=reason)


def listed(
    store: Store, name: str = "agent-a", *, with_secret: bool = False, **settings: Any
) -> CallerChange:
    """Put a caller on the list; it may write unless `tools` say otherwise."""
    settings.setdefault("tools", ALL_WRITE)
    return add_caller(store, name, Settings(**settings), by_ada(), with_secret=with_secret)


def call(store: Store, name: str | None = "agent-a", **asked: Any) -> Grantee:
    """Ask at the door to record progress of `run-a`, or what `asked` says instead."""
    identity = Identity(name, "1.0", asked.pop("secret", None))
    usual = {"tool": PROGRESS, "right": Right.WRITE, "run_id": "run-a", "at": NOON}
    policy = asked.pop("policy", NO_POLICY)
    return authorize(store, policy, identity, **{**usual, **asked})
