"""Invocations of a Lambda function, and their time: how many messages come into one, and what it is billed.

An invocation goes when its window has passed, its batch is full or its payload is; messages are taken to come
evenly. Sources: CreateEventSourceMapping (botocore 1.44.5); "Process Amazon SQS messages with Lambda" and
"Using Lambda with Amazon MQ", AWS Lambda Developer Guide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isclose

from breakeven.pricing.bill.consumers import Queue, payload_fits
from breakeven.pricing.bill.consumption.receiving import at_a_time, received
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import Line, OwnPrice, OwnTier, number
from breakeven.pricing.prices.book import PriceBook

#: of a mapping of Amazon MQ that was given none
BROKER_WINDOW_S = 0.5
MB_PER_GB = 1024.0
MS_PER_S = 1000.0
#: a part of a millisecond that is the arithmetic's
EXACT = 1e-9


@dataclass(frozen=True, slots=True)
class Batches:
    """How messages come into invocations.

    :param size: messages of an invocation: as many as a receive brings, or at most, where there are windows
    :param window_s: seconds; 0: nothing is gathered
    :param at_a_time: batches of a queue that are gathered beside each other
    :param windows: a month, all together
    """

    size: float
    window_s: float = 0.0
    at_a_time: int = 0
    windows: float = 0.0

    def describe(self) -> str:
        """For a formula."""
        if not self.windows:
            return f"1 / {number(self.size)} a message (no window: those that come together)"
        return (
            f"1 a message up to {number(self.windows)} messages a month, one each window of "
            f"{number(self.window_s)} s; none more up to {number(self.windows * self.size)}; from there "
            f"1 / {number(self.size)}"
        )


def batches(inputs: Inputs, queue: Queue) -> Batches:
    """Of brokers of one's own, containers are taken to gather as a mapping of Amazon MQ does."""
    most = min(inputs.lambda_batch, payload_fits(queue, inputs.message_bytes))
    if queue == "sqs":
        return _gathered(inputs, most, 0, at_a_time(inputs), received(inputs))
    # a mapping of RabbitMQ has one environment, which ends an invocation before the next
    return _gathered(inputs, most, BROKER_WINDOW_S, 1, 1.0)


def _gathered(inputs: Inputs, most: int, unasked_s: float, many: int, single: float) -> Batches:
    """:param many: batches that are gathered at a time
    :param single: messages of an invocation that gathers none
    """
    window_s = unasked_s if inputs.lambda_window_s is None else inputs.lambda_window_s
    if not window_s:
        return Batches(single)
    windows = inputs.consumer_queues * many * inputs.seconds_per_month / window_s
    return Batches(most, window_s, many, windows)


def invocation_lines(inputs: Inputs, book: PriceBook, queue: Queue) -> list[Line]:
    """Requests and GB-seconds.

    :raises InputError: the price of one is not known
    """
    found = batches(inputs, queue)
    return [_requests(found, book), _duration(inputs, found, book)]


def _requests(found: Batches, book: PriceBook) -> Line:
    return _by_batches("invocations", "request", found, book, found.describe(), lambda _: 1.0)


def _duration(inputs: Inputs, found: Batches, book: PriceBook) -> Line:
    gb = inputs.lambda_memory_mb / MB_PER_GB
    formula = (
        f"{number(inputs.lambda_ms)} ms a message, of an invocation's {number(found.size)} together rounded "
        f"up to 1 ms, x {inputs.lambda_memory_mb} MB / 1,024"
    )
    return _by_batches(
        "duration",
        "gb_second_arm",
        found,
        book,
        formula,
        lambda messages: billed_ms(inputs, messages) / MS_PER_S * gb,
    )


def billed_ms(inputs: Inputs, messages: float) -> int:
    """Of one invocation: begun milliseconds count whole (AWS Lambda pricing)."""
    return ceil(inputs.lambda_ms * messages - EXACT)


def _by_batches(
    name: str, item: str, found: Batches, book: PriceBook, formula: str, units: Callable[[float], float]
) -> Line:
    """A line of what each invocation takes.

    With windows it is a price of a message with three tiers: below one message a window each has an
    invocation of its own; from there to a full batch a window these grow; above that more of them are full.

    :param units: of the price, of an invocation of so many messages
    """
    first, full = units(1.0), units(found.size)
    if not found.windows or isclose(full, first * found.size):
        return Line(name, formula, "lambda", item, per_message=full / found.size)
    price = book.known("lambda", item)
    usd = price.cost(1.0)
    one_each, all_full = found.windows, found.windows * found.size
    tiers = (
        OwnTier(0.0, one_each, usd * first),
        OwnTier(one_each, all_full, usd * (full - first) / (found.size - 1)),
        OwnTier(all_full, None, usd * full / found.size),
    )
    source = (
        f"{price.source}; of a message, by batches of {number(found.size)} and a window of "
        f"{number(found.window_s)} s, at the price of the first {price.unit.replace('_', ' ')}"
    )
    own = OwnPrice("message", usd * first, source, tiers, price)
    return Line(name, formula, "lambda", f"{item} by batch and window", per_message=1, own=own)


def most_mapped_msg_per_s(inputs: Inputs) -> float:
    """What a mapping of RabbitMQ carries in full batches: one environment at a time for each queue ("Using
    Lambda with Amazon MQ", AWS Lambda Developer Guide).
    """
    size = batches(inputs, "amazon-mq").size
    return inputs.consumer_queues * MS_PER_S * size / billed_ms(inputs, size)
