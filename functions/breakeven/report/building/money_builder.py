"""The money part of a report, from the rows of the cost queries and what the plan has of its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from typing import Any, TypeVar

from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import number
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ, SHOWN
from breakeven.pricing.bill.variations import uncertain
from breakeven.report.contract.money_model import (
    Bill,
    BillLine,
    BreakEvenHours,
    CostCurve,
    CostQuestion,
    Crossover,
    DecisionMap,
    MapRow,
    Sensitivity,
    SensitivityEnd,
)
from breakeven.targets.catalog import SQS, clusters

Row = Mapping[str, Any]
Rows = Sequence[Row]
Answer = TypeVar("Answer", CostCurve, Bill, BreakEvenHours, DecisionMap, Sensitivity)
#: pairs are read in this order: our own cluster first, then what stands beside it
OPTIONS = (AS_USED, BATCHED, RABBITMQ, AMAZON_MQ)
#: of clusters that no target is, which are priced all the same
NOT_MEASURED = {"single": "rabbitmq-single", "trio": "rabbitmq-quorum-trio"}
BROKERS = NOT_MEASURED | {nodes.deployment: name for name, nodes in clusters().items()}
QUEUES = {"fifo": "sqs-fifo"}
#: columns of which the report keeps one list a curve
CURVE = ("msg_per_s", "clusters", "usd", "usd_per_1000_msg_per_s")
HOURS = ("msg_per_s", "saved_usd", "hours")
#: a part in 10^12 above a full cluster is the arithmetic's, as in the queries
FULL = 1 - 1e-12


def cost_questions(asked: Row) -> list[CostQuestion]:
    """What was asked: today's prices, a sweep's other sizes, history's; ``asked`` is the plan's ``cost``."""
    questions = [
        CostQuestion(
            question_id=row["question_id"],
            purpose=row["purpose"],
            price_book=row["book"],
            inputs=row["inputs"],
            options=row["options"],
            uncertain=list(uncertain(Inputs.model_validate(row["inputs"]))),
            capacity=row["capacity"],
            capacity_notes=row["capacity_notes"],
            capacity_mean_msg_per_s=row["capacity_mean_msg_per_s"],
        )
        for row in asked.get("questions", ())
    ]
    return sorted(questions, key=lambda question: SHOWN.index(question.purpose))


def crossovers(rows: Rows, questions: Sequence[CostQuestion]) -> list[Crossover]:
    """Every crossing of the questions: by question, pair and number."""
    asked = {question.question_id: question for question in questions}
    found = [_crossover(row, asked[row["question_id"]]) for row in rows if row["question_id"] in asked]
    order = list(asked)
    return sorted(
        found,
        key=lambda c: (
            order.index(c.question_id),
            OPTIONS.index(c.other_option),
            OPTIONS.index(c.sqs_option),
            c.number or 0,
        ),
    )


def _crossover(row: Row, question: CostQuestion) -> Crossover:
    inputs = Inputs.model_validate(question.inputs)
    words, needs = _capacity(row["other_option"], row["msg_per_s"], question, inputs)
    names = (
        "question_id", "sqs_option", "other_option", "number", "kind", "cheaper_below", "cheaper_above",
        "msg_per_s", "low_msg_per_s", "high_msg_per_s", "corners", "corners_with", "equal_until_msg_per_s",
        "until_msg_per_s", "searched_msg_per_s", "messages_per_month", "messages_per_hour", "usd_per_month",
    )  # fmt: skip
    return Crossover(
        **{name: row[name] for name in names},
        targets=[_target(row["sqs_option"], inputs), _target(row["other_option"], inputs)],
        price_book=row["book"],
        capacity=words,
        needs_msg_per_s=needs,
        assumptions=question.inputs,
    )


def _target(option: str, inputs: Inputs) -> str:
    """The target that an option prices."""
    if option == RABBITMQ:
        return BROKERS[inputs.deployment]
    return AMAZON_MQ if option == AMAZON_MQ else QUEUES.get(inputs.queue, SQS)


def _capacity(
    option: str, msg_per_s: float | None, question: CostQuestion, inputs: Inputs
) -> tuple[str, float | None]:
    """In words, and what one cluster must carry at that rate with one node down."""
    if option != RABBITMQ:
        return "not known: one broker cluster of the service is priced at every rate", None
    if msg_per_s is None:
        return question.capacity, None
    mean = question.capacity_mean_msg_per_s
    clusters = 1 if mean is None else max(1, ceil(msg_per_s / mean * FULL))
    needs = capacity_of(inputs).needed(msg_per_s) / clusters
    each = "" if clusters == 1 else f", in {clusters:,} clusters"
    return f"{question.capacity}; needs at least {number(round(needs, 1))} msg/s a cluster{each}", needs


def by_question(answers: Iterable[Answer], questions: Sequence[CostQuestion]) -> list[Answer]:
    """Answers in the order of their questions; those of one question keep theirs."""
    order = [question.question_id for question in questions]
    asked = (one for one in answers if one.question_id in order)
    return sorted(asked, key=lambda one: order.index(one.question_id))


def cost_curves(rows: Rows) -> list[CostCurve]:
    return [
        CostCurve(
            question_id=question,
            option_id=option,
            price_book=found[0]["book"],
            **{name: [row[name] for row in found] for name in CURVE},
        )
        for (question, option), found in _grouped(rows, "question_id", "option_id", by="msg_per_s").items()
    ]


def bills(rows: Rows) -> list[Bill]:
    """One an option, its dearest line first."""
    return [
        Bill(
            question_id=question,
            option_id=option,
            price_book=_book(found),
            msg_per_s=found[0]["msg_per_s"],
            clusters=found[0]["clusters"],
            usd=_sum(found, "usd"),
            usd_per_million_messages=_sum(found, "usd_per_million_messages"),
            lines=[BillLine(**{name: row[name] for name in BillLine.model_fields}) for row in found],
        )
        for (question, option), found in _grouped(
            rows, "question_id", "option_id", by=lambda row: (-(row["usd"] or 0.0), row["line"])
        ).items()
    ]


def _book(rows: Rows) -> str:
    """Lines whose price is the asker's own stand under the option's name, the others under the book's."""
    books: list[str] = [
        row["book"] for row in rows if row["book"] != f"{row['question_id']}/{row['option_id']}"
    ]
    return next(iter([*books, str(rows[0]["book"])]))


