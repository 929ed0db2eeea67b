"""Batches of SQS, for both clients: what goes into one call, and what becomes of each of its entries.

A batch may fail in part. An entry that is refused for the sender's fault stays refused. One that failed for
the service's own is tried again, as an application would, and each failure is told. The answer says that it
was not carried out; where that is wrong after all, the ledger counts a duplicate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven.clients.base import Answers, CallFailed, ConnectionLost, Outcome, Settled
from breakeven.clients.sqs.both_clients import Ids
from breakeven.clients.sqs.operations import MALFORMED
from breakeven.terms import SQS_MAX_MESSAGE_BYTES

#: seconds before an entry that failed is tried again: the first time, the second, and no more
RETRY_S = (0.1, 0.2)
Entry = dict[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a batch call says of one entry. ``code``: why it failed; None: it was carried out."""

    code: str | None = None
    senders_fault: bool = False

    @property
    def outcome(self) -> Outcome:
        """Of a message."""
        if self.code is None:
            return Outcome.CONFIRMED
        return Outcome.NACKED if self.senders_fault else Outcome.UNKNOWN

    @property
    def may_be_repeated(self) -> bool:
        return self.code not in (None, MALFORMED) and not self.senders_fault


#: of an entry that an answer leaves out: nobody knows what became of it
NOTHING_SAID = Verdict(MALFORMED)


def verdicts(reply: Mapping[str, Any]) -> dict[str, Verdict]:
    """By entry id.

    :raises CallFailed: ``MalformedAnswer``: the lists hold no entries of a batch
    """
    failed = {
        entry["Id"]: Verdict(str(entry.get("Code")), bool(entry.get("SenderFault")))
        for entry in _entries(reply, "Failed")
    }
    return {**failed, **{entry["Id"]: Verdict() for entry in _entries(reply, "Successful")}}


class BatchSends:
    """:param call: SendMessageBatch; returns the answer's document, raises CallFailed, ConnectionLost"""

    def __init__(self, ids: Ids, call: Callable[[list[Entry]], Mapping[str, Any]]) -> None:
        self._ids, self._call = ids, call

    def send(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> Answers:
        """Send one batch, and again what of it failed for the service's own fault.

        :raises CallFailed: the whole of the first call
        :raises ConnectionLost: during the first call
        """
        texts = {sequence: body.decode() for sequence, body in zip(sequences, bodies, strict=True)}
        batch = _Batch(self._ids, texts)
        sent_ns = time.monotonic_ns()
        batch.read(self._call(batch.entries()))
        for rest_s in RETRY_S:
            if not batch.again:
                break
            batch.failed += [(code, time.monotonic_ns()) for code in batch.again.values()]
            time.sleep(rest_s)
            try:
                batch.read(self._call(batch.entries()))
            except (CallFailed, ConnectionLost) as error:
                code = error.code if isinstance(error, CallFailed) else "connection_lost"
                batch.again = dict.fromkeys(batch.again, code)
                break
        return batch.answers(sent_ns)


class _Batch:
    """Messages of one batch, and what is known of each: ``again`` holds those to be tried again, and why."""

    def __init__(self, ids: Ids, texts: Mapping[int, str]) -> None:
        self._ids, self._texts = ids, texts
        self._known: list[tuple[int, Outcome, int, str | None]] = []  # sequence, answered_ns, error
        self._calls: list[int] = []
        self.again: dict[int, str] = dict.fromkeys(texts, "")
        self.failed: list[tuple[str, int]] = []

    def entries(self) -> list[Entry]:
        """Of the next call."""
        texts = [self._texts[sequence] for sequence in self.again]
        return [
            {"Id": str(index), "MessageBody": text, **self._ids(text)} for index, text in enumerate(texts)
        ]

    def read(self, reply: Mapping[str, Any]) -> None:
        """The answer to the call with these entries."""
        answered_ns, found, asked = time.monotonic_ns(), verdicts(reply), self.again
        self._calls.append(answered_ns)
        self.again = {}
        for index, sequence in enumerate(asked):
            verdict = found.get(str(index), NOTHING_SAID)
            if verdict.may_be_repeated:
                self.again[sequence] = str(verdict.code)
            else:
                self._known.append((sequence, verdict.outcome, answered_ns, verdict.code))

    def answers(self, sent_ns: int) -> Answers:
        """Of all messages; those that are still to be tried again are not."""
        now_ns = time.monotonic_ns()
        given_up = [(sequence, Outcome.UNKNOWN, now_ns, code) for sequence, code in self.again.items()]
        sequence, outcome, answered_ns, error = zip(*self._known, *given_up, strict=True)
        return Answers(
            *(sequence, outcome, (sent_ns,) * len(sequence), answered_ns, error),
            failed=self.failed,
            calls=self._calls,
        )


def settled_in_batches(
    handles: Sequence[object], most: int, call: Callable[[list[Entry]], Mapping[str, Any]]
) -> Settled:
    """Delete in calls of at most so many; what failed for the service's own fault may be handed in again.

    :param call: DeleteMessageBatch, as :class:`BatchSends` has its own
    :raises CallFailed: none of the first call's was deleted or refused; it counts for each
    """
    settled = Settled([], [], [], [], [], [])
    for start in range(0, len(handles), most):
        part = handles[start : start + most]
        try:
            _delete(settled, part, call)
        except CallFailed as error:
            if not settled.handle and not settled.refused:
                raise
            settled.failed = [*settled.failed, *[(error.code, time.monotonic_ns())] * error.count]
            break
    return settled


def _delete(
    settled: Settled, handles: Sequence[object], call: Callable[[list[Entry]], Mapping[str, Any]]
) -> None:
    called_ns = time.monotonic_ns()
    entries = [{"Id": str(index), "ReceiptHandle": str(handle)} for index, handle in enumerate(handles)]
    found = verdicts(call(entries))
    replied_ns = time.monotonic_ns()
    each = [(handle, found.get(str(index), NOTHING_SAID)) for index, handle in enumerate(handles)]
    done = [handle for handle, verdict in each if verdict.code is None]
    refused = [handle for handle, verdict in each if verdict.senders_fault]
    codes = [verdict.code for _, verdict in each if verdict.code]
    if not done and not refused:
        raise CallFailed(codes[0], count=len(codes))
    settled.handle = [*settled.handle, *done]
    settled.called_ns = [*settled.called_ns, *[called_ns] * len(done)]
    settled.replied_ns = [*settled.replied_ns, *[replied_ns] * len(done)]
    settled.refused = [*settled.refused, *refused]
    settled.failed = [*settled.failed, *((code, replied_ns) for code in codes)]
    settled.calls = [*settled.calls, replied_ns]


def parts(bodies: Sequence[bytes], most: int) -> Iterator[slice]:
    """Consecutive runs of at most that many messages, and of at most ``SQS_MAX_MESSAGE_BYTES``."""
    start = size = 0
    for index, body in enumerate(bodies):
        if index > start and (index - start == most or size + len(body) > SQS_MAX_MESSAGE_BYTES):
            yield slice(start, index)
            start, size = index, 0
        size += len(body)
    if bodies:
        yield slice(start, len(bodies))


def _entries(reply: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The list of that name in the answer to a batch call; empty when it is not there."""
    found = reply.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) and "Id" in each for each in found):
        raise CallFailed(MALFORMED)
    return found
