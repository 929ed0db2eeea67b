"""Questions about money as rows: what ``queries/`` is asked about cost.

A question compares options under one set of inputs: SQS as it is used, SQS batched and long-polled, a cluster
of our own, and Amazon MQ. Beside it stand questions that vary it: the uncertain inputs at their ends (its
intervals), each input a quarter lower and higher (its sensitivity), and other instance types (its map).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from breakeven.errors import InputError
from breakeven.pricing.bill.broker_lines import amazon_mq_lines, broker_lines
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.lines import Line, OwnPrice
from breakeven.pricing.bill.sqs_lines import batched, sqs_lines
from breakeven.pricing.prices.book import FREE_REQUEST, PriceBook, load_book

Purpose = Literal[
    "headline",
    "size",
    "history",
    "interval",
    "sensitivity",
    "message-size",
    "empty-receives",
    "rate",
    "map",
    "bill",
]
#: of the questions that a report answers by themselves, in the order in which it does
SHOWN: tuple[Purpose, ...] = ("headline", "size", "history")
Side = Literal["sqs", "self-hosted", "amazon-mq", "bill"]
Row = dict[str, Any]

AS_USED, BATCHED, RABBITMQ, AMAZON_MQ, BILL = (
    "sqs-as-used",
    "sqs-batched",
    "rabbitmq",
    "amazon-mq",
    "sqs-bill",
)
ARTICLE_BOOK = "2012-12"
ARTICLE_INSTANCE = "m1.small"
DEPLOYMENTS = {
    "single": "RabbitMQ on one {0}",
    "pair": "RabbitMQ pair of {0}",
    "trio": "RabbitMQ trio of {0}",
}


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
    """

    question_id: str
    purpose: Purpose
    inputs: Inputs
    book: PriceBook
    options: tuple[Option, ...]
    base_id: str | None = None
    varied: str | None = None
    factor: float | None = None

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
            _own_price_row(self._book_of(option, line), self.book, line, line.own)
            for option in self.options
            for line in option.lines
            if line.own is not None
        ]

    def price_rows(self, line: Line) -> list[Row]:
        """Rows of ``schemas.PRICES`` of one line, one a tier."""
        if line.own is not None:
            return [_own_price_row(self.book.label, self.book, line, line.own)]
        return self.book.rows_of(line.service, line.item)

    def free_request_rows(self) -> list[Row]:
        """What says how many of SQS's requests are free, where the question deducts them."""
        deducts = self.inputs.free_tier and self.book.free_sqs_requests
        return self.book.rows_of(*FREE_REQUEST) if deducts else []

    def _book_of(self, option: Option, line: Line) -> str:
        return self.book.label if line.own is None else f"{self.question_id}/{option.option_id}"


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions with the rows that put them; ``notes`` say what was left out and why."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = field(default=())

    def rows(self) -> dict[str, list[Row]]:
        """Rows by table: cost_options, cost_items, prices."""
        books = {question.book.label: question.book for question in self.questions}
        prices = [row for book in books.values() for row in book.rows()]
        prices += [row for question in self.questions for row in question.own_price_rows()]
        return {
            "cost_options": [row for question in self.questions for row in question.option_rows()],
            "cost_items": [row for question in self.questions for row in question.item_rows()],
            "prices": prices,
        }

    def prices(self) -> list[Row]:
        """Rows of ``schemas.PRICES`` that the questions which a report answers are priced with, each once.

        A price of a question's own stands under the label of its book.
        """
        shown = [question for question in self.questions if question.purpose in (*SHOWN, "map")]
        used = {
            (question.book.label, line.service, line.item): row
            for question in shown
            for option in question.options
            for line in option.lines
            for row in [question.price_rows(line)]
        }
        free = {question.book.label: question.free_request_rows() for question in shown}
        return [row for rows in (*used.values(), *free.values()) for row in rows]

    def to_json(self) -> dict[str, Any]:
        """What a report says of the questions beside their answers: JSON, by question."""
        shown = [question for question in self.questions if question.purpose in SHOWN]
        return {
            "notes": list(self.notes),
            "prices": self.prices(),
            "sizes": [
                {
                    "question_id": question.question_id,
                    "base_id": question.base_id,
                    "message_bytes": question.inputs.message_bytes,
                    "zones": question.inputs.zones,
                }
                for question in self.questions
                if question.purpose == "message-size"
            ],
            "empty_receives": [
                {
                    "question_id": question.question_id,
                    "base_id": question.base_id,
                    "per_message": question.inputs.empty_receives,
                }
                for question in self.questions
                if question.purpose == "empty-receives"
            ],
            "rates": {
                question.question_id: question.inputs.message_bytes
                for question in self.questions
                if question.purpose == "rate"
            },
            "questions": [
                {
                    "question_id": question.question_id,
                    "purpose": question.purpose,
                    "book": question.book.label,
                    "inputs": question.inputs.model_dump(mode="json"),
                    "options": {option.option_id: option.label for option in question.options},
                    "capacity": capacity_of(question.inputs).describe(),
                    "capacity_notes": list(capacity_of(question.inputs).notes),
                    "capacity_mean_msg_per_s": capacity_of(question.inputs).mean_msg_per_s,
                }
                for question in shown
            ],
        }