def _sum(rows: Rows, name: str) -> float | None:
    figures = [row[name] for row in rows]
    return None if None in figures else sum(figures)


def break_even_hours(rows: Rows) -> list[BreakEvenHours]:
    return [
        BreakEvenHours(
            question_id=question,
            sqs_option=sqs,
            other_option=other,
            hour_usd=found[0]["hour_usd"],
            **{name: [row[name] for row in found] for name in HOURS},
        )
        for (question, sqs, other), found in _grouped(
            rows, "question_id", "sqs_option", "other_option", by="msg_per_s"
        ).items()
    ]


def decision_map(rows: Rows) -> list[DecisionMap]:
    """Compact: the rates once, and for each number of hours only where the cheapest option changes."""
    maps = []
    for (question, sqs), found in _grouped(rows, "question_id", "sqs_option", by="msg_per_s").items():
        least = min(row["hours"] for row in found)
        base = [row for row in found if row["hours"] == least]
        maps.append(
            DecisionMap(
                question_id=question,
                sqs_option=sqs,
                msg_per_s=[row["msg_per_s"] for row in base],
                sqs_usd=[row["sqs_usd"] for row in base],
                best_other=[row["best_other"] for row in base],
                other_usd=[row["other_usd"] for row in base],
                rows=[_map_row(hours, line) for (hours,), line in _grouped(found, "hours").items()],
            )
        )
    return maps


def _map_row(hours: float, rows: Rows) -> MapRow:
    changes = [row for n, row in enumerate(rows) if n == 0 or rows[n - 1]["cheapest"] != row["cheapest"]]
    return MapRow(
        hours=hours,
        from_msg_per_s=[row["msg_per_s"] for row in changes],
        cheapest=[row["cheapest"] for row in changes],
    )


def sensitivity(rows: Rows) -> list[Sensitivity]:
    return [
        Sensitivity(
            question_id=question,
            sqs_option=sqs,
            other_option=other,
            varied=varied,
            base_msg_per_s=found[0]["base_msg_per_s"],
            ends=[
                SensitivityEnd(**{name: row[name] for name in SensitivityEnd.model_fields}) for row in found
            ],
        )
        for (question, sqs, other, varied), found in _grouped(
            rows, "question_id", "sqs_option", "other_option", "varied", by="factor"
        ).items()
    ]


def _grouped(
    rows: Rows, *keys: str, by: str | Callable[[Row], Any] | None = None
) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of ``keys``, groups and rows in order: the answers' own order is not relied on."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in _in_order(rows, by):
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return dict(sorted(groups.items(), key=lambda group: tuple(map(_rank, group[0]))))


def _in_order(rows: Rows, by: str | Callable[[Row], Any] | None) -> Iterable[Row]:
    if by is None:
        return rows
    return sorted(rows, key=by if callable(by) else lambda row: row[by])


def _rank(key: Any) -> tuple[int, Any]:
    """Options in their reading order, then everything else by its value."""
    return (OPTIONS.index(key), "") if key in OPTIONS else (len(OPTIONS), key)
