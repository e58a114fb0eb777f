"""The floor of a call over MCP: the SDK's own server with a tool that does nothing."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

_TOOL = types.Tool(name="noop", input_schema={"type": "object"})


async def _list(_: Any, __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_TOOL])


async def _call(_: Any, __: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="{}")])


async def _serve() -> None:
    server: Server[Any] = Server("noop", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
