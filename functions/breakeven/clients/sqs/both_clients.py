"""Parts that both clients of SQS share: errors as the loader knows them, made-up credentials, ids on FIFO
queues, how a redelivery shows, and settling one by one.

A message's ids on a FIFO queue are read from its ledger stamp, which is run tag, producer and sequence
(``loadgen.ledger.stamp``). All three are the deduplication id. The group is the first two, or all three: each
producer's messages keep their order, or none does and none waits for another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from breakeven.clients.base import STAMP_BYTES, CallFailed, ConnectionLost, Settled
from breakeven.terms import Groups

#: for a server that is not the service and looks at neither
ANY_CREDENTIALS, ANY_REGION = ("any", "any"), "us-east-1"
#: of the stamp's characters: four of tag and three of producer
GROUP_BYTES = 7
FIFO_SUFFIX = ".fifo"
#: how a message tells that it was received before: a system attribute that a receive has to ask for
RECEIVE_COUNT = "ApproximateReceiveCount"


@contextmanager
def service_errors(taken: int = 0) -> Iterator[None]:
    """What goes wrong in a call, as the loader knows it."""
    try:
        yield
    except ClientError as error:
        found = error.response.get("Error", {})
        raise CallFailed(str(found.get("Code", "Unknown")), taken, str(found.get("Message") or "")) from error
    except HTTPClientError as error:  # refused, reset, timed out
        raise ConnectionLost(str(error)) from error
    except BotoCoreError as error:
        raise ConnectionLost(f"{type(error).__name__}: {error}") from error


def is_fifo(queue: str) -> bool:
    """:param queue: name or URL; SQS tells the kinds apart by the name's end"""
    return queue.endswith(FIFO_SUFFIX)


#: members of a SendMessage request, or of one entry of a batch, by its body
Ids = Callable[[str], dict[str, str]]


def message_ids(queue: str, groups: Groups | None) -> Ids:
    """Of messages to that queue; none on a standard one.

    :param groups: what is a group of its own; None: a producer
    """
    if not is_fifo(queue):
        return lambda _: {}
    size = STAMP_BYTES if groups == "message" else GROUP_BYTES
    return lambda body: {"MessageGroupId": body[:size], "MessageDeduplicationId": body[:STAMP_BYTES]}


def is_redelivered(message: Mapping[str, Any]) -> bool:
    """Was it received before? Of an answer's message; one without the attribute was not."""
    return int(message.get("Attributes", {}).get(RECEIVE_COUNT, 1)) > 1


#: a handle that is no good any more, and never will be: its message is handed out anew, or is gone. A FIFO
#: queue says so once the visibility timeout has passed. Source: Amazon SQS API Reference, DeleteMessage and
#: ReceiveMessage (ReceiveRequestAttemptId); the names of the query protocol, and those of JSON
_EXPIRED = ("ReceiptHandleIsInvalid", "InvalidParameterValue", "InvalidParameterValueException")


def settled_one_by_one(handles: Iterable[object], delete: Callable[[object], None]) -> Settled:
    """Settle one after the other; CallFailed where the first fails in a way that may pass.

    :param delete: one call; raises CallFailed
    """
    done: list[tuple[object, int, int]] = []
    refused: list[object] = []
    failed: list[tuple[str, int]] = []
    for each in handles:
        start_ns = time.monotonic_ns()
        try:
            delete(each)
        except CallFailed as error:
            if error.code not in _EXPIRED:
                if not done and not refused:
                    raise
                break  # what is settled is returned; the rest may be handed in again
            refused.append(each)
            failed.append((error.code, time.monotonic_ns()))
        else:
            done.append((each, start_ns, time.monotonic_ns()))
    handle, called_ns, replied_ns = map(list, zip(*done, strict=True)) if done else ([], [], [])
    return Settled(handle, called_ns, replied_ns, failed, refused)
