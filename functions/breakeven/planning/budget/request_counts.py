"""Requests that a case's target is billed for, by what its workload does and by its batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from breakeven.planning.budget.durations import consume_rate, expected
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.sqs_lines import requests_per_message
from breakeven.targets.catalog import record_of
from breakeven.workload.case import SINGLY, Case, Workload


def requests_by_price(cases: Iterable[Case], count: Callable[[Case], float]) -> dict[str, float]:
    """Requests of the cases whose targets are billed for them, by the item that prices them."""
    found: dict[str, float] = {}
    for case in cases:
        if item := record_of(case.target).request_price:
            found[item] = found.get(item, 0.0) + count(case)
    return found


def sqs_requests(case: Case) -> float:
    """Requests billed for a case: three a message (more above 64 KiB, fewer in batches), and asks that come
    back empty.
    """
    work, messages = case.workload, expected(case.workload, case.target, "aws").messages
    each, loaded = requests_each(work, **_fills(work)), requests_each(work, **_full(work))
    return work.prefill * loaded + (messages - work.prefill) * each + _empty_asks(case)


def requests_each(workload: Workload, **calls: float) -> float:
    """Requests billed for a message, the mean over its sizes: messages of one size are taken to share calls.

    :param calls: messages of one call of each kind; 1 unless given
    """
    shares = workload.shares
    each = (requests_per_message(ask(message_bytes=share.bytes, **calls)) for share in shares)
    return sum(share.percent / 100 * requests for share, requests in zip(shares, each, strict=True))


def _fills(workload: Workload) -> dict[str, float]:
    """Messages a call. What comes by a rate fills a batch as far as it lingers; a receive is taken to find
    more than one message only where a queue was loaded before.
    """
    linger_s = workload.linger_ms / 1e3
    receive = float(workload.receive_batch) if workload.messages is not None else 1.0
    if workload.rate is None:
        return {
            **_full(workload),
            "receive_batch": receive,
            "delete_batch": min(receive, workload.delete_batch),
        }
    each = {"send_batch": workload.producers, "delete_batch": workload.consumers}
    fills = {
        name: min(float(getattr(workload, name)), 1 + workload.rate / workers * linger_s)
        for name, workers in each.items()
        if workers
    }
    return {"receive_batch": receive, **fills}


def _full(workload: Workload) -> dict[str, float]:
    """The same of what is loaded into a queue and found there."""
    receive = float(workload.receive_batch)
    return {
        "send_batch": float(workload.send_batch),
        "receive_batch": receive,
        "delete_batch": min(receive, workload.delete_batch),
    }


def _empty_asks(case: Case) -> float:
    """While messages are sent, consumers with nothing to receive go on asking; half a cycle is an ask.

    Each call that may be in flight asks for itself.
    """
    workload = case.workload
    if workload.messages is not None or not workload.consumers:
        return 0.0
    sending_s = workload.warmup_s + workload.measure_s
    asking = workload.consumers * workload.in_flight
    most = consume_rate(workload.model_copy(update=SINGLY), case.target, "aws")
    sent = expected(workload, case.target, "aws").messages / sending_s
    idle = max(0.0, 1 - sent / most)
    asks = 2 * most if workload.wait_s == 0 else asking / workload.wait_s
    return idle * asks * sending_s
