"""What the demo's agents do: one function per run, named as the run.

Together they leave every verdict an operator can meet.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from continuum.core.clock import utc_now
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.actions import compensate_action, escalate_action
from continuum.services.acts import Act
from continuum.services.decisions import complete, confirm

if TYPE_CHECKING:
    from collections.abc import Callable

    from runs.demo.agent import Agent

LONG_RUN_EVENTS = 5000
LIVE_PAUSE_SECONDS = 4.0


class Script(NamedTuple):
    """One agent's part.

    Attributes:
        agent: name under which it writes.
        minutes_ago: when its clock starts.
        after: runs that must exist before.
        crashes: the script ends in SIGKILL.
        stays: the script keeps appending until it is stopped.
    """

    play: Callable[[Agent], None]
    agent: str
    minutes_ago: float
    after: tuple[str, ...] = ()
    crashes: bool = False
    stays: bool = False


def invoice_batch(agent: Agent) -> None:
    """Sends invoices and dies between the claim and the receipt."""
    agent.start("Process 10 invoices")
    agent.progress(0, 10)
    for number in (1, 2, 3):
        agent.perform(
            "send_email",
            f"invoice:INV-00{number}",
            {"to": "billing@customer.example", "invoice": f"INV-00{number}"},
            receipt=f"smtp-8f2{number}",
        )
        agent.progress(number, 10)
    agent.progress(4, 10)
    agent.claim(
        "send_email", "invoice:INV-004", {"to": "billing@customer.example", "invoice": "INV-004"}
    )
    agent.crash()


def subscriptions(agent: Agent) -> None:
    """Charges cards; two declined attempts, then a crash inside the third."""
    agent.start("Renew 300 subscriptions", source=Origin.HUMAN)
    agent.perform("charge_card", "sub-118", {"customer": "C-118", "amount": "19.00"}, "ch_3Q01")
    for error in ("card declined", "gateway answered 402"):
        key = agent.claim("charge_card", "sub-119", {"customer": "C-119", "amount": "19.00"})
        agent.fail(key, error)
    agent.claim("charge_card", "sub-119", {"customer": "C-119", "amount": "19.00"})
    agent.crash()


def docs_migration(agent: Agent) -> None:
    """Reports its own goal and progress; nobody has confirmed either."""
    agent.start("Move 1,200 pages to the new site")
    agent.work_off((150, 310, 480), 1200)
    agent.checkpoint("a third is done")
    agent.progress(520, 1200)


def research_brief(agent: Agent) -> None:
    """A person set the goal; the progress is the agent's word."""
    agent.start("Summarise 40 papers on battery ageing", source=Origin.HUMAN)
    agent.work_off((6, 13, 22), 40)


def release(agent: Agent) -> None:
    """The parent of a family of four."""
    agent.start("Build and publish release 42", source=Origin.HUMAN)
    agent.checkpoint("children are on their way")


def build_x86(agent: Agent) -> None:
    """A child that is safe to resume."""
    agent.start("Build for x86-64", source=Origin.HUMAN, parent="release-42")
    agent.tools(12, "compile", "build/x86")


def build_arm64(agent: Agent) -> None:
    """A child that died while publishing, and blocks its parent."""
    agent.start("Build and publish for arm64", source=Origin.HUMAN, parent="release-42")
    agent.tools(9, "compile", "build/arm64")
    agent.claim("publish_package", "pkg:arm64:42.0", {"package": "core", "version": "42.0"})
    agent.crash()


def release_notes(agent: Agent) -> None:
    """A child that is done."""
    agent.start("Write the release notes", source=Origin.HUMAN, parent="release-42")
    agent.tools(3, "write_file", "notes")
    act = Act(by="demo-lead", via="library", at=agent.tick(), reason="read and approved")
    complete(agent.store, agent.run_id, act, summary="Notes published")


