"""Budget of a plan on AWS: the run's own ``max_usd``, and what its deployment allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.budget.estimate import Estimate
from breakeven.planning.budget.request_counts import requests_by_price, requests_each, sqs_requests
from breakeven.planning.refusal import Refusal, origin
from breakeven.pricing.prices.book import PriceBook
from breakeven.targets.catalog import record_of
from breakeven.targets.records.sqs_records import SQS_CALL_MS
from breakeven.workload.case import Case, Workload
from breakeven.workload.rate_profile import rate_profile
from breakeven.workload.suite import Suite

#: A call takes SQS 5 ms at least (assumed; the boto3 calls of 2012 and today's take 10 to 20), so that no
#: worker makes more than 200 a second for each that it keeps going.
CALLS_EACH_PER_S = 200.0
#: how many times the estimate a run may cost: tests hold it to a computation by hand, within a quarter
MARGIN = 1.25
UNRAISED = "only a new deployment raises this"


def refusals(
    suite: Suite,
    cases: Sequence[Case],
    expected: Estimate,
    book: PriceBook,
    max_usd: float,
    allowance: Allowance,
) -> Iterator[Refusal]:
    """Every reason of money why the cases may not run on AWS."""
    yield from _too_dear(expected, at_most(cases, expected, book), max_usd)
    yield from _too_much_sqs(cases, book, allowance)
    yield from _too_fast(suite, cases, allowance)


def sqs_requests_at_most(case: Case) -> float:
    """Requests that a case on SQS could be billed for, however fast the service is and whatever is lost.

    Once queues are loaded, workers send and ask as fast as calls go; asks go on to the drain's deadline and
    find nothing.
    """
    if not record_of(case.target).request_price:
        return 0.0
    work = case.workload
    chunks = (requests_each(work) - 1) / 2
    sends = _sends_at_most(work)
    asking_s = work.drain_s if work.messages is not None else work.warmup_s + work.measure_s + work.drain_s
    asking = work.consumers
    if not asking:  # producers receive what they have sent once the measured stage is over
        asking, asking_s = work.producers, work.drain_s
    empty = asking * work.in_flight * asking_s * (1 / work.wait_s if work.wait_s else CALLS_EACH_PER_S)
    return sends * chunks + sends * chunks + sends + empty


def at_most(cases: Sequence[Case], expected: Estimate, book: PriceBook) -> float:
    """Dollars that the run may be taken to cost where the estimate errs: a quarter more of everything, and
    the requests of closed loops on an SQS that answers twice as fast as is assumed.
    """
    faster = CALLS_EACH_PER_S * SQS_CALL_MS / 1000 - 1
    closed = [
        case.model_copy(update={"workload": case.workload.model_copy(update={"prefill": 0})})
        for case in cases
        if not (case.workload.is_open or case.workload.messages is not None)
    ]
    requests = requests_by_price(closed, lambda case: faster * sqs_requests(case))
    return MARGIN * expected.usd + _cost(requests, book)


def _cost(requests: dict[str, float], book: PriceBook) -> float:
    """Dollars of requests by their item; what has no price adds nothing."""
    prices = ((book.price("sqs", item), number) for item, number in requests.items())
    return sum(price.cost(number) for price, number in prices if price.usd is not None)


def _sends_at_most(work: Workload) -> float:
    if work.messages is not None:
        return work.messages
    sending_s = work.warmup_s + work.measure_s
    if work.is_open:
        return work.prefill + rate_profile(work).integral(sending_s)
    return work.prefill + work.producers * work.in_flight * CALLS_EACH_PER_S * sending_s


def _too_dear(expected: Estimate, most_usd: float, max_usd: float) -> Iterator[Refusal]:
    if expected.unpriced:
        lacking = f"{expected.price_book} has no price of {', '.join(expected.unpriced)}"
        remedy = f"cannot be checked: {lacking}; plan with another region's book"
        yield Refusal(case_id=None, field="max_usd", value=max_usd, remedy=remedy)
    elif most_usd > max_usd:
        cost = f"the run would cost about {expected.in_words()}, and up to ${most_usd:.{expected.digits}f}"
        remedy = f"{cost} where the estimate errs; raise it, or run fewer or shorter cases"
        yield Refusal(case_id=None, field="max_usd", value=max_usd, remedy=remedy)


def _too_much_sqs(cases: Sequence[Case], book: PriceBook, allowance: Allowance) -> Iterator[Refusal]:
    requests = requests_by_price(cases, sqs_requests_at_most)
    usd = _cost(requests, book)
    if usd > allowance.max_sqs_usd:
        cost = f"the run's SQS requests could cost ${usd:.2f} ({sum(requests.values()):,.0f} at most)"
        remedy = (
            f"{cost}; run fewer or shorter cases or fewer threads; {UNRAISED} (-c breakeven:max_sqs_usd=...)"
        )
        yield Refusal(case_id=None, field="deployed.max_sqs_usd", value=allowance.max_sqs_usd, remedy=remedy)


def _too_fast(suite: Suite, cases: Sequence[Case], allowance: Allowance) -> Iterator[Refusal]:
    most = allowance.max_msg_per_s
    for case in cases:
        rate = max((case.workload.rate or 0.0, *(step.value for step in case.workload.profile)))
        if rate > most:
            allowed = f"this deployment allows {most:g} msg/s"
            remedy = f"{allowed}; ask for less; {UNRAISED} (-c breakeven:max_msg_per_s=...)"
            yield Refusal(case_id=case.case_id, field=_asked(suite, case), value=rate, remedy=remedy)


def _asked(suite: Suite, case: Case) -> str:
    """The field that asks for the case's highest rate."""
    if any(step.value > (case.workload.rate or 0.0) for step in case.workload.profile):
        return f"scenarios.{case.scenario}.profile"
    return origin(suite, case.scenario, "rate")
