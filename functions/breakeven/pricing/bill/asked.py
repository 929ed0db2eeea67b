"""All questions about money that are put together: their rows, and what a report says of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from breakeven.pricing.bill.cluster_capacity import Capacity, amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.questions import AMAZON_MQ, SHOWN, Purpose, Question, Row
from breakeven.pricing.bill.run_capacities import NO_CAPACITIES, Capacities, RunCapacity


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions with the rows that put them; ``notes`` say what was left out and why.

    ``clusters``: what one cluster of each of the run's costs, as ``ClusterPrice`` of the report has it.
    """

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = field(default=())
    capacities: Capacities = NO_CAPACITIES
    board: tuple[Row, ...] = ()
    clusters: tuple[Row, ...] = ()

    def of(self, *purposes: Purpose) -> list[Question]:
        """Those that are asked for one of the purposes."""
        return [question for question in self.questions if question.purpose in purposes]

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
        shown = self.of(*SHOWN, "cheaper", "board", "map", "pairs")
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
                for question in self.of("message-size")
            ],
            "empty_receives": [
                {
                    "question_id": question.question_id,
                    "base_id": question.base_id,
                    "per_message": question.inputs.empty_receives,
                }
                for question in self.of("empty-receives")
            ],
            "cheaper": [
                {
                    "question_id": question.question_id,
                    "option": option.label,
                    "gives_up": question.varied,
                    "capacity": capacity_of(question.inputs).describe(),
                }
                for question in self.of("cheaper")
                for option in question.options
                if option.side == "self-hosted"
            ],
            "board": list(self.board),
            "clusters": list(self.clusters),
            "rates": {each.question_id: each.inputs.message_bytes for each in self.of("rate")},
            "volumes": [
                {
                    "question_id": each.question_id,
                    "messages_per_month": round(
                        (each.inputs.msg_per_s or 0.0) * each.inputs.seconds_per_month
                    ),
                    "message_bytes": each.inputs.message_bytes,
                }
                for each in self.of("volume")
            ],
            "pairs": [_pairs(question) for question in self.of("pairs")],
            "capacities": self._capacities(),
            "questions": [
                {
                    "question_id": question.question_id,
                    "purpose": question.purpose,
                    "book": question.book.label,
                    "inputs": question.inputs.model_dump(mode="json"),
                    "options": {option.option_id: option.label for option in question.options},
                    "capacity": self._describe(capacity_of(question.inputs), question.capacity),
                    "capacity_notes": list(capacity_of(question.inputs).notes),
                    "capacity_mean_msg_per_s": capacity_of(question.inputs).mean_msg_per_s,
                    "amazon_mq_capacity": self._managed(question),
                }
                for question in self.of(*SHOWN)
            ],
        }

    def _describe(self, capacity: Capacity, measured: RunCapacity | None) -> str:
        known = capacity.describe()
        return f"{known}, {self.capacities.describe(measured)}" if measured else known

    def _managed(self, question: Question) -> str | None:
        """None of a question that Amazon MQ does not stand beside."""
        if all(option.option_id != AMAZON_MQ for option in question.options):
            return None
        return self._describe(amazon_mq_capacity(question.inputs), question.managed_capacity)

    def _capacities(self) -> list[Row]:
        """This run's, and the earlier ones that a question is priced with: rows of ``RunCapacity``."""
        used = {
            capacity: question.question_id
            for question in self.of(*SHOWN)
            for capacity in (question.capacity, question.managed_capacity)
            if capacity
        }
        return [
            one.model_dump(mode="json")
            | {"age_days": self.capacities.age_days(one), "prices_question_id": used.get(one)}
            for one in dict.fromkeys([*self.capacities.own, *used])
        ]


def _pairs(question: Question) -> Row:
    """The options that are compared each with each, and what one cluster is priced to carry."""
    seconds = question.inputs.seconds_per_month
    return {
        "question_id": question.question_id,
        "inputs": question.inputs.model_dump(mode="json"),
        "options": [
            {
                "option": option.option_id,
                "label": option.label,
                "has_clusters": option.side != "sqs",
                "mean_msg_per_s": option.messages_per_cluster and option.messages_per_cluster / seconds,
            }
            for option in question.options
        ],
    }
