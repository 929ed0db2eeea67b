"""Receives of SQS' consumers: what a receive brings, and how often idle queues are asked.

Containers are the asker's own, and receive as the question says. Of Lambda's own receives the documentation
gives bounds alone.
"""

from __future__ import annotations

from breakeven.pricing.bill.consumers import Consumers, payload_fits
from breakeven.pricing.bill.inputs import MAX_BATCH, Inputs

#: pollers of a mapping that was given none: five at a time, of which two are left where traffic is low
#: ("Configuring scaling behavior for SQS event source mappings", AWS Lambda Developer Guide)
IDLE_POLLERS, MOST_POLLERS = 2, 5
#: seconds that a receive of Lambda waits: it has long polls, whose wait is taken to be SQS's longest
LAMBDA_WAIT_S = 20.0
#: polls a second of a provisioned poller, and batches that it has at a time, both at most (the same page)
MOST_POLLS_PER_S, MOST_AT_A_TIME = 10.0, 10


def most_received(inputs: Inputs) -> int:
    """Messages that a receive of Lambda brings at most: what goes into one invocation, and ten."""
    return min(MAX_BATCH, inputs.lambda_batch, payload_fits("sqs", inputs.message_bytes))


def received(inputs: Inputs) -> float:
    """Messages that a receive brings on average."""
    return _of_lambda(inputs, inputs.receive_batch)


def deleted(inputs: Inputs) -> float:
    """Messages of a call that deletes. Lambda deletes what it received; no source says in what calls."""
    return _of_lambda(inputs, inputs.delete_batch)


def _of_lambda(inputs: Inputs, asked: float) -> float:
    """What was asked for, where the calls are not Lambda's own, or not known."""
    if inputs.consumer != "lambda":
        return asked
    return min(most_received(inputs), asked if inputs.lambda_receives is None else inputs.lambda_receives)


def at_a_time(inputs: Consumers) -> int:
    """Batches of a queue that Lambda has in hand beside each other, at most, while it keeps up."""
    return MOST_AT_A_TIME * inputs.lambda_pollers or MOST_POLLERS


def polls_per_s(inputs: Consumers) -> float:
    """Receives a second of one idle queue."""
    if inputs.consumer != "lambda":
        return inputs.containers / inputs.poll_wait_s
    if inputs.lambda_polls_per_s is not None:
        return inputs.lambda_polls_per_s
    return (inputs.lambda_pollers or MOST_POLLERS) / LAMBDA_WAIT_S


def polls_ends(inputs: Consumers) -> tuple[float, float]:
    """Of the polls a second of Lambda's, where they are not given."""
    if inputs.lambda_pollers:
        return inputs.lambda_pollers / LAMBDA_WAIT_S, inputs.lambda_pollers * MOST_POLLS_PER_S
    return IDLE_POLLERS / LAMBDA_WAIT_S, MOST_POLLERS / LAMBDA_WAIT_S
