"""Standard input and output as a transport: one JSON-RPC message per line.

The SDK's own drops lines it cannot read and takes lines of any length. Here
every line that is not blank gets an answer: one that is no JSON, no message,
or longer than 4 MiB is answered with an error (id null unless it can be told)
and serving goes on. Requests that arrived before the input ended are answered
before the output is closed.

Nothing else reaches the protocol's streams: while serving, file descriptor 1
is standard error and file descriptor 0 is empty, for this process and for
what it starts.
"""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    Incoming = MemoryObjectSendStream[SessionMessage | Exception]
    Outgoing = MemoryObjectSendStream[SessionMessage]

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
_CHUNK = 64 * 1024


def take_standard_streams() -> tuple[int, int]:
    """Return descriptors of the protocol's input and output, and divert the usual ones."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire_in, wire_out


@asynccontextmanager
async def stdio_streams(
    wire_in: int, wire_out: int
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[SessionMessage | Exception], Outgoing]]:
    """Yield the streams a server reads from and writes to."""
    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    awaited = _Awaited()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read, wire_in, incoming, write_stream.clone(), awaited)
        tasks.start_soon(_write, wire_out, outgoing, awaited)
        yield read_stream, write_stream
        tasks.cancel_scope.cancel()


class Lines:
    """Cuts a stream of bytes into lines of bounded length."""

    def __init__(self, limit: int = MAX_MESSAGE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield the lines that `chunk` ends; None for each that is too long."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._keep(part)
            yield self._taken()
        self._keep(rest)

    def rest(self) -> bytes | None:
        """Return what is left behind the last line break."""
        return self._taken()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _taken(self) -> bytes | None:
        line = b"".join(self._parts) if self._size <= self._limit else None
        self._parts.clear()
        self._size = 0
        return line


def read_line(line: bytes | None) -> types.JSONRPCMessage:
    """Return the message of a line, or the error that answers it."""
    if line is None:
        return _error(
            None,
            types.INVALID_REQUEST,
            f"a message may have {MAX_MESSAGE_BYTES} bytes; this one has more and was not read",
        )
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        # A request whose id is malformed passes for a notification, which nobody answers.
        if not isinstance(message, types.JSONRPCNotification) or "id" not in json.loads(line):
            return message
    except ValidationError as exc:
        if any(one["type"] == "json_invalid" for one in exc.errors(include_input=False)):
            return _error(None, types.PARSE_ERROR, "the line is no JSON text in UTF-8")
    except RecursionError:
        return _error(None, types.PARSE_ERROR, "the message is nested too deeply")
    return _error(_id_of(line), types.INVALID_REQUEST, "the line is no single JSON-RPC 2.0 message")


class _Awaited:
    """The requests that are still to be answered."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._empty = anyio.Event()

    def note_in(self, message: types.JSONRPCMessage) -> None:
        """Remember a request; forget one that its client takes back."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification):
            taken_back = (message.params or {}).get("requestId")
            if message.method == "notifications/cancelled" and isinstance(taken_back, (str, int)):
                self._forget(taken_back)

    def note_out(self, message: types.JSONRPCMessage) -> None:
        """Forget a request that is answered."""
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
            self._forget(message.id)

    async def all_answered(self) -> None:
        """Wait until nothing is awaited."""
        if self._ids:
            await self._empty.wait()

    def _forget(self, request_id: types.RequestId | None) -> None:
        if request_id is not None:
            self._ids.discard(request_id)
        if not self._ids:
            self._empty.set()
            self._empty = anyio.Event()


async def _read(wire: int, incoming: Incoming, answers: Outgoing, awaited: _Awaited) -> None:
    lines = Lines()
    async with incoming, answers:
        while chunk := await anyio.to_thread.run_sync(
            os.read, wire, _CHUNK, abandon_on_cancel=True
        ):
            for line in lines.feed(chunk):
                await _pass_on(line, incoming, answers, awaited)
        await _pass_on(lines.rest(), incoming, answers, awaited)
        await awaited.all_answered()


async def _pass_on(
    line: bytes | None, incoming: Incoming, answers: Outgoing, awaited: _Awaited
) -> None:
    if line is not None and not line.strip():
        return
    message = read_line(line)
    if isinstance(message, types.JSONRPCError):
        await answers.send(SessionMessage(message))
        return
    awaited.note_in(message)
    await incoming.send(SessionMessage(message))


async def _write(
    wire: int, outgoing: MemoryObjectReceiveStream[SessionMessage], awaited: _Awaited
) -> None:
    async with outgoing:
        async for item in outgoing:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            await anyio.to_thread.run_sync(_write_all, wire, text.encode() + b"\n")
            awaited.note_out(item.message)


def _write_all(wire: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(wire, view) :]


def _error(request_id: types.RequestId | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message)
    )


def _id_of(line: bytes) -> types.RequestId | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = document.get("id") if isinstance(document, dict) else None
    if isinstance(found, bool) or not isinstance(found, (str, int)):
        return None
    return found
