"""One process of a race: claims keys when told to, and prints what it was answered.

Usage: python -m tests.services.claimant URL RUN SCOPE KEYS, where SCOPE is
`run` or `store`. Prints `ready`, waits for a line, prints one JSON object.
"""

from __future__ import annotations

import json
import sys

from continuum.core.clock import utc_now
from continuum.core.errors import OutcomeUnknown
from continuum.services.actions import Claim, claim_action
from continuum.store.opening import open_store


def main(url: str, run_id: str, scope: str, count: str) -> None:
    """Claim `job-0` to `job-<count - 1>` as fast as the store lets it."""
    answers: dict[str, str] = {}
    with open_store(url) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(count)):
            wanted = Claim("job", key=f"job-{number}", scoped_to_run=scope == "run")
            try:
                answer = claim_action(store, run_id, wanted, at=utc_now())
                answers[wanted.key or ""] = "proceed" if answer.proceed else "done"
            except OutcomeUnknown:
                answers[wanted.key or ""] = "unknown"
    print(json.dumps(answers), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
