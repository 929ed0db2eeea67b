"""Calls of SQS' JSON protocol as a proxy sees them, and the service's answers to those that it refuses."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

from breakeven.workload.service_faults import CallKind, ServiceFault
from local.servers.proxy.http_exchange import Message, json_answer

KINDS: dict[str, CallKind] = {
    "SendMessage": "send",
    "SendMessageBatch": "send",
    "ReceiveMessage": "receive",
    "DeleteMessage": "delete",
    "DeleteMessageBatch": "delete",
}
TARGET = "x-amz-target"
#: how receipt handles of copies begin, of which the server behind knows nothing
COPY = "breakeven-copy-"
#: of an ``error``, by status. Source: Amazon SQS API Reference, "Common Errors"
ERROR_CODES = {500: "InternalFailure", 503: "ServiceUnavailable"}
#: Source: Amazon SQS API Reference, SendMessage, "Errors"; the status is of AWS's model (trait httpError)
#: and botocore's rule for trying again (data/_retry.json), and not what was seen over the JSON protocol
THROTTLED, THROTTLED_STATUS = "RequestThrottled", 403
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SqsCall:
    """``queue``: the last part of its URL."""

    kind: CallKind
    operation: str
    queue: str
    document: Json

    @property
    def deletes_copies(self) -> bool:
        """Are there any among what it deletes?"""
        return any(is_copy(entry) for entry in (self.document, *entries_of(self.document)))


def sqs_call(request: Message) -> SqsCall | None:
    """None: it is none that loaders make with messages, or no such document."""
    operation = request.headers.get(TARGET, "").rpartition(".")[2]
    if operation not in KINDS:
        return None
    document = document_of(request.body)
    queue = queue_name(str(document.get("QueueUrl", "")))
    return SqsCall(KINDS[operation], operation, queue, document) if queue else None


def document_of(body: bytes) -> Json:
    """Empty where it is no JSON object: whoever gets it next says so."""
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def entries_of(document: Json) -> list[Json]:
    """Of a batch; none of a single call."""
    entries = document.get("Entries")
    return [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []


def is_copy(entry: Json) -> bool:
    return str(entry.get("ReceiptHandle", "")).startswith(COPY)


def queue_name(url: str) -> str:
    return url.rpartition("/")[2]


def refusal(fault: ServiceFault) -> bytes:
    """What the service answers to a call that is throttled, or meets an error."""
    if fault.kind == "throttle":
        query_error = {"x-amzn-query-error": f"{THROTTLED};Sender"}
        return _refused(THROTTLED_STATUS, f"com.amazonaws.sqs#{THROTTLED}", query_error)
    status = fault.status or 503
    return _refused(status, ERROR_CODES[status], {})


def deleted(call: SqsCall) -> bytes:
    """The answer to a deletion of copies alone."""
    return json_answer(200, successful(entries_of(call.document)), _request_id())


def successful(entries: list[Json]) -> Json:
    """What a batch's answer says of these; of no batch nothing."""
    return {"Successful": [{"Id": entry.get("Id")} for entry in entries], "Failed": []} if entries else {}


def received(message: Json) -> bytes:
    """The answer to a receive that brings this message alone."""
    return json_answer(200, {"Messages": [message]}, _request_id())


def _refused(status: int, code: str, headers: dict[str, str]) -> bytes:
    said = {"__type": code, "message": "caused by the fault proxy of this run"}
    return json_answer(status, said, {**headers, **_request_id()})


def _request_id() -> dict[str, str]:
    return {"x-amzn-RequestId": str(uuid.uuid4())}
