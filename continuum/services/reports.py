"""The report of a run as one HTML file that loads nothing and runs nothing.

Everything that came from an agent passes `_t`: escaped, with control and
direction characters made visible, and never part of an attribute.
"""

from __future__ import annotations

import json
from html import escape

from continuum.core.clock import column_time
from continuum.core.printing import printable
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.actions import Slot
    from continuum.domain.runs import RunRow
    from continuum.recovery.verdict import Verdict
    from continuum.services.acts_log import ActPage
    from continuum.services.chain import VerifyReport
    from continuum.store.base import PagedEvent

_PAYLOAD_SHOWN = 600
_VIOLATIONS_SHOWN = 50


class Evidence(NamedTuple):
    """What a bundle and its report show.

    Attributes:
        newest: the newest events, newest first.
        attestation: the signed document, or None.
        problems: what could not be computed, as sentences.
    """

    row: RunRow
    at: datetime
    report: VerifyReport
    verdict: Verdict | None
    slots: tuple[Slot, ...]
    acts: ActPage
    newest: tuple[PagedEvent, ...]
    attestation: dict[str, Any] | None
    problems: tuple[str, ...]


def report_html(evidence: Evidence) -> str:
    """Return the report as an HTML document."""
    parts = [
        _head(evidence),
        *_chain(evidence),
        *_verdict(evidence),
        *_attestation(evidence),
        *_actions(evidence),
        *_acts(evidence),
        *_events(evidence),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _head(evidence: Evidence) -> str:
    row = evidence.row
    facts = [
        ("Goal", row.goal),
        ("Status of the run's row", row.status),
        ("Started", row.created_at),
        ("Parent", row.parent_run_id or "none"),
        ("Report made", column_time(evidence.at)),
    ]
    problems = "".join(f"<p class=bad>Not shown: {_t(one)}</p>" for one in evidence.problems)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f"<title>Evidence of a run</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><main><h1>Run {_t(row.run_id)}</h1>\n{_facts(facts)}{problems}"
    )


def _chain(evidence: Evidence) -> Iterator[str]:
    walked = evidence.report.verification
    yield "<h2>Chain</h2>"
    if walked.ok:
        yield (
            f"<p class=good>✓ Verified: events 1 to {walked.head_sequence}, "
            f"{walked.archived} of them archived.</p>"
        )
    else:
        yield (
            f"<p class=bad>✗ Broken at event {_t(walked.broken_at)}. Nothing from there on is to "
            f"be trusted; through event {walked.trusted_through} the chain is whole.</p>"
        )
    yield _facts([("Hash of the newest event", walked.head_hash or "none")])
    if evidence.report.failure is not None:
        failure = evidence.report.failure
        yield (
            f"<p class=bad>✗ The log stops folding at event {failure.sequence}: "
            f"{_t(failure.reason)}</p>"
        )
    found = walked.violations
    rows = [(one.sequence, str(one.kind), one.detail) for one in found[:_VIOLATIONS_SHOWN]]
    yield _table(("Event", "What", "Detail"), rows)
    if len(found) > _VIOLATIONS_SHOWN:
        yield f"<p>{len(found) - _VIOLATIONS_SHOWN} more are in verification.json.</p>"
    yield "<p>To repeat: <code>continuum verify --file events.jsonl</code></p>"


def _verdict(evidence: Evidence) -> Iterator[str]:
    verdict = evidence.verdict
    yield "<h2>Verdict</h2>"
    if verdict is None:
        yield "<p class=bad>✗ There is none; the run cannot be judged.</p>"
        return
    mark = "good>✓ Safe" if verdict.safe else "bad>✗ Not safe"
    yield f"<p class={mark} to go on: {_t(verdict.mode)}</p>"
    yield _list(verdict.rationale)
    yield _table(
        ("Reason", "Status", "About"),
        [(one.text, one.status, one.target) for one in verdict.findings],
    )
    if verdict.human_steps:
        yield "<h3>What people do about it</h3>"
        yield _list(verdict.human_steps)


