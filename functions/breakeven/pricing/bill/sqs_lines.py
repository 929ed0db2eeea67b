"""The bill of Amazon SQS: requests by the 64 KiB chunk, the clients' way to it, and its alarms."""

from __future__ import annotations

from math import ceil

from breakeven.pricing.bill.consumption.consumer_lines import idle_polls
from breakeven.pricing.bill.consumption.receiving import deleted, most_received, received
from breakeven.pricing.bill.inputs import CHUNK_BYTES, MAX_BATCH, MAX_CALL_BYTES, Inputs
from breakeven.pricing.bill.lines import BYTES_PER_GB, Line, number
from breakeven.pricing.prices.book import PriceBook

ITEMS = {"standard": "standard_request", "fair": "standard_request", "fifo": "fifo_request"}
#: how clients reach SQS where that is not free
WAYS = {"endpoint": "interface endpoint", "nat": "NAT gateway"}
#: what a call moves beside its messages, bytes: the headers of a signed request of botocore (800) and of its
#: reply (250); and what a message has beside its body in the replies to its send and its receive, and in its
#: delete: an id, digests, and its receipt handle twice. Without TLS and TCP
CALL_BYTES, MESSAGE_BYTES = 1050, 1050


def requests_per_message(inputs: Inputs) -> float:
    """Billed requests a message: one for each 64 KiB of a call's payload, a delete, an empty receive."""
    sends, receives, deletes = _calls(inputs)
    return sends + receives + deletes + (inputs.empty_receives or 0.0)


def sqs_lines(inputs: Inputs, book: PriceBook) -> list[Line]:
    """Every line of SQS's bill; unpriced ones are for the caller to refuse."""
    requests, how = requests_per_message(inputs), _formula(inputs)
    polls, polling = idle_polls(inputs)
    free, alarms = book.free_sqs_requests if inputs.free_tier else 0.0, inputs.sqs_alarms
    lines = [
        Line(
            "requests",
            f"{how}{polling}{f'; {number(free)} a month are free' if free else ''}",
            "sqs",
            ITEMS[inputs.queue],
            fixed=polls,
            per_message=requests,
            factor=inputs.sqs_price_factor,
            free=free,
            used=inputs.existing_requests,
        ),
        Line("alarms", f"{number(alarms)} alarms", "cloudwatch", "alarm_month", fixed=alarms),
    ]
    if inputs.queue == "fair":
        # Which actions carry the surcharge is not published where we could read it: all are priced with it.
        surcharge = Line(
            "fair queue surcharge",
            f"{number(requests)} requests a message, all of them",
            "sqs",
            "fair_surcharge",
            per_message=requests,
            factor=inputs.sqs_price_factor,
        )
        lines.append(surcharge)
    return [*lines, *_path(inputs)]


def within_fifo_quota(inputs: Inputs, calls_per_s: float) -> float:
    """Monthly mean in messages a second, at whose peak the action of the most calls has as many as are taken.

    :param calls_per_s: that a queue takes of each action
    """
    queues = inputs.consumer_queues if inputs.consumer else 1
    each = min(inputs.send_batch, received(inputs), deleted(inputs))
    return queues * calls_per_s * each / inputs.peak_factor


def batched(inputs: Inputs) -> Inputs:
    """The same traffic in the batches that cost least, as full as they are known to be, and long polls: no
    empty receives, but those of consumers that are named.

    A call is billed by the 64 KiB: nine messages of 7 KiB are one request, and ten are two. What was asked
    for stays where it costs less.
    """
    fits = min(MAX_BATCH, MAX_CALL_BYTES // inputs.message_bytes)
    full = _least_billed(inputs, fits)

    def best(asked: float) -> float:
        return min(_filled(full, inputs), asked, key=lambda batch: _carried(batch, inputs.message_bytes))

    return inputs.but(
        send_batch=best(inputs.send_batch),
        receive_batch=best(inputs.receive_batch),
        delete_batch=max(_filled(MAX_BATCH, inputs), inputs.delete_batch),
        empty_receives=None if inputs.consumer and inputs.empty_receives is None else 0.0,
    )


def best_of_lambda(inputs: Inputs) -> int:
    """Messages of a receive of Lambda, where it is billed least."""
    return _least_billed(inputs, most_received(inputs))


def _least_billed(inputs: Inputs, most: int) -> int:
    """Messages of the calls that are billed least a message, of those that carry so many at most."""
    return min(range(most, 0, -1), key=lambda batch: _carried(batch, inputs.message_bytes))


def _filled(batch: int, inputs: Inputs) -> float:
    """Messages a call of SQS batched, on average: one at least."""
    return max(1.0, batch * (1.0 if inputs.batch_fill is None else inputs.batch_fill))


def _carried(batch: float, message_bytes: int) -> float:
    """Billed requests a message of calls that carry so many."""
    return ceil(batch * message_bytes / CHUNK_BYTES) / batch


def _calls(inputs: Inputs) -> tuple[float, float, float]:
    """Billed requests a message of sends, receives and deletes."""
    size = inputs.message_bytes
    return _carried(inputs.send_batch, size), _carried(received(inputs), size), 1 / deleted(inputs)


def _formula(inputs: Inputs) -> str:
    sends, receives, deletes = _calls(inputs)
    empty = inputs.empty_receives or 0.0
    parts = [
        f"send ceil({number(inputs.send_batch)} x {inputs.message_bytes} B / 64 KiB) / "
        f"{number(inputs.send_batch)} = {number(sends)}",
        f"receive ceil({number(received(inputs))} x {inputs.message_bytes} B / 64 KiB) / "
        f"{number(received(inputs))} = {number(receives)}",
        f"delete 1 / {number(deleted(inputs))} = {number(deletes)}",
        f"empty receives {number(empty)}",
    ]
    return f"{'; '.join(parts)}; together {number(sends + receives + deletes + empty)} requests a message"


def _path(inputs: Inputs) -> list[Line]:
    """What the clients' way to SQS costs; over public addresses of the same region it is free."""
    if inputs.sqs_path == "public":
        return []
    name = WAYS[inputs.sqs_path]
    zones, hours = inputs.client_zones, inputs.hours_per_month
    hourly = f"{zones} zones x {number(hours)} h"
    calls = _calls_per_message(inputs)
    moved = 2 * inputs.message_bytes + MESSAGE_BYTES + calls * CALL_BYTES
    data = (
        f"in and out: (2 x {inputs.message_bytes} B + {MESSAGE_BYTES} B + {number(calls)} calls x "
        f"{CALL_BYTES} B) / 2^30 a message"
    )
    lines = [
        Line(f"{name} hours", hourly, "network", f"{inputs.sqs_path}_hour", fixed=zones * hours),
        Line(f"{name} data", data, "network", f"{inputs.sqs_path}_gb", per_message=moved / BYTES_PER_GB),
    ]
    if inputs.sqs_path == "nat":
        lines.append(Line(f"{name} addresses", hourly, "network", "public_ipv4_hour", fixed=zones * hours))
    return lines


def _calls_per_message(inputs: Inputs) -> float:
    """Calls a message, whatever they are billed as: sends, receives, deletes and empty receives."""
    return 1 / inputs.send_batch + 1 / received(inputs) + 1 / deleted(inputs) + (inputs.empty_receives or 0.0)
