"""`python -m runs.demo.worker DB RUN`: one agent process, playing one script."""

from __future__ import annotations

import sys

from continuum import open_store
from runs.demo.agent import Agent
from runs.demo.scripts import SCRIPTS


def main(argv: list[str]) -> int:
    """Play the script of the run named; a script that crashes never returns."""
    address, run_id = argv
    script = SCRIPTS[run_id]
    with open_store(address) as store:
        agent = Agent(store, run_id, name=script.agent, minutes_ago=script.minutes_ago)
        script.play(agent)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
