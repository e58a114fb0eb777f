"""Writes what is kept of the list of tools: the snapshot and the reference page.

`python -m tests.mcp.writing` does both, after a wanted change.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from continuum.mcp.descriptions.instructions import INSTRUCTIONS
from continuum.mcp.server import listed
from continuum.mcp.toolsets import offered_tools

_ROOT = Path(__file__).parents[2]
SNAPSHOT = _ROOT / "tests" / "data" / "mcp-tools.json"
REFERENCE = _ROOT / "docs" / "reference" / "tools.md"

TOOLS: list[dict[str, Any]] = [
    listed(tool).model_dump(by_alias=True, mode="json", exclude_none=True)
    for tool in offered_tools(["core"])
]

_HEAD = """\
# Tools

What `continuum-mcp` offers to agents, as `tools/list` says it. This page is written by \
`python -m tests.mcp.writing`; the texts are in `continuum/mcp/descriptions`, the parameters in \
`continuum/mcp/tools`.

Each answer is a JSON text in `result`, and the same object unparsed in `data`. A refusal is a \
result with `isError`, a text that says what to do next, and `_meta["continuum/error"]` with \
`code`, `field`, `reason` and `next`. How to set a client up is in [the guide](../guide/mcp.md).
"""


def snapshot() -> dict[str, Any]:
    """Return everything an agent reads."""
    return {"instructions": INSTRUCTIONS, "tools": TOOLS}


def reference() -> str:
    """Return the page that describes every tool."""
    return "\n".join([_HEAD, *(_section(tool) for tool in TOOLS)])


def _section(tool: dict[str, Any]) -> str:
    schema = tool["inputSchema"]
    required = schema.get("required", [])
    rows = [
        f"| `{name}` | {_kind(one)} | {'yes' if name in required else ''} | {_cell(one)} |"
        for name, one in schema["properties"].items()
    ]
    answers = [
        f"| `{name}` | {_kind(one)} | {_cell(one)} |"
        for name, one in tool["outputSchema"]["properties"]["data"]["properties"].items()
    ]
    lines = [
        f"## {tool['name']}",
        "",
        f"{tool['title']}: {_hints(tool['annotations'])}.",
        "",
        tool["description"],
        "",
        "| parameter | type | needed | meaning |",
        "| --- | --- | --- | --- |",
        *rows,
        "",
        "| answer | type | meaning |",
        "| --- | --- | --- |",
        *answers,
        "",
    ]
    return "\n".join(lines)


def _hints(annotations: dict[str, Any]) -> str:
    words = [
        "reads only" if annotations["readOnlyHint"] else "writes",
        "may overturn a recorded outcome" if annotations["destructiveHint"] else "",
        "safe to repeat" if annotations["idempotentHint"] else "",
    ]
    return ", ".join(word for word in words if word)


def _kind(schema: dict[str, Any]) -> str:
    kinds = schema["type"]
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def _cell(schema: dict[str, Any]) -> str:
    text: str = schema["description"]
    return text.replace("|", "\\|")


if __name__ == "__main__":
    SNAPSHOT.write_text(json.dumps(snapshot(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    REFERENCE.write_text(reference(), "utf-8")
