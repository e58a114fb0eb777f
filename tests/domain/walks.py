"""Walking a small chain, and naming what was found in short."""

from __future__ import annotations

from continuum.domain.chain import ChainWalk, ViolationKind
from tests.domain.logs import RUN, START

GAP, CONTENT, CHAIN, UNREADABLE = "gap", "content", "chain", "unreadable"
_SHORT = {
    ViolationKind.SEQUENCE_GAP: GAP,
    ViolationKind.TAMPERED_CONTENT: CONTENT,
    ViolationKind.BROKEN_CHAIN: CHAIN,
    ViolationKind.UNREADABLE_RECORD: UNREADABLE,
}

FIVE = (
    START,
    ("TASK_UPDATED", {"completed": 1, "total": 5}, "external_agent"),
    ("TOOL_COMPLETED", {"tool": "Write", "path": "/srv/a, b: c.csv"}, "external_agent"),
    ("DECISION_CREATED", {"decision_id": "d", "decision": 'quote " and ü'}),
    ("REVIEW_CONFIRMED", {"components": ["goal", "progress"]}, "human"),
)


def walk(live, archived=(), **start):
    chain = ChainWalk(RUN, **start)
    chain.archive(archived)
    chain.live(live)
    return chain.result()


def found(result):
    return [(_SHORT[one.kind], one.sequence) for one in result.violations]


def changed(rows, sequence, **columns):
    return [row._replace(**columns) if row.sequence == sequence else row for row in rows]


def without(rows, *sequences):
    return [row for row in rows if row.sequence not in sequences]
