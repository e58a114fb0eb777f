"""The protocol side: the SDK's server with our tools behind it."""

from __future__ import annotations

from functools import partial

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from continuum import __version__
from continuum.mcp.descriptions.instructions import INSTRUCTIONS
from continuum.mcp.door import Request
from continuum.mcp.identities import Connections, identity_of, newcomer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcp.server import ServerRequestContext
    from mcp.server.context import CallNext, HandlerResult

    from continuum.mcp.calls import Tool
    from continuum.mcp.door import Answer, Door
    from continuum.mcp.upkeep import Upkeep
    from continuum.mcp.worker import Worker

    Context = ServerRequestContext[Any, Any]

NAME = "continuum-mcp"
TITLE = "CONTINUUM"
ERROR_MEMBER = "continuum/error"
"""Where a refused result carries its code for programs."""

_COMPLETE = {"resultType": "complete"}


def make_server(tools: Sequence[Tool], door: Door, worker: Worker, upkeep: Upkeep) -> Server[Any]:
    """Return a server that answers from `door`, whatever transport carries it."""
    offered = types.ListToolsResult(tools=[listed(tool) for tool in tools])
    connections = Connections()

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> Any:
        return offered

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> Any:
        request = Request(
            params.name, params.arguments or {}, identity_of(context), connections.name_of(context)
        )
        answer = await worker.run(partial(door.call, request))
        worker.soon(partial(upkeep.after, request.tool, answer))
        return _result(answer)

    async def one_handshake(ctx: Context, call_next: CallNext) -> HandlerResult:
        """Refuse a further handshake: identity is fixed for the life of a connection."""
        if ctx.method == "initialize" and ctx.session.client_params is not None:
            await worker.run(partial(door.refuse_second, newcomer(ctx.params)))
            raise MCPError(types.INVALID_REQUEST, _SECOND_HANDSHAKE)
        return await call_next(ctx)

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=_no_resources,
        on_list_prompts=_no_prompts,
        get_tool_input_schema=lambda _: None,
    )
    server.middleware.append(one_handshake)
    return server


def listed(tool: Tool) -> types.Tool:
    """Return a tool as `tools/list` says it."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.right == "read",
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


_SECOND_HANDSHAKE = (
    "this connection was initialized already and keeps the identity of that handshake; open a "
    "connection of its own for another client"
)


async def _no_resources(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[])


async def _no_prompts(
    _: Context, __: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[])


def _result(answer: Answer) -> dict[str, Any]:
    content = [{"type": "text", "text": answer.text}]
    if answer.refusal is not None:
        meta = {ERROR_MEMBER: answer.refusal.members()}
        return {"content": content, "isError": True, "_meta": meta, **_COMPLETE}
    structured = {"result": answer.text, "data": answer.document}
    return {"content": content, "isError": False, "structuredContent": structured, **_COMPLETE}
