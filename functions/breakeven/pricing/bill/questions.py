"""Questions about money as rows: what ``queries/`` is asked about cost.

A question compares options under one set of inputs: SQS as it is used, SQS batched and long-polled, a cluster
of our own, and Amazon MQ. Beside it stand questions that vary it: the uncertain inputs at their ends (its
intervals), each input a quarter lower and higher (its sensitivity), and other instance types (its map).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from breakeven.errors import InputError
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.amazon_mq_lines import amazon_mq_lines, priced_types
from breakeven.pricing.bill.broker_lines import broker_lines
from breakeven.pricing.bill.cluster_capacity import Capacity, amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.consumption.consumer_lines import consumer_lines
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import Line, OwnPrice, OwnTier
from breakeven.pricing.bill.run_capacities import RunCapacity
from breakeven.pricing.bill.sqs_lines import batched, sqs_lines
from breakeven.pricing.cluster_form import cluster_name
from breakeven.pricing.prices.book import FREE_REQUEST, PriceBook
from breakeven.pricing.prices.broker_types import Form, broker_types

Purpose = Literal[
    "headline",
    "size",
    "cheaper",
    "board",
    "history",
    "interval",
    "sensitivity",
    "message-size",
    "empty-receives",
    "rate",
    "volume",
    "map",
    "pairs",
    "pairs-interval",
    "bill",
    "staffed",
    "staffed-interval",
    "staffed-receives",
]
#: of the questions that a report answers by themselves, in the order in which it does
SHOWN: tuple[Purpose, ...] = ("headline", "size", "history")
Side = Literal["sqs", "self-hosted", "amazon-mq", "bill"]
Row = dict[str, Any]

AS_USED, BATCHED, RABBITMQ = "sqs-as-used", "sqs-batched", "rabbitmq"
AMAZON_MQ, BILL = "amazon-mq", "sqs-bill"
#: ways of SQS by their names; the page of the report is given them, too
SQS_NAMES = {AS_USED: "SQS as used", BATCHED: "SQS batched and long-polled"}
MANAGED: dict[Form, str] = {"single": "Amazon MQ, one {0}", "cluster": "Amazon MQ cluster of {0}"}


@dataclass(frozen=True, slots=True)
class Option:
    """One bill of a question.

    :param messages_per_cluster: a month, as a mean; None: one cluster whatever the traffic
    """

    option_id: str
    side: Side
    label: str
    lines: tuple[Line, ...]
    messages_per_cluster: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Options under one set of inputs, at one book's prices.

    :param base_id: the question that this one varies; None: it varies none
    :param capacity: the run's whose capacity its cluster is priced with; None: no run's
    :param managed_capacity: the same of Amazon MQ beside it
    """

    question_id: str
    purpose: Purpose
    inputs: Inputs
    book: PriceBook
    options: tuple[Option, ...]
    base_id: str | None = None
    varied: str | None = None
    factor: float | None = None
    capacity: RunCapacity | None = None
    managed_capacity: RunCapacity | None = None

    def option_rows(self) -> list[Row]:
        """Rows of ``schemas.COST_OPTIONS``."""
        asked = self.inputs.msg_per_s
        return [
            {
                "question_id": self.question_id,
                "base_id": self.base_id or self.question_id,
                "purpose": self.purpose,
                "varied": self.varied,
                "factor": self.factor,
                "option_id": option.option_id,
                "side": option.side,
                "book": self.book.label,
                "label": option.label,
                "messages_per_cluster": option.messages_per_cluster,
                "hours_per_month": self.inputs.hours_per_month,
                "asked_messages": None if asked is None else asked * self.inputs.seconds_per_month,
                "hour_rate": self.inputs.hour_rate,
            }
            for option in self.options
        ]

    def item_rows(self) -> list[Row]:
        """Rows of ``schemas.COST_ITEMS``."""
        return [
            line.row(self.question_id, option.option_id, self._book_of(option, line))
            for option in self.options
            for line in option.lines
        ]

    def own_price_rows(self) -> list[Row]:
        """Rows of ``schemas.PRICES`` for the lines whose price no book has."""
        return [
            row
            for option in self.options
            for line in option.lines
            if line.own is not None
            for row in _own_price_rows(self._book_of(option, line), self.book, line, line.own)
        ]

    def price_rows(self, line: Line) -> list[Row]:
        """Rows of ``schemas.PRICES`` of one line, one a tier."""
        if line.own is not None:
            return _own_price_rows(self.book.label, self.book, line, line.own)
        return self.book.rows_of(line.service, line.item)

    def free_request_rows(self) -> list[Row]:
        """What says how many of SQS's requests are free, where the question deducts them."""
        deducts = self.inputs.free_tier and self.book.free_sqs_requests
        return self.book.rows_of(*FREE_REQUEST) if deducts else []

    def _book_of(self, option: Option, line: Line) -> str:
        return self.book.label if line.own is None else f"{self.question_id}/{option.option_id}"


def question(name: str, inputs: Inputs, book: PriceBook, *, size: str = "") -> Question:
    """SQS as used and batched, our own cluster, and Amazon MQ where its price is known.

    :param size: what the suite calls the cluster's machines, where it has several
    :raises InputError: a price that SQS or the cluster needs is not known
    """
    options = [*sqs_options(inputs, book), own_cluster(inputs, book, size=size)]
    options += [option for option, _ in [amazon_mq_option(inputs, book)] if option]
    return Question(name, "headline", inputs, book, tuple(options))


