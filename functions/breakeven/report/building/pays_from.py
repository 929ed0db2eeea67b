"""Rates above which self-hosting pays, given a working day of staff time a month, and their intervals."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven.pricing.bill.questions import AS_USED, RABBITMQ
from breakeven.pricing.bill.variations import STAFF_HOURS
from breakeven.report.building.counted_empty_receives import crossing_at
from breakeven.report.building.query_answers import Rows
from breakeven.report.contract.cost_model import BreakEvenHours, PaysFrom
from breakeven.report.contract.crossing_model import EmptyReceives


def with_pays_from(
    hours: Iterable[BreakEvenHours], rows: Rows, counted: EmptyReceives | None
) -> list[BreakEvenHours]:
    """The hours, with the rates of ``pays_from.sql``: none of Amazon MQ, nor where an hour has no price.

    :param counted: empty receives of the run, to which the interval of SQS as used reaches
    """
    found = {
        (row["base_id"], row["sqs_option"], row["other_option"]): PaysFrom.of(row, hours=STAFF_HOURS)
        for row in rows
        if row["purpose"] == "staffed"
    }
    if counted:
        pair = (counted.question_id, AS_USED, RABBITMQ)
        if pair in found:
            found[pair] = _reaching(found[pair], _at_counted(rows, counted))
    return [
        made.model_copy(
            update={"pays_from": found.get((made.question_id, made.sqs_option, made.other_option))}
        )
        for made in hours
    ]


def _at_counted(rows: Rows, counted: EmptyReceives) -> float | None:
    """Messages a second, with as many empty receives as were counted; None: there is no such rate."""
    points = [
        (row["factor"], row["msg_per_s"])
        for row in rows
        if (row["purpose"], row["base_id"], row["sqs_option"])
        == ("staffed-receives", counted.question_id, AS_USED)
        and row["msg_per_s"]
    ]
    return crossing_at(counted.per_message, sorted(points))


def _reaching(found: PaysFrom, rate: float | None) -> PaysFrom:
    if rate is None or found.msg_per_s is None:
        return found
    rates = [rate, found.msg_per_s]
    rates += [end for end in (found.low_msg_per_s, found.high_msg_per_s) if end is not None]
    return found.model_copy(update={"low_msg_per_s": min(rates), "high_msg_per_s": max(rates)})
