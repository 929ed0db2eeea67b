"""The bill of what takes the messages from the queue: containers that ask for them, or Lambda.

Of a question that names no consumer there is no line: it is of the queue only.
"""

from __future__ import annotations

from typing import Literal

from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import BYTES_PER_GB, Line, OwnPrice, OwnTier, number
from breakeven.pricing.prices.book import PriceBook

Queue = Literal["sqs", "self-hosted", "amazon-mq"]
#: seconds that Lambda's own receives wait ("Using Lambda with Amazon SQS", AWS Lambda Developer Guide: long
#: polling, with five parallel connections until messages come)
LAMBDA_WAIT_S, LAMBDA_POLLERS = 20.0, 5
#: a mapping of a private broker calls Lambda and Secrets Manager ("Process Amazon MQ messages with Lambda",
#: the same guide)
MAPPING_ENDPOINTS = 2
MB_PER_GB = 1024.0
MS_PER_S = 1000.0


def idle_polls(inputs: Inputs) -> tuple[float, str]:
    """Receives a month that find SQS's queues empty, at most: as many as queues without messages have.

    Answers with the formula; (0, "") where no consumer is named, or SQS's own number is given.
    """
    if inputs.consumer is None or inputs.empty_receives is not None:
        return 0.0, ""
    pollers, wait_s = inputs.containers, inputs.poll_wait_s
    if inputs.consumer == "lambda":
        pollers, wait_s = float(inputs.lambda_pollers or LAMBDA_POLLERS), LAMBDA_WAIT_S
    queues = inputs.consumer_queues
    formula = (
        f"; idle polls at most {queues} queues x {number(pollers)} pollers x "
        f"{number(inputs.hours_per_month)} h x 3,600 / {number(wait_s)} s"
    )
    return queues * pollers * inputs.seconds_per_month / wait_s, formula


def consumer_lines(inputs: Inputs, book: PriceBook, queue: Queue) -> list[Line]:
    """Every line of the consumers' bill; none where the question names no consumer.

    :raises InputError: the price of a request of Lambda's is not known
    """
    if inputs.consumer is None:
        return []
    if inputs.consumer == "containers":
        return _containers(inputs, "containers")
    lines = [_invocations(inputs, book, queue), _duration(inputs)]
    if queue == "sqs":
        return [*lines, _pollers(inputs)]
    # a mapping takes a broker of Amazon MQ and none of one's own: something must hand the messages on
    return [*lines, *(_mapping(inputs) if queue == "amazon-mq" else _containers(inputs, "forwarders"))]


def _containers(inputs: Inputs, name: str) -> list[Line]:
    """Fargate on ARM, the same number at every rate."""
    count, hours = inputs.containers, inputs.hours_per_month
    return [
        Line(
            f"{name}, {what}",
            f"{number(count)} x {number(each)} {unit} x {number(hours)} h",
            "fargate",
            item,
            fixed=count * each * hours,
        )
        for what, unit, each, item in (
            ("processors", "vCPU", inputs.container_vcpu, "vcpu_hour_arm"),
            ("memory", "GB", inputs.container_gb, "gb_hour_arm"),
        )
    ]


def _invocations(inputs: Inputs, book: PriceBook, queue: Queue) -> Line:
    """One for each message or batch; with a window as many as there can be at most.

    It ends with its window, or once its batch is full: below one message a window each has its own, from
    there to a full batch a window there is one a window, and above that one a batch. As a price of a message
    that has three tiers.
    """
    batch, window_s = inputs.lambda_batch, inputs.lambda_window_s
    if not window_s:
        each = min(batch, inputs.receive_batch) if queue == "sqs" else 1.0
        formula = f"1 / {number(each)} a message (no window: what one receive brings)"
        return Line("invocations", formula, "lambda", "request", per_message=1 / each)
    price = book.known("lambda", "request")
    usd = price.cost(1.0)
    windows = inputs.consumer_queues * inputs.seconds_per_month / window_s
    tiers = (
        OwnTier(0.0, windows, usd),
        OwnTier(windows, windows * batch, 0.0),
        OwnTier(windows * batch, None, usd / batch),
    )
    source = f"{price.source}; of a message, by batches of {batch} and a window of {number(window_s)} s"
    formula = (
        f"1 a message up to {number(windows)} messages a month, one each window; none more up to "
        f"{number(windows * batch)}; from there 1 / {batch}"
    )
    own = OwnPrice("message", usd, source, tiers)
    return Line("invocations", formula, "lambda", "request by batch and window", per_message=1, own=own)


def _duration(inputs: Inputs) -> Line:
    gb, seconds = inputs.lambda_memory_mb / MB_PER_GB, inputs.lambda_ms / MS_PER_S
    return Line(
        "duration",
        f"{number(inputs.lambda_ms)} ms a message x {inputs.lambda_memory_mb} MB / 1,024",
        "lambda",
        "gb_second_arm",
        per_message=seconds * gb,
    )


def _pollers(inputs: Inputs) -> Line:
    """Those that a mapping has to itself; its own otherwise cost nothing but their requests."""
    count = inputs.consumer_queues * inputs.lambda_pollers
    formula = (
        f"{inputs.consumer_queues} queues x {inputs.lambda_pollers} x {number(inputs.hours_per_month)} h"
    )
    hours = count * inputs.hours_per_month
    return Line("provisioned pollers", formula, "lambda", "sqs_poller_hour", fixed=hours)


def _mapping(inputs: Inputs) -> list[Line]:
    """The interface endpoints of a mapping's way from a private broker to Lambda, and what passes them."""
    count, hours = MAPPING_ENDPOINTS * inputs.client_zones, inputs.hours_per_month
    hourly = f"{MAPPING_ENDPOINTS} endpoints x {inputs.client_zones} zones x {number(hours)} h"
    data = f"{inputs.message_bytes} B / 2^30 a message"
    gb = inputs.message_bytes / BYTES_PER_GB
    return [
        Line("mapping's endpoints, hours", hourly, "network", "endpoint_hour", fixed=count * hours),
        Line("mapping's endpoints, data", data, "network", "endpoint_gb", per_message=gb),
    ]


def most_mapped_msg_per_s(inputs: Inputs) -> float:
    """What a mapping of RabbitMQ carries: one environment at a time for each queue ("Using Lambda with Amazon
    MQ", AWS Lambda Developer Guide), each message for its own time.
    """
    return inputs.consumer_queues * MS_PER_S / inputs.lambda_ms