def priced_beside(inputs: Inputs, book: PriceBook) -> tuple[Inputs, tuple[str, ...]]:
    """The inputs without what the book cannot price beside, which is Amazon MQ alone; and why not."""
    _, why = amazon_mq_option(inputs, book)
    return (inputs.but(amazon_mq=None), (why,)) if why else (inputs, ())


def bill_question(name: str, inputs: Inputs, book: PriceBook, usd: float) -> Question:
    """At what traffic SQS, as used, bills ``usd`` a month: a bill of that sum stands for the other option.

    SQS's own lines only: neither alarms nor the clients' way to it stand on its bill.
    """
    given = OwnPrice("month", usd, "given with the question")
    bill = Line("bill", "what is paid for SQS now", "given", "sqs_bill", fixed=1, own=given)
    lines = _known(book, [line for line in sqs_lines(inputs, book) if line.service == "sqs"])
    options = (
        Option(AS_USED, "sqs", SQS_NAMES[AS_USED], lines),
        Option(BILL, "bill", "the SQS bill", (bill,)),
    )
    return Question(name, "bill", inputs, book, options)


def map_question(base: Question, capacities: dict[str, float]) -> Question:
    """The base question with a cluster of each instance type whose capacity is known, at equal service.

    Amazon MQ stands beside them where it is known how many hours it takes, as the map is one over hours.

    :param capacities: instance type -> messages a second of one cluster with one node down
    :raises InputError: a type is not known or has no price
    """
    inputs = base.inputs.but(hours=None)
    own = {inputs.instance: inputs.capacity_msg_per_s} | capacities
    clusters = [
        own_cluster(inputs.but(instance=name, capacity_msg_per_s=rate), base.book, option_id=name)
        for name, rate in own.items()
    ]
    sides = {"sqs"} if inputs.amazon_mq_hours is None else {"sqs", "amazon-mq"}
    others = [option for option in base.options if option.side in sides]
    return Question(
        f"{base.question_id}.map", "map", inputs, base.book, (*others, *clusters), base.question_id
    )


def own_cluster(inputs: Inputs, book: PriceBook, option_id: str = RABBITMQ, size: str = "") -> Option:
    """Our own brokers, in as many clusters as the traffic takes.

    :raises InputError: a price is not known
    """
    return Option(
        option_id,
        "self-hosted",
        cluster_name(inputs, f"{inputs.instance} ({size})" if size else inputs.instance),
        _known(book, [*broker_lines(inputs, book), *consumer_lines(inputs, book, "self-hosted")]),
        _per_cluster(capacity_of(inputs), inputs),
    )


def _per_cluster(capacity: Capacity, inputs: Inputs) -> float | None:
    """Messages a month."""
    mean = capacity.mean_msg_per_s
    return None if mean is None else mean * inputs.seconds_per_month


def sqs_options(inputs: Inputs, book: PriceBook) -> list[Option]:
    """SQS as used, and batched.

    :raises InputError: a price is not known
    """
    return [
        sqs_option(AS_USED, inputs, book),
        sqs_option(BATCHED, batched(inputs), book),
    ]


def sqs_option(option_id: str, inputs: Inputs, book: PriceBook, label: str = "") -> Option:
    """:param label: of an option that ``SQS_NAMES`` does not name"""
    lines = [*sqs_lines(inputs, book), *consumer_lines(inputs, book, "sqs")]
    return Option(option_id, "sqs", label or SQS_NAMES[option_id], _known(book, lines))


def amazon_mq_option(inputs: Inputs, book: PriceBook) -> tuple[Option | None, str | None]:
    """The option, or why there is none."""
    if inputs.amazon_mq is None:
        return None, None
    broker, form = broker_types()[inputs.amazon_mq], form_of(inputs.deployment)
    if broker.broker_type not in (types := priced_types(form, book)):
        item = f"{form}.{broker.broker_type}"
        reasons = [price.reason for price in book.prices if price.item == item]
        reason = next(iter(reasons), None) or f"no {item} is in {book.label}"
        there = f"{book.label} has prices of {', '.join(types)}" if types else f"{book.label} has none"
        return None, f"Amazon MQ is not priced beside: {reason}; {there}."
    lines = [*amazon_mq_lines(inputs, broker, book), *consumer_lines(inputs, book, "amazon-mq")]
    try:
        known = _known(book, lines)
    except InputError as error:
        return None, f"Amazon MQ is not priced beside: {error}"
    label = MANAGED[form].format(broker.broker_type)
    return Option(
        AMAZON_MQ, "amazon-mq", label, known, _per_cluster(amazon_mq_capacity(inputs), inputs)
    ), None


def _known(book: PriceBook, lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines that bill anything, once each of their prices is known.

    :raises InputError: the book has no such price, or it is null
    """
    billing = tuple(line for line in lines if line.bills)
    for line in billing:
        if line.own is None:
            book.known(line.service, line.item)
    return billing


def _own_price_rows(label: str, book: PriceBook, line: Line, own: OwnPrice) -> list[Row]:
    return [
        {
            "book": label,
            "region": book.region,
            "service": line.service,
            "item": line.item,
            "unit": own.unit,
            "tier_from": tier.start,
            "tier_to": tier.end,
            "usd": tier.usd,
            "source": own.source,
            "publisher": own.publisher,
            "as_of": book.as_of,
        }
        for tier in own.tiers or [OwnTier(0.0, None, own.usd)]
    ]


def price_books(questions: Sequence[Question]) -> list[str]:
    """Labels of the books that the questions are priced with, sorted."""
    return sorted({question.book.label for question in questions})
