"""The proxy: between loaders and the server that stands for SQS, a connection behind for each before."""

from __future__ import annotations

import asyncio
import socket
import struct
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from typing import cast

from local.servers.proxy import sqs_calls
from local.servers.proxy.http_exchange import (
    BrokenOffError,
    Message,
    json_answer,
    json_request,
    read_message,
)
from local.servers.proxy.injections import Injections
from local.servers.proxy.sqs_calls import SqsCall, document_of, entries_of, is_copy, sqs_call

#: of a connection's buffer, and so of a head
LIMIT = 2**18
#: lingering that is on, and lasts for no time: what is closed is reset (socket(7), SO_LINGER)
RESETS = struct.pack("ii", 1, 0)
_COPY = sqs_calls.COPY.encode()


class ResetByUsError(ConnectionError):
    """The client's connection is to be reset."""


class ProxyServer:
    """:param behind: host and port of the server"""

    def __init__(self, behind: tuple[str, int], injections: Injections) -> None:
        self._behind, self._injections = behind, injections
        self._server: asyncio.Server | None = None

    async def listen(self, host: str) -> int:
        """On a port that is free, which is returned."""
        self._server = await asyncio.start_server(self._serve, host, 0, limit=LIMIT, backlog=512)
        return int(self._server.sockets[0].getsockname()[1])

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        exchange = _Exchange(self._behind, self._injections, writer)
        try:
            while (request := await read_message(reader)) and await exchange.answered(request):
                pass
        except ResetByUsError:
            reset(writer)
        except OSError:  # either end has gone: so does the other
            writer.transport.abort()
        finally:
            exchange.close()
            writer.close()


class _Exchange:
    """What is said on one client's connection, and on the one behind it, which is opened when needed."""

    def __init__(self, behind: tuple[str, int], injections: Injections, client: StreamWriter) -> None:
        self._address, self._injections, self._client = behind, injections, client
        self._behind: tuple[StreamReader, StreamWriter] | None = None

    async def answered(self, request: Message) -> bool:
        """Answer it; whether the connection goes on.

        :raises OSError: either end has gone
        :raises ResetByUsError: a fault wants it
        """
        call = sqs_call(request) if self._injections or _COPY in request.body else None
        if call is None:
            return await self._pass_on(request, request.raw)
        if delay_s := self._injections.delay_s(call):
            await asyncio.sleep(delay_s)
        fate = self._injections.fate(call)
        if fate is not None and fate.kind != "reset":
            return await self._say(sqs_calls.refusal(fate), request)
        if fate is not None and fate.when == "before":
            raise ResetByUsError
        if call.deletes_copies:
            answer = await self._deleted(request, call)
        elif fate is None and (copy := self._injections.copy(call)):
            answer = sqs_calls.received(copy)
        else:
            return await self._take(request, call, is_reset=fate is not None)
        if fate is not None:
            raise ResetByUsError
        return await self._say(answer, request)

    async def _take(self, request: Message, call: SqsCall, *, is_reset: bool) -> bool:
        answer = await self._answer_to(request.raw)
        if is_reset:
            raise ResetByUsError
        goes_on = await self._say(answer.raw, request, closes=answer.closes)
        if call.kind == "receive" and answer.status == 200:
            self._injections.handed_out(call, document_of(answer.body))
        return goes_on

    async def _pass_on(self, request: Message, raw: bytes) -> bool:
        answer = await self._answer_to(raw)
        return await self._say(answer.raw, request, closes=answer.closes)

    async def _deleted(self, request: Message, call: SqsCall) -> bytes:
        """The server behind is asked for what it knows; copies are gone once they were handed out."""
        entries = entries_of(call.document)
        known = [entry for entry in entries if not is_copy(entry)]
        if not known:
            return sqs_calls.deleted(call)
        answer = await self._answer_to(json_request(request, {**call.document, "Entries": known}))
        if answer.status != 200:
            return answer.raw
        said = document_of(answer.body)
        more = sqs_calls.successful([entry for entry in entries if is_copy(entry)])
        both = {name: [*said.get(name, []), *more[name]] for name in ("Successful", "Failed")}
        return json_answer(200, both, {})

    async def _answer_to(self, raw: bytes) -> Message:
        reader, writer = await self._connected()
        writer.write(raw)
        await writer.drain()
        answer = await read_message(reader)
        if answer is None:
            raise BrokenOffError("the server closed without an answer")
        if answer.closes:
            self.close()
        return answer

    async def _connected(self) -> tuple[StreamReader, StreamWriter]:
        """One that the server has closed meanwhile is opened again: nothing was said on it."""
        if self._behind is not None and self._behind[0].at_eof():
            self.close()
        if self._behind is None:
            self._behind = await asyncio.open_connection(*self._address, limit=LIMIT)
        return self._behind

    async def _say(self, answer: bytes, request: Message, *, closes: bool = False) -> bool:
        self._client.write(answer)
        await self._client.drain()
        return not (closes or request.closes)

    def close(self) -> None:
        """The connection behind. Idempotent."""
        behind, self._behind = self._behind, None
        if behind is not None:
            behind[1].close()


def reset(writer: StreamWriter) -> None:
    """Close the connection by a reset, with nothing of an answer."""
    connected = cast(socket.socket, writer.get_extra_info("socket"))
    with suppress(OSError):  # the client has gone already
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
    writer.transport.abort()
