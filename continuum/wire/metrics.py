"""How the desk does, as Prometheus text (exposition format 0.0.4)."""

from __future__ import annotations

from continuum.domain.callerrows import OTHERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from continuum.services.queuehealth import Pace, QueueHealth

    Sample = tuple[Mapping[str, str], float]

MOST_SERIES = 100
_LONGEST_LABEL = 120
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def queue_metrics(health: QueueHealth) -> str:
    """Return the metrics, one family after the other."""
    lines: list[str] = []
    for name, about, samples in _families(health):
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
        lines += [f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _families(health: QueueHealth) -> Iterator[tuple[str, str, Iterable[Sample]]]:
    yield (
        "continuum_open_items",
        "Open inbox items by kind and severity.",
        [
            ({"kind": one.kind, "severity": one.severity.name.lower()}, one.items)
            for one in health.open
        ],
    )
    yield (
        "continuum_oldest_open_item_seconds",
        "Age of the oldest open item; 0 when nothing is open.",
        [({}, health.oldest_seconds)],
    )
    yield (
        "continuum_decision_seconds",
        "Time from opening to decision by window and quantile.",
        [*_quantiles("today", health.today), *_quantiles("7d", health.week)],
    )
    yield (
        "continuum_items_left",
        "Items that left by window and whether a person decided them here.",
        [
            ({"window": window, "how": how}, count)
            for window, pace in (("today", health.today), ("7d", health.week))
            for how, count in (("decided", pace.decided), ("elsewhere", pace.elsewhere))
        ],
    )
    yield (
        "continuum_decisions_7d",
        "Decisions of the last seven days by verb.",
        _by_verb(health),
    )
    yield (
        "continuum_overturned_7d",
        "Decisions of the last seven days that overruled what the engine held.",
        [({}, health.overturned)],
    )
    yield (
        "continuum_refused_calls_24h",
        "Calls of programs refused in the last day by reason.",
        _by_reason(health),
    )
    yield (
        "continuum_caller_refused_calls_24h",
        f"Calls refused in the last day by caller and reason; beyond {MOST_SERIES} rows "
        f"the caller is {OTHERS}.",
        _by_caller(health),
    )
    yield (
        "continuum_open_proposals",
        "Decisions that wait for a second person; 50 stands for more.",
        [({}, len(health.proposals))],
    )


def _quantiles(window: str, pace: Pace) -> Iterator[Sample]:
    for quantile, seconds in (("0.5", pace.p50_seconds), ("0.9", pace.p90_seconds)):
        if seconds is not None:
            yield {"window": window, "quantile": quantile}, seconds


def _by_verb(health: QueueHealth) -> list[Sample]:
    counts: dict[str, int] = {}
    for row in health.decisions:
        counts[row.verb] = counts.get(row.verb, 0) + row.decisions
    return [({"verb": verb}, count) for verb, count in sorted(counts.items())]


def _by_reason(health: QueueHealth) -> list[Sample]:
    counts: dict[str, int] = {}
    for row in health.refused:
        counts[row.reason] = counts.get(row.reason, 0) + row.times
    return [({"reason": reason}, count) for reason, count in sorted(counts.items())]


def _by_caller(health: QueueHealth) -> list[Sample]:
    """Return counts per caller; anybody can invent names, so the number of series is bounded."""
    counts: dict[tuple[str, str], int] = {}
    for place, row in enumerate(health.refused):
        caller = row.caller[:_LONGEST_LABEL] if place < MOST_SERIES else OTHERS
        counts[caller, row.reason] = counts.get((caller, row.reason), 0) + row.times
    return [({"caller": who, "reason": why}, count) for (who, why), count in counts.items()]


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
