"""Assumptions behind the figures of ``breakeven crossover``."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ, Question
from breakeven.pricing.bill.sqs_lines import batched, requests_per_message
from breakeven.pricing.bill.uncertainty import (
    BATCH_FILL,
    CAPACITY,
    EMPTY_RECEIVES,
    FILL_OF_BATCHED,
    LAMBDA_POLLING,
    MANAGED_CAPACITY,
    MANAGED_TRAFFIC,
    uncertain,
)
from breakeven.pricing.prices.price import Price
from breakeven.report.money.consumption.consumer_words import consumers, lambda_polling
from breakeven.report.money.measured_capacity import MeasuredCapacity
from breakeven.report.money.price_assumptions import amazon_mq, discounted, fifo_quota
from breakeven.report.money.priced.price_owners import LISTS, but_for


def assumptions(
    base: Question, measured: MeasuredCapacity | None, managed: MeasuredCapacity | None
) -> list[str]:
    """A sentence each.

    :param measured: the run's capacity, where the question took one
    :param managed: the same of Amazon MQ's brokers
    """
    inputs = base.inputs
    used, full = requests_per_message(inputs), requests_per_message(batched(inputs))
    free = f"{base.book.free_sqs_requests:,.0f} free a month" if inputs.free_tier else "none free"
    work = (
        "no staff time in them"
        if inputs.hours is None
        else f"{inputs.hours:g} hours of staff a month in those of RabbitMQ"
    )
    volume = "no volume" if inputs.volume == "none" else f"{inputs.volume_gb:g} GB of {inputs.volume} each"
    said = [
        f"SQS {inputs.queue}: {used:.3g} requests a message as used, {full:.3g} in {_full(inputs)} with long "
        f"polls; {free}",
        *fifo_quota(inputs, base.book.region),
        f"{words.plural(inputs.nodes, 'node')} over {words.plural(inputs.zones, 'zone')}, {volume}, "
        f"{inputs.commitment}; {inputs.node_metrics:g} metrics, {inputs.node_alarms:g} alarms a node",
        consumers(inputs),
        f"{LISTS} before tax, as shipped, not asked of AWS today"
        f"{but_for(_prices(base))}{discounted(inputs)}; {work}",
    ]
    unsure = list(uncertain(inputs))
    if unsure:
        ends = _ends(inputs, measured, managed)
        said.append(f"Intervals: {', '.join(ends[name] for name in unsure)}{_as_listed(base)}")
    if any(option.option_id == AMAZON_MQ for option in base.options):
        said.append(amazon_mq(inputs))
    return [*said, *capacity_of(inputs).notes]


def _prices(base: Question) -> list[Price]:
    """Those of the book that the options are billed with, or by what is derived from them, each once."""
    lines = [line for option in base.options for line in option.lines]
    derived = [line.own.derived_from for line in lines if line.own and line.own.derived_from]
    own = [base.book.price(line.service, line.item) for line in lines if not line.own]
    found = {(price.service, price.item): price for price in (*own, *derived)}
    return [found[key] for key in sorted(found)]


def _as_listed(base: Question) -> str:
    """That the price of Amazon MQ, which may be third parties', is in no interval."""
    if all(option.option_id != AMAZON_MQ for option in base.options):
        return ""
    return "; the price of Amazon MQ's brokers is taken as listed (--amazon-mq-discount asks with another)"


def _full(inputs: Inputs) -> str:
    """'full batches'; 'batches 80% full'."""
    return "full batches" if inputs.batch_fill is None else f"batches {inputs.batch_fill:.0%} full"


def _ends(
    inputs: Inputs, measured: MeasuredCapacity | None, managed: MeasuredCapacity | None
) -> dict[str, str]:
    """Of each uncertain input."""
    fill = f"{BATCH_FILL[0]:.0%} to {BATCH_FILL[1]:.0%} full"
    return {
        "empty receives": f"empty receives from {EMPTY_RECEIVES[0]:g} to {EMPTY_RECEIVES[1]:g} a message",
        "batch fill": f"calls {fill}",
        LAMBDA_POLLING: lambda_polling(inputs),
        FILL_OF_BATCHED: f"calls of SQS batched {fill}",
        "capacity": f"capacity {_capacity_ends(measured)}",
        MANAGED_CAPACITY: f"Amazon MQ's capacity {_capacity_ends(managed)}",
        MANAGED_TRAFFIC: "traffic between Amazon MQ's brokers at nothing to the price across zones",
    }


def _capacity_ends(measured: MeasuredCapacity | None) -> str:
    """Those that were measured; of another's capacity a part less and more."""
    return measured.interval.describe() if measured else f"times {CAPACITY[0]:g} to {CAPACITY[1]:g}"