def question(name: str, inputs: Inputs, book: PriceBook, *, size: str = "") -> Question:
    """SQS as used and batched, our own cluster, and Amazon MQ where its price is known.

    :param size: what the suite calls the cluster's machines, where it has several
    :raises InputError: a price that SQS or the cluster needs is not known
    """
    options = [
        _sqs(AS_USED, "SQS as used", inputs, book),
        _sqs(BATCHED, "SQS batched and long-polled", batched(inputs), book),
        own_cluster(inputs, book, size=size),
    ]
    options += [option for option, _ in [_amazon_mq(inputs, book)] if option]
    return Question(name, "headline", inputs, book, tuple(options))


def left_out(inputs: Inputs, book: PriceBook) -> tuple[str, ...]:
    """What :func:`question` leaves out of the comparison, and why."""
    _, why = _amazon_mq(inputs, book)
    return (why,) if why else ()


def article_question() -> Question:
    """The 2012 article's own: three calls a message, two nodes by the hour, and nothing else."""
    book = load_book(ARTICLE_BOOK)
    inputs = ask(
        message_bytes=1,  # the article counts calls, whatever their size
        empty_receives=0,
        free_tier=False,
        sqs_alarms=0,
        instance=ARTICLE_INSTANCE,
        volume="none",
        broker_zones=1,
        node_metrics=0,
        node_alarms=0,
        peak_factor=1,  # the article knows neither peaks nor headroom
        utilisation=1,
        amazon_mq=None,
    )
    options = (_sqs(AS_USED, "SQS, 3 calls a message", inputs, book), own_cluster(inputs, book))
    return Question(ARTICLE_BOOK, "history", inputs, book, options)


def bill_question(name: str, inputs: Inputs, book: PriceBook, usd: float) -> Question:
    """At what traffic SQS, as used, bills ``usd`` a month: a bill of that sum stands for the other option.

    SQS's own lines only: neither alarms nor the clients' way to it stand on its bill.
    """
    given = OwnPrice("month", usd, "given with the question")
    bill = Line("bill", "what is paid for SQS now", "given", "sqs_bill", fixed=1, own=given)
    lines = _known(book, [line for line in sqs_lines(inputs, book) if line.service == "sqs"])
    options = (Option(AS_USED, "sqs", "SQS as used", lines), Option(BILL, "bill", "the SQS bill", (bill,)))
    return Question(name, "bill", inputs, book, options)


def map_question(base: Question, capacities: dict[str, float]) -> Question:
    """The base question with a cluster of each instance type whose capacity is known, at equal service.

    :param capacities: instance type -> messages a second of one cluster with one node down
    :raises InputError: a type is not known or has no price
    """
    inputs = base.inputs.but(hours=None)
    own = {inputs.instance: inputs.capacity_msg_per_s} | capacities
    clusters = [
        own_cluster(inputs.but(instance=name, capacity_msg_per_s=rate), base.book, option_id=name)
        for name, rate in own.items()
    ]
    sqs = [option for option in base.options if option.side == "sqs"]
    return Question(f"{base.question_id}.map", "map", inputs, base.book, (*sqs, *clusters), base.question_id)


def own_cluster(inputs: Inputs, book: PriceBook, option_id: str = RABBITMQ, size: str = "") -> Option:
    """Our own brokers, in as many clusters as the traffic takes.

    :raises InputError: a price is not known
    """
    mean = capacity_of(inputs).mean_msg_per_s
    return Option(
        option_id,
        "self-hosted",
        DEPLOYMENTS[inputs.deployment].format(f"{inputs.instance} ({size})" if size else inputs.instance),
        _known(book, broker_lines(inputs, book)),
        None if mean is None else mean * inputs.seconds_per_month,
    )


def _sqs(option_id: str, label: str, inputs: Inputs, book: PriceBook) -> Option:
    return Option(option_id, "sqs", label, _known(book, sqs_lines(inputs, book)))


def _amazon_mq(inputs: Inputs, book: PriceBook) -> tuple[Option | None, str | None]:
    """The option, or why there is none."""
    if inputs.amazon_mq is None:
        return None, None
    try:
        lines = _known(book, amazon_mq_lines(inputs, inputs.amazon_mq))
    except InputError as error:
        return None, f"Amazon MQ is not priced beside: {error}"
    return Option(AMAZON_MQ, "amazon-mq", f"Amazon MQ, {inputs.amazon_mq}", lines), None


def _known(book: PriceBook, lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines that bill anything, once each of their prices is known.

    :raises InputError: the book has no such price, or it is null
    """
    billing = tuple(line for line in lines if line.bills)
    for line in billing:
        if line.own is None:
            book.known(line.service, line.item)
    return billing


def _own_price_row(label: str, book: PriceBook, line: Line, own: OwnPrice) -> Row:
    return {
        "book": label,
        "region": book.region,
        "service": line.service,
        "item": line.item,
        "unit": own.unit,
        "tier_from": 0.0,
        "tier_to": None,
        "usd": own.usd,
        "source": own.source,
        "as_of": book.as_of,
    }


def price_books(questions: Sequence[Question]) -> list[str]:
    """Labels of the books that the questions are priced with, sorted."""
    return sorted({question.book.label for question in questions})
