"""The bill of what takes the messages from the queue: containers that ask for them, or Lambda.

Of a question that names no consumer there is no line: it is of the queue only.
"""

from __future__ import annotations

from breakeven.pricing.bill.consumers import Queue, in_base64
from breakeven.pricing.bill.consumption.invocations import invocation_lines
from breakeven.pricing.bill.consumption.receiving import polls_per_s
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import BYTES_PER_GB, Line, number
from breakeven.pricing.prices.book import PriceBook

#: a mapping of a private broker calls Lambda and Secrets Manager ("Process Amazon MQ messages with Lambda",
#: AWS Lambda Developer Guide)
MAPPING_ENDPOINTS = 2


def idle_polls(inputs: Inputs) -> tuple[float, str]:
    """Receives a month that find SQS's queues empty: as many as queues without messages have.

    Answers with the formula; (0, "") where no consumer is named, or SQS's own number is given.
    """
    if inputs.consumer is None or inputs.empty_receives is not None:
        return 0.0, ""
    queues, per_s = inputs.consumer_queues, polls_per_s(inputs)
    hours = number(inputs.hours_per_month)
    counted = f"{queues} {'queue' if queues == 1 else 'queues'}"
    formula = f"; idle polls {counted} x {number(per_s)} a second x {hours} h x 3,600"
    return queues * per_s * inputs.seconds_per_month, formula


def consumer_lines(inputs: Inputs, book: PriceBook, queue: Queue) -> list[Line]:
    """Every line of the consumers' bill; none where the question names no consumer.

    :raises InputError: the price of a request of Lambda's is not known
    """
    if inputs.consumer is None:
        return []
    if inputs.consumer == "containers":
        return _containers(inputs, "containers")
    lines = invocation_lines(inputs, book, queue)
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
    sent = in_base64(inputs.message_bytes)
    data = f"{inputs.message_bytes} B, in base64 {sent} B / 2^30 a message"
    gb = sent / BYTES_PER_GB
    return [
        Line("mapping's endpoints, hours", hourly, "network", "endpoint_hour", fixed=count * hours),
        Line("mapping's endpoints, data", data, "network", "endpoint_gb", per_message=gb),
    ]
