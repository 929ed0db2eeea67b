"""The money part of a report, from the rows of the cost queries and what the plan has of its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import number
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ, SHOWN
from breakeven.pricing.bill.uncertainty import inputs_moving, uncertain
from breakeven.report.building.pays_from import with_pays_from
from breakeven.report.building.query_answers import Answers, Rows
from breakeven.report.contract.cost_model import (
    Bill,
    BillLine,
    BreakEvenHours,
    CostCurve,
    DecisionMap,
    MapRow,
    OfferedRate,
    VolumePrice,
)
from breakeven.report.contract.crossing_model import (
    Crossover,
    EmptyReceives,
    Sensitivity,
    SensitivityEnd,
    SizeCrossing,
)
from breakeven.report.contract.question_model import CostQuestion
from breakeven.targets.catalog import managed_target, priced_target

Row = Mapping[str, Any]
Answer = CostCurve | Bill | BreakEvenHours | DecisionMap | Sensitivity
#: pairs are read in this order: our own cluster first, then what stands beside it
OPTIONS = (AS_USED, BATCHED, RABBITMQ, AMAZON_MQ)
#: columns of which the report keeps one list a curve
CURVE = ("msg_per_s", "clusters", "usd", "usd_per_1000_msg_per_s")
HOURS = ("msg_per_s", "saved_usd", "hours")
MAP = ("msg_per_s", "sqs_usd", "best_other", "other_usd")


def cost_questions(asked: Row, counted: EmptyReceives | None = None) -> list[CostQuestion]:
    """What was asked: today's prices, a sweep's other sizes, history's; ``asked`` is the plan's ``cost``.

    :param counted: empty receives of the run, which add to what the intervals span
    """
    questions = [
        CostQuestion.of(
            row,
            price_book=row["book"],
            uncertain=[
                name
                for name in uncertain(Inputs.model_validate(row["inputs"]))
                if name in inputs_moving(*row["options"])
            ],
            counted_empty_receives=(
                counted.per_message if counted and counted.question_id == row["question_id"] else None
            ),
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


def crossovers_by_size(answers: Answers) -> list[SizeCrossing]:
    """Of each size, zones and SQS's option: the first change of sides, else why there is none."""
    asked = {size["question_id"]: size for size in answers.cost.get("sizes", ())}
    groups = _grouped(
        [row for row in answers.crossover if row["question_id"] in asked],
        "question_id",
        "sqs_option",
        by=lambda row: row["number"] or 0,
    )
    found = [_size_crossing(rows, asked[rows[0]["question_id"]]) for rows in groups]
    return sorted(found, key=lambda row: (row.message_bytes, OPTIONS.index(row.sqs_option), -row.zones))


def _size_crossing(rows: Rows, size: Mapping[str, Any]) -> SizeCrossing:
    first, *later = [row for row in rows if row["cheaper_below"] != row["cheaper_above"]] or rows[:1]
    return SizeCrossing.of(
        first,
        again_msg_per_s=later[0]["msg_per_s"] if later else None,
        question_id=size["base_id"],
        message_bytes=size["message_bytes"],
        zones=size["zones"],
    )


def _crossover(row: Row, question: CostQuestion) -> Crossover:
    inputs = question.priced_with
    words, needs = _capacity(row["other_option"], row["msg_per_s"], question, inputs)
    return Crossover.of(
        row,
        targets=[_target(row["sqs_option"], inputs), _target(row["other_option"], inputs)],
        price_book=row["book"],
        capacity=words,
        needs_msg_per_s=needs,
        assumptions=question.inputs,
    )


def _target(option: str, inputs: Inputs) -> str:
    """The target that an option prices."""
    if option == RABBITMQ:
        return priced_target(inputs.deployment)
    return managed_target(inputs.deployment) if option == AMAZON_MQ else priced_target(inputs.queue)


def _capacity(
    option: str, msg_per_s: float | None, question: CostQuestion, inputs: Inputs
) -> tuple[str, float | None]:
    """In words, and what one cluster must carry at that rate."""
    managed = option == AMAZON_MQ
    capacity = amazon_mq_capacity(inputs) if managed else capacity_of(inputs)
    said = (question.amazon_mq_capacity or capacity.describe()) if managed else question.capacity
    if msg_per_s is None:
        return said, None
    clusters, needs = capacity.clusters(msg_per_s), capacity.needed_each(msg_per_s)
    each = "" if clusters == 1 else f", in {clusters:,} clusters"
    return f"{said}; needs at least {number(round(needs, 1))} msg/s a cluster{each}", needs


def offered_rates(answers: Answers) -> list[OfferedRate]:
    """The bills at the rates of the run's open loops, lowest rate first."""
    asked = answers.cost.get("rates", {})
    priced = [bill for bill in bills(answers.bills) if bill.question_id in asked]
    found: dict[str, OfferedRate] = {}
    for bill in priced:
        rate = found.setdefault(
            bill.question_id,
            OfferedRate(msg_per_s=bill.msg_per_s, message_bytes=asked[bill.question_id], usd={}),
        )
        rate.usd[bill.option_id] = bill.usd
    return sorted(found.values(), key=lambda rate: (rate.msg_per_s, rate.message_bytes))


