"""Requests and answers of HTTP/1.1 as they come, to be passed on byte by byte."""

from __future__ import annotations

import json
import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HEAD_END = b"\r\n\r\n"
#: of a request, or of an answer
START = re.compile(r"[A-Z]+ \S+ HTTP/1\.[01]|HTTP/1\.[01] \d{3}( .*)?")
#: answers that have no body, whatever their head says (RFC 9110, 6.4.1)
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class BrokenOffError(ConnectionError):
    """The peer ended in mid-message, or what it says is no HTTP."""


@dataclass(frozen=True, slots=True)
class Message:
    """``raw``: all of it, as it came; ``body`` without the framing of its transfer; ``headers`` by lower-case
    name.
    """

    start: str
    headers: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def closes(self) -> bool:
        """Is the connection to be closed after it?"""
        return self.headers.get("connection", "").lower() == "close"

    @property
    def status(self) -> int:
        """Of an answer."""
        return int(self.start.split(" ", 2)[1])


async def read_message(reader: StreamReader) -> Message | None:
    """The next one; None where the peer has closed after the one before.

    :raises BrokenOffError: it ended in its midst, or is none
    """
    try:
        head = await reader.readuntil(HEAD_END)
    except IncompleteReadError as ended:
        if ended.partial:
            raise BrokenOffError("in its head") from ended
        return None
    except LimitOverrunError as too_long:
        raise BrokenOffError("its head has no end") from too_long
    start, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    if not START.fullmatch(start):
        raise BrokenOffError("it is no HTTP/1.1")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    try:
        body, framed = await _body(reader, start, headers)
    except (IncompleteReadError, LimitOverrunError, ValueError) as ended:
        raise BrokenOffError("in its body") from ended
    return Message(start, headers, body, head + framed)


async def _body(reader: StreamReader, start: str, headers: dict[str, str]) -> tuple[bytes, bytes]:
    """The body, and the same as it is transferred. Raises ValueError: a length that is none."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader)
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    elif start.startswith("HTTP/") and int(start.split(" ", 2)[1]) not in BODILESS:
        body, headers["connection"] = await reader.read(), "close"  # it ends with the connection
    else:
        body = b""
    return body, body


async def _chunks(reader: StreamReader) -> tuple[bytes, bytes]:
    """Until the empty one, with what is after it (RFC 9112, 7.1)."""
    body, framed = b"", b""
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        chunk = await reader.readexactly(size + 2) if size else b""
        body, framed = body + chunk[:-2], framed + line + chunk
        if not size:
            break
    while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
        framed += line
    return body, framed + line


def json_answer(status: int, document: dict[str, Any], headers: dict[str, str]) -> bytes:
    """An answer of the JSON protocol, whole."""
    body = json.dumps(document).encode()
    given = {**headers, "Content-Type": "application/x-amz-json-1.0", "Content-Length": str(len(body))}
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{n}: {v}" for n, v in given.items())]
    return "\r\n".join(lines).encode() + HEAD_END + body


def json_request(request: Message, document: dict[str, Any]) -> bytes:
    """The request with another document."""
    body = json.dumps(document).encode()
    kept = {
        name: value
        for name, value in request.headers.items()
        if name not in ("content-length", "transfer-encoding")
    }
    given = {**kept, "content-length": str(len(body))}
    return "\r\n".join([request.start, *(f"{n}: {v}" for n, v in given.items())]).encode() + HEAD_END + body