def _attestation(evidence: Evidence) -> Iterator[str]:
    document = evidence.attestation
    if document is None:
        return
    yield "<h2>Attestation</h2>"
    names = ("trusted_through_seq", "chain_hash", "signer", "timestamp", "signature", "public_key")
    yield _facts([(name, document[name]) for name in names])


def _actions(evidence: Evidence) -> Iterator[str]:
    yield "<h2>External side effects</h2>"
    rows = [
        (
            one.action.action_type,
            str(one.action.status),
            one.action.external_id or "",
            _json(one.action.arguments),
            f"{one.first_sequence} – {one.last_sequence}",
        )
        for one in evidence.slots
    ]
    yield _table(("Action", "Status", "External id", "Arguments", "Events"), rows) or _nothing()


def _acts(evidence: Evidence) -> Iterator[str]:
    yield "<h2>What people did</h2>"
    rows = [
        (one.sequence, one.at, one.person or "not named", one.verb, one.subject, one.reason)
        for one in evidence.acts.acts
    ]
    yield _table(("Event", "When", "Who", "Did", "About", "Reason"), rows) or _nothing()
    if evidence.acts.next is not None:
        yield "<p>Earlier ones are in events.jsonl.</p>"


def _events(evidence: Evidence) -> Iterator[str]:
    yield "<h2>Newest events</h2>"
    broken_at = evidence.report.verification.broken_at
    rows = []
    for one in evidence.newest:
        row = one.row
        doubtful = broken_at is not None and _is_behind(row.sequence, broken_at)
        rows.append(
            (
                f"{row.sequence}{' (not trusted)' if doubtful else ''}",
                str(row.timestamp).replace("T", "\n", 1),
                row.type,
                row.source,
                f"{_shorten(row.payload)}\n{row.hash}\n{row.prev_hash or 'none'}",
            )
        )
    headings = ("Event", "When", "Type", "Origin", "Payload, hash, and the hash before")
    yield _table(headings, rows, widths=(7, 17, 17, 13, 46))
    yield "<p>All events are in events.jsonl.</p>"


def _is_behind(sequence: Any, broken_at: int) -> bool:
    return not isinstance(sequence, int) or sequence >= broken_at


def _facts(pairs: Iterable[tuple[str, Any]]) -> str:
    rows = "".join(f"<dt>{_t(name)}</dt><dd>{_t(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>"


def _list(items: Iterable[str]) -> str:
    entries = "".join(f"<li>{_t(one)}</li>" for one in items)
    return f"<ul>{entries}</ul>" if entries else ""


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[Any]], *, widths: Sequence[int] = ()
) -> str:
    """Return a table, or empty text without rows.

    Args:
        widths: of the columns, in hundredths of the page; without them, what is in them decides.
    """
    if not rows:
        return ""
    fixed = " class=fixed" if widths else ""
    columns = "".join(f'<col style="width: {one}%">' for one in widths)
    head = "".join(f'<th scope="col">{_t(one)}</th>' for one in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_t(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table{fixed}>{columns}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _nothing() -> str:
    return "<p>None.</p>"


def _t(value: Any) -> str:
    """Return any value as inert text: lines kept, everything else that is odd made visible."""
    text = value if isinstance(value, str) else "none" if value is None else str(value)
    lines = (escape(printable(line), quote=True) for line in text.split("\n"))
    return f"<bdi>{'<br>'.join(lines)}</bdi>"


def _json(value: Any) -> str:
    return _shorten(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _shorten(text: Any) -> str:
    shown = text if isinstance(text, str) else repr(text)
    if len(shown) <= _PAYLOAD_SHOWN:
        return shown
    return f"{shown[:_PAYLOAD_SHOWN]} … ({len(shown)} characters)"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; }
body { margin: 0; background: #fff; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #767676; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: .85rem; }
th, td { text-align: start; vertical-align: top; padding: .25rem .5rem; border: 1px solid #767676; }
td { overflow-wrap: anywhere; }
.fixed { table-layout: fixed; }
.good { color: #14532d; font-weight: 600; }
.bad { color: #7f1d1d; font-weight: 600; }
@media print {
  @page { margin: 15mm; }
  main { max-width: none; padding: 0; }
  table { font-size: .72rem; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  thead { display: table-header-group; }
}
"""