def volumes(answers: Answers) -> list[VolumePrice]:
    """The bills at a few volumes and sizes, smallest messages first."""
    asked = {one["question_id"]: one for one in answers.cost.get("volumes", ())}
    found: dict[str, VolumePrice] = {}
    for bill in bills([row for row in answers.bills if row["question_id"] in asked]):
        own = found.setdefault(
            bill.question_id, VolumePrice.of(asked[bill.question_id], msg_per_s=bill.msg_per_s, usd={})
        )
        own.usd[bill.option_id] = bill.usd
    return sorted(found.values(), key=lambda one: (one.message_bytes, one.messages_per_month))


def by_question(
    answers: Answers, questions: Sequence[CostQuestion], counted: EmptyReceives | None
) -> dict[str, list[Answer]]:
    """Field of the report -> answers in the order of their questions; those of one question keep theirs.

    :param counted: as of :func:`cost_questions`
    """
    order = [question.question_id for question in questions]
    found: dict[str, Sequence[Answer]] = {name: made(getattr(answers, name)) for name, made in MADE.items()}
    found["break_even_hours"] = break_even_hours(answers, counted)
    return {
        name: sorted(
            (one for one in made if one.question_id in order), key=lambda one: order.index(one.question_id)
        )
        for name, made in found.items()
    }


def cost_curves(rows: Rows) -> list[CostCurve]:
    groups = _grouped(rows, "question_id", "option_id", by=itemgetter("msg_per_s"))
    return [CostCurve.of(found[0], price_book=found[0]["book"], **_lists(found, CURVE)) for found in groups]


def bills(rows: Rows) -> list[Bill]:
    """One an option, its dearest line first."""
    return [
        Bill.of(
            found[0],
            price_book=_book(found),
            usd=total([row["usd"] for row in found]),
            usd_per_million_messages=total([row["usd_per_million_messages"] for row in found]),
            lines=[BillLine.of(row) for row in found],
        )
        for found in _grouped(
            rows, "question_id", "option_id", by=lambda row: (-(row["usd"] or 0.0), row["line"])
        )
    ]


def _book(rows: Rows) -> str:
    """Lines whose price is the asker's own stand under the option's name, the others under the book's."""
    books: list[str] = [
        row["book"] for row in rows if row["book"] != f"{row['question_id']}/{row['option_id']}"
    ]
    return next(iter([*books, str(rows[0]["book"])]))


def total(figures: Sequence[float | None]) -> float | None:
    """Their sum; None where one of them is not known."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


def break_even_hours(answers: Answers, counted: EmptyReceives | None) -> list[BreakEvenHours]:
    """With how sure the rate is from which on one's own pays.

    :param counted: empty receives of the run, to which its interval reaches
    """
    groups = _grouped(
        answers.break_even_hours, "question_id", "sqs_option", "other_option", by=itemgetter("msg_per_s")
    )
    curves = [BreakEvenHours.of(found[0], **_lists(found, HOURS)) for found in groups]
    return with_pays_from(curves, answers.pays_from, counted)


def decision_map(rows: Rows) -> list[DecisionMap]:
    """Compact: the rates once, and for each number of hours only where the cheapest option changes."""
    maps = []
    for found in _grouped(rows, "question_id", "sqs_option", by=itemgetter("msg_per_s")):
        by_hours = _grouped(found, "hours")
        lines = [_map_row(line) for line in by_hours]
        maps.append(DecisionMap.of(found[0], **_lists(by_hours[0], MAP), rows=lines))
    return maps


def _map_row(rows: Rows) -> MapRow:
    changes = [row for n, row in enumerate(rows) if n == 0 or rows[n - 1]["cheapest"] != row["cheapest"]]
    return MapRow(
        hours=rows[0]["hours"],
        from_msg_per_s=[row["msg_per_s"] for row in changes],
        cheapest=[row["cheapest"] for row in changes],
    )


def sensitivity(rows: Rows) -> list[Sensitivity]:
    groups = _grouped(rows, "question_id", "sqs_option", "other_option", "varied", by=itemgetter("factor"))
    return [Sensitivity.of(found[0], ends=[SensitivityEnd.of(row) for row in found]) for found in groups]


def _lists(rows: Rows, names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in names}


def _grouped(rows: Rows, *keys: str, by: Callable[[Row], Any] | None = None) -> list[list[Row]]:
    """Rows by the values of ``keys``, groups and rows in order: the answers' own order is not relied on."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in sorted(rows, key=by) if by else rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return [groups[key] for key in sorted(groups, key=lambda key: tuple(map(_rank, key)))]


def _rank(key: Any) -> tuple[int, Any]:
    """Options in their reading order, then everything else by its value."""
    return (OPTIONS.index(key), "") if key in OPTIONS else (len(OPTIONS), key)


#: field of the report, and query -> what its rows become
MADE: dict[str, Callable[[Rows], Sequence[Answer]]] = {
    "cost_curves": cost_curves,
    "bills": bills,
    "decision_map": decision_map,
    "sensitivity": sensitivity,
}
