"""The empty receives that a run's cases counted, priced between the numbers that the plan asked of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from breakeven.pricing.bill.questions import AS_USED, RABBITMQ
from breakeven.report.building.query_answers import Answers
from breakeven.report.contract.crossing_model import EXACT, Crossover, EmptyReceives
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.money.counted import per_message

Point = tuple[float, float]  # empty receives a message, msg/s of the crossing


def empty_receives(answers: Answers, cases: Sequence[CaseReport]) -> EmptyReceives | None:
    """The case with the most, and where the first change of sides would be with as many."""
    counted = [(count, case) for case in cases if (count := per_message(case)) is not None]
    asked = {row["question_id"]: row for row in answers.cost.get("empty_receives", ())}
    if not counted or not asked:
        return None
    most, case = max(counted, key=lambda pair: pair[0])
    return EmptyReceives(
        question_id=next(iter(asked.values()))["base_id"],
        case_id=case.case_id,
        per_message=most,
        provenance=case.provenance,
        msg_per_s=crossing_at(most, sorted(_points(answers, asked))),
    )


def of_the_service(counted: EmptyReceives | None) -> EmptyReceives | None:
    """What moves the interval: an emulator's count says nothing of SQS (rule 11 of docs/rules.md)."""
    return counted if counted and counted.provenance == "measured" else None


def widened(crossings: Sequence[Crossover], counted: EmptyReceives | None) -> list[Crossover]:
    """The crossings, with an interval of the first change of sides that reaches to what was counted."""
    found = list(crossings)
    for number, crossing in enumerate(found):
        pair = (crossing.question_id, crossing.sqs_option, crossing.other_option)
        if counted and counted.msg_per_s and pair == (counted.question_id, AS_USED, RABBITMQ):
            if crossing.msg_per_s is None or crossing.cheaper_below == crossing.cheaper_above:
                continue
            rates = [crossing.msg_per_s, counted.msg_per_s]
            rates += [end for end in (crossing.low_msg_per_s, crossing.high_msg_per_s) if end is not None]
            ends = {"low_msg_per_s": min(rates), "high_msg_per_s": max(rates)}
            found[number] = crossing.model_copy(update=ends)
            break
    return found


def crossing_at(count: float, points: Sequence[Point]) -> float | None:
    """Between two crossings: while one price and one cluster hold, a crossing's reciprocal is linear in the
    empty receives, so that this is exact; elsewhere it lies between the two that were priced.
    """
    below = [point for point in points if point[0] <= count * (1 + EXACT)]
    above = [point for point in points if point[0] >= count * (1 - EXACT)]
    if not below or not above:
        return None
    (low, slow), (high, fast) = below[-1], above[0]
    part = (count - low) / (high - low) if high > low else 0.0
    return 1 / ((1 - part) / slow + part / fast)


def _points(answers: Answers, asked: Mapping[str, Mapping[str, Any]]) -> Iterator[Point]:
    """The first change of sides at each number that was asked of."""
    seen: set[str] = set()
    for row in sorted(answers.crossover, key=lambda row: row["number"] or 0):
        name = row["question_id"]
        changes = row["msg_per_s"] is not None and row["cheaper_below"] != row["cheaper_above"]
        if name in asked and row["other_option"] == RABBITMQ and changes and name not in seen:
            seen.add(name)
            yield asked[name]["per_message"], row["msg_per_s"]