def nightly_etl(agent: Agent) -> None:
    """A long run, safe to resume."""
    agent.start("Load yesterday's click stream", source=Origin.DETERMINISTIC)
    for _ in range(LONG_RUN_EVENTS // 500):
        agent.tools(500, "load_partition", "warehouse/clicks")
    agent.checkpoint("all partitions are in")


def crawler(agent: Agent) -> None:
    """A plain run that may go on."""
    agent.start("Check 80 links of the blog", source=Origin.HUMAN)
    agent.record(EventType.WORK_COMPLETED, {"count": 31})
    agent.checkpoint("links 1 to 31")
    agent.record(EventType.WORK_COMPLETED, {"count": 9})


def quarterly_report(agent: Agent) -> None:
    """Confirmed and completed by a person."""
    agent.start("Compile the Q3 report")
    agent.work_off((1, 3, 5), 5)
    agent.perform("upload_file", "report:q3", {"path": "reports/q3.pdf"}, "drive-77a1")
    seen = Act(by="demo-lead", via="library", at=agent.tick(), reason="figures match the ledger")
    confirm(agent.store, agent.run_id, seen)
    done = Act(by="demo-lead", via="library", at=agent.tick())
    complete(agent.store, agent.run_id, done, summary="Report delivered")


def price_update(agent: Agent) -> None:
    """Cites evidence that nobody recorded: can be repaired without a person."""
    agent.start("Update 64 list prices", source=Origin.HUMAN)
    agent.record(
        EventType.EVIDENCE_ADDED,
        {"evidence_id": "ev-1", "summary": "supplier sheet of November", "source": "supplier.csv"},
    )
    agent.record(
        EventType.DECISION_CREATED,
        {"decision_id": "de-1", "decision": "raise by 3 %", "evidence": ["ev-1", "ev-9"]},
    )


def assistant_upgrade(agent: Agent) -> None:
    """Assumes things about a model: repair before going on."""
    agent.start("Answer the support backlog", source=Origin.HUMAN)
    agent.record(EventType.MODEL_CHANGED, {"model": "m-2026-10", "provider": "example"})
    agent.record(
        EventType.MODEL_ASSUMPTION_RECORDED,
        {"item_id": "tone", "description": "keeps the formal tone of earlier answers"},
    )


def contract_review(agent: Agent) -> None:
    """Waits for an approval."""
    agent.start("Redline the supplier contract", source=Origin.HUMAN)
    agent.record(EventType.APPROVAL_REQUESTED, {"approval_id": "legal", "subject": "clause 7"})


def dataset_index(agent: Agent) -> None:
    """Depends on a data set whose version nobody has looked at since."""
    agent.start("Index the customer data set", source=Origin.HUMAN)
    agent.checkpoint("before indexing", {"customers": "v3"})


def refund_batch(agent: Agent) -> None:
    """An escalated action, one compensated, one done."""
    agent.start("Settle yesterday's refunds", source=Origin.HUMAN)
    agent.perform("refund", "order:7001", {"order": "7001", "amount": "40.00"}, "rf_7001")
    undone = agent.perform("refund", "order:7002", {"order": "7002", "amount": "12.50"}, "rf_7002")
    compensate_action(
        agent.store, agent.run_id, undone, note="paid twice, pulled back", at=agent.tick()
    )
    open_key = agent.claim("refund", "order:7003", {"order": "7003", "amount": "310.00"})
    escalate_action(
        agent.store, agent.run_id, open_key, reason="amount above the limit", at=agent.tick()
    )


def inventory_sync(agent: Agent) -> None:
    """Its log stops making sense: an older client appended without folding first."""
    agent.start("Synchronise the stock of 3 warehouses", source=Origin.HUMAN)
    agent.record(EventType.TASK_UPDATED, {"completed": 1, "total": 3})
    impossible = {"completed": 7, "failed": 0, "pending": 1, "total": 3}
    draft = Draft(EventType.TASK_UPDATED, impossible, Origin.EXTERNAL_AGENT, agent.tick())
    agent.store.append(agent.run_id, [draft])


def payments_nightly(agent: Agent) -> None:
    """A healthy run; an intruder edits one of its rows later."""
    agent.start("Pay out to 25 merchants", source=Origin.HUMAN)
    for number in range(1, 7):
        agent.perform("payout", f"merchant:{number}", {"merchant": f"M-{number}"}, f"po_{number}")


def experiment(agent: Agent) -> None:
    """Given up."""
    agent.start("Try the cheaper embedding", source=Origin.HUMAN)
    agent.record(EventType.RUN_ABORTED, {"reason": "quality dropped"})


def support_triage(agent: Agent) -> None:
    """Keeps appending, so that the pages live."""
    agent.start("Triage incoming tickets", source=Origin.HUMAN)
    parent, number = os.getppid(), 0
    while os.getppid() == parent:
        number += 1
        draft = Draft(
            EventType.TOOL_COMPLETED,
            {"tool": "triage", "path": f"tickets/{number}.json", "caller": agent.name},
            Origin.EXTERNAL_AGENT,
            utc_now(),
        )
        agent.store.append(agent.run_id, [draft])
        time.sleep(LIVE_PAUSE_SECONDS)


SCRIPTS: dict[str, Script] = {
    "invoice-batch-17": Script(invoice_batch, "claude-code", 43, crashes=True),
    "subscriptions-nov": Script(subscriptions, "billing-bot", 12, crashes=True),
    "docs-migration": Script(docs_migration, "gemini-cli", 39),
    "research-brief": Script(research_brief, "claude-code", 95),
    "release-42": Script(release, "ci", 30),
    "build-x86": Script(build_x86, "ci", 28, after=("release-42",)),
    "build-arm64": Script(build_arm64, "ci", 27, after=("release-42",), crashes=True),
    "release-notes": Script(release_notes, "ci", 26, after=("release-42",)),
    "nightly-etl": Script(nightly_etl, "etl", 11 * 60),
    "link-check": Script(crawler, "codex", 20),
    "report-q3": Script(quarterly_report, "claude-code", 3 * 60),
    "price-update": Script(price_update, "codex", 55),
    "support-backlog": Script(assistant_upgrade, "gemini-cli", 70),
    "contract-review": Script(contract_review, "claude-code", 4 * 60),
    "customer-index": Script(dataset_index, "etl", 16),
    "refunds-daily": Script(refund_batch, "billing-bot", 33),
    "inventory-sync": Script(inventory_sync, "legacy-client", 50),
    "payments-nightly": Script(payments_nightly, "billing-bot", 24),
    "embedding-trial": Script(experiment, "codex", 26 * 60),
    "ticket-triage": Script(support_triage, "support-bot", 1, stays=True),
}
TAMPERED_RUN = "payments-nightly"
