"""Inputs of a question that are not known, and the ends between which each of them lies."""

from __future__ import annotations

from typing import Any

from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.consumption.receiving import polls_ends
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.pricing.bill.sqs_lines import best_of_lambda

#: empty receives a message where they are not known: none, to one for each message (a queue that is polled
#: faster than it fills)
EMPTY_RECEIVES = (0.0, 1.0)
#: of the batch that was asked for, and of that of SQS batched, how full calls may be on average
BATCH_FILL = (0.5, 1.0)
#: of a capacity that was given or printed: another workload, or another's machine, will have
CAPACITY = (0.75, 1.25)
#: of the price across zones, for traffic between Amazon MQ's own brokers where its charge is not known
INTER_NODE = (0.0, 1.0)
BATCHES = ("send_batch", "receive_batch", "delete_batch")
MANAGED_CAPACITY, MANAGED_TRAFFIC = "Amazon MQ's capacity", "traffic between Amazon MQ's brokers"
FILL_OF_BATCHED, LAMBDA_POLLING = "batch fill of SQS batched", "Lambda's polling"
#: option -> the uncertain inputs that move its bill
MOVING: dict[str, frozenset[str]] = {
    AS_USED: frozenset({"empty receives", "batch fill", LAMBDA_POLLING}),
    # it keeps the batches that were asked for where they cost less, and these are filled no better
    BATCHED: frozenset({"batch fill", FILL_OF_BATCHED, LAMBDA_POLLING}),
    RABBITMQ: frozenset({"capacity"}),
    AMAZON_MQ: frozenset({MANAGED_CAPACITY, MANAGED_TRAFFIC}),
}
#: options that a question compares with those of the other group, and not with one another
GROUPS = ({AS_USED, BATCHED}, {RABBITMQ, AMAZON_MQ})
Changes = dict[str, Any]


def inputs_moving(*options: str) -> frozenset[str]:
    """Names of the uncertain inputs that move the bill of one of the options."""
    return frozenset().union(*(MOVING.get(option, frozenset()) for option in options))


def inputs_of_others(option: str) -> frozenset[str]:
    """Those that move only the bills of options with which this one is not compared."""
    group: set[str] = next((group for group in GROUPS if option in group), set())
    return inputs_moving(*(group - {option})) - inputs_moving(option)


def uncertain(inputs: Inputs) -> dict[str, list[Changes]]:
    """Name of each uncertain input -> what it changes at either end."""
    found: dict[str, list[Changes]] = {}
    if inputs.empty_receives is None and inputs.consumer is None:
        found["empty receives"] = [{"empty_receives": end} for end in EMPTY_RECEIVES]
    # what Lambda receives is uncertain by itself
    batches = BATCHES[:1] if inputs.consumer == "lambda" else BATCHES
    if any(getattr(inputs, batch) > 1 for batch in batches):
        # the question's own end first: with it stand the options that this does not move
        found["batch fill"] = [
            {batch: max(1.0, getattr(inputs, batch) * fill) for batch in batches}
            for fill in reversed(BATCH_FILL)
        ]
    if changes := _lambda_polling(inputs):
        found[LAMBDA_POLLING] = changes
    if ends := _fill_ends(inputs):
        found[FILL_OF_BATCHED] = [{"batch_fill": end} for end in ends]
    if own := capacity_ends(inputs):
        found["capacity"] = [{"capacity_msg_per_s": end} for end in own]
    if inputs.amazon_mq and brokers_of(inputs.deployment) > 1 and inputs.amazon_mq_inter_node is None:
        found[MANAGED_TRAFFIC] = [{"amazon_mq_inter_node": end} for end in INTER_NODE]
    if managed := amazon_mq_ends(inputs):
        found[MANAGED_CAPACITY] = [{"amazon_mq_capacity_msg_per_s": end} for end in managed]
    return found


def _lambda_polling(inputs: Inputs) -> list[Changes]:
    """From the least requests to the most: what its receives bring, and how often it asks idle queues."""
    if inputs.consumer != "lambda":
        return []
    least: Changes = {}
    most: Changes = {}
    if inputs.lambda_receives is None and (best := best_of_lambda(inputs)) > 1:
        least["lambda_receives"], most["lambda_receives"] = float(best), 1.0
    if inputs.lambda_polls_per_s is None and inputs.empty_receives is None:
        least["lambda_polls_per_s"], most["lambda_polls_per_s"] = polls_ends(inputs)
    return [least, most] if least else []


def _fill_ends(inputs: Inputs) -> tuple[float, ...]:
    """Half full and full where it is not known; of one that was measured the interval's."""
    if inputs.batch_fill is None:
        return BATCH_FILL
    low, high = inputs.batch_fill_low, inputs.batch_fill_high
    return (low, high) if low is not None and high is not None and low < high else ()


def capacity_ends(inputs: Inputs) -> tuple[float | None, ...]:
    """The interval's, where the capacity was measured; where no upper end was found, none is stated: whatever
    else limits a cluster is left.
    """
    return _ends(inputs.capacity_msg_per_s, inputs.capacity_low_msg_per_s, inputs.capacity_high_msg_per_s)


def amazon_mq_ends(inputs: Inputs) -> tuple[float | None, ...]:
    """The same of Amazon MQ; none where it is not beside the question."""
    if inputs.amazon_mq is None:
        return ()
    return _ends(
        inputs.amazon_mq_capacity_msg_per_s, inputs.amazon_mq_low_msg_per_s, inputs.amazon_mq_high_msg_per_s
    )


def _ends(stated: float | None, low: float | None, high: float | None) -> tuple[float | None, ...]:
    if stated is None:
        return ()
    if low is None:
        return tuple(stated * end for end in CAPACITY)
    return low, high
