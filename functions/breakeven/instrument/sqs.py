"""One HTTP/1.1 connection that speaks the SQS JSON protocol: enough of it for our client and for boto3.

Signatures are not looked at. A message that is received and not deleted stays out of sight for good: no
visibility timeout runs out.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from collections.abc import Callable
from typing import Any

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from breakeven.instrument.broker import Broker, Message, Queue
from breakeven.instrument.loop import Loop, Peer
from breakeven.terms import SQS_MAX_BATCH

_HEAD = (
    b"HTTP/1.1 %d %b\r\nx-amzn-RequestId: 0\r\n"
    b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n\r\n"
)
_TARGET = b"x-amz-target"
Document = dict[str, Any]


class Refused(Exception):
    """:param code: the service's name for what is wrong"""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class Poll:
    """A ReceiveMessage that is answered with what there is, or waits for the first message."""

    def __init__(self, key: object, queue: Queue, most: int, answer: Callable[[list[Message]], None]) -> None:
        self.key = key
        self._queue, self._most, self._answer = queue, most, answer
        self.is_open = True

    def hand(self, message: Message) -> None:
        self.end([message])

    @property
    def wants(self) -> bool:
        return self.is_open

    def take(self) -> list[Message]:
        found: list[Message] = []
        while len(found) < self._most and (message := self._queue.take(self.key)):
            found.append(message)
        return found

    def wait(self) -> None:
        self._queue.wait(self)

    def end(self, messages: list[Message]) -> None:
        if self.is_open:
            self.forget()
            self._answer(messages)

    def forget(self) -> None:
        self.is_open = False
        self._queue.forget(self)


class SqsConnection(Peer):
    """One call at a time, as HTTP/1.1 without pipelining has it."""

    def __init__(self, loop: Loop, connected: socket.socket, broker: Broker) -> None:
        super().__init__(loop, connected)
        self._broker = broker
        self._parser = HttpRequestParser(self)
        self._target, self._body = b"", b""
        self._poll: Poll | None = None
        self._calls: dict[str, Callable[[Document, int], None]] = {
            "SendMessage": self._send,
            "SendMessageBatch": self._send_batch,
            "ReceiveMessage": self._receive,
            "DeleteMessage": self._delete,
            "DeleteMessageBatch": self._delete_batch,
        }

    def received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self.close()

    def lost(self) -> None:
        if self._poll:
            self._poll.forget()
        self._broker.leave(self)

    def on_message_begin(self) -> None:
        self._target = self._body = b""

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        if lower == _TARGET:
            self._target = value
        elif lower == b"expect":
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        now_ns = time.monotonic_ns()
        operation = self._target.rpartition(b".")[2].decode("latin-1")
        try:
            call = self._calls.get(operation)
            if call is None:
                raise Refused("UnknownOperationException", f"there is no {operation!r} here")
            call(json.loads(self._body), now_ns)
        except (ValueError, KeyError, TypeError) as error:
            self._reply(_wrong("InvalidParameterValue", repr(error)), 400)
        except Refused as error:
            self._reply(_wrong(error.code, str(error)), 400)

    def _send(self, asked: Document, now_ns: int) -> None:
        sent, due_ns = self._sent(asked["QueueUrl"], asked["MessageBody"], now_ns)
        self._answer_publish(sent, 1, now_ns, due_ns)

    def _send_batch(self, asked: Document, now_ns: int) -> None:
        done, due_ns = [], now_ns
        for entry in _entries(asked):
            sent, one_due_ns = self._sent(asked["QueueUrl"], entry["MessageBody"], now_ns)
            done.append({"Id": entry["Id"], **sent})
            due_ns = max(due_ns, one_due_ns)
        self._answer_publish({"Successful": done, "Failed": []}, len(done), now_ns, due_ns)

    def _sent(self, queue: str, body: str, now_ns: int) -> tuple[Document, int]:
        data = body.encode()
        found = self._broker.publish(queue, data, b"", now_ns)
        digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
        return {"MessageId": digest, "MD5OfMessageBody": digest}, found.due_ns

    def _answer_publish(self, reply: Document, count: int, arrived_ns: int, due_ns: int) -> None:
        def answer() -> None:
            self._reply(reply)
            for _ in range(count):
                self.loop.answered(self._broker.notes.publish, arrived_ns, due_ns)

        self.loop.at(due_ns, answer)

    def _receive(self, asked: Document, now_ns: int) -> None:
        most, wait_s = int(asked.get("MaxNumberOfMessages", 1)), float(asked.get("WaitTimeSeconds", 0))
        if not 1 <= most <= SQS_MAX_BATCH or not 0 <= wait_s <= 20:
            raise Refused("InvalidParameterValue", "1 to 10 messages, and 0 to 20 seconds")
        counted = "ApproximateReceiveCount" in str(asked.get("MessageSystemAttributeNames", ""))
        queue = self._broker.queue(asked["QueueUrl"])
        poll = Poll(self, queue, most, lambda messages: self._hand_out(messages, counted, now_ns))
        if (found := poll.take()) or not wait_s:
            poll.end(found)
            return
        self._poll = poll
        self.loop.at(now_ns + round(wait_s * 1e9), lambda: poll.end([]))
        poll.wait()

    def _hand_out(self, messages: list[Message], counted: bool, asked_ns: int) -> None:
        """``asked_ns``: of the ask; what a long poll waited for a message is none of the latency."""
        now_ns = time.monotonic_ns() if self._poll else asked_ns
        self._poll = None
        if not messages:
            empty_ns = round(self._broker.stalls.after(now_ns))
            self.loop.at(empty_ns, lambda: self._reply({}))
            return
        due_ns = max(self._broker.delivery_due_ns(now_ns) for _ in messages)
        described = [_document_of(message, counted) for message in messages]

        def answer() -> None:
            self._reply({"Messages": described})
            for _ in messages:
                self.loop.answered(self._broker.notes.deliver, now_ns, due_ns)

        self.loop.at(due_ns, answer)

    def _delete(self, asked: Document, now_ns: int) -> None:
        asked["ReceiptHandle"]  # what is received is gone already
        self.loop.at(round(self._broker.stalls.after(now_ns)), lambda: self._reply({}))

    def _delete_batch(self, asked: Document, now_ns: int) -> None:
        reply = {"Successful": [{"Id": entry["Id"]} for entry in _entries(asked)], "Failed": []}
        self.loop.at(round(self._broker.stalls.after(now_ns)), lambda: self._reply(reply))

    def _reply(self, document: Document, status: int = 200) -> None:
        if not self.closed:
            body = json.dumps(document).encode()
            self.write(_HEAD % (status, b"OK" if status == 200 else b"Bad Request", len(body)) + body)


def _entries(asked: Document) -> list[Document]:
    found: list[Document] = asked["Entries"]
    if not 1 <= len(found) <= SQS_MAX_BATCH:
        raise Refused("com.amazonaws.sqs#TooManyEntriesInBatchRequest", "1 to 10 entries")
    return found


def _document_of(message: Message, counted: bool) -> Document:
    digest = hashlib.md5(message.body, usedforsecurity=False).hexdigest()
    described: Document = {
        "MessageId": digest,
        "ReceiptHandle": f"{message.number}-{message.receives}-{int(message.is_copy)}",
        "MD5OfBody": digest,
        "Body": message.body.decode(),
    }
    if counted:
        described["Attributes"] = {"ApproximateReceiveCount": str(message.receives)}
    return described


def _wrong(code: str, message: str) -> Document:
    return {"__type": code, "message": message}
