"""Rates from which on one's own broker pays with a working day of staff time a month, and their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from breakeven.pricing.bill.questions import AS_USED, RABBITMQ
from breakeven.report.building.counted_empty_receives import crossing_at
from breakeven.report.contract.cost_model import STAFF_HOURS, BreakEvenHours, PaysFrom
from breakeven.report.contract.crossing_model import EmptyReceives

Row = Mapping[str, Any]
Pair = tuple[str, str, str]


def with_pays_from(curves: Sequence[tuple[Row, BreakEvenHours]]) -> list[BreakEvenHours]:
    """The hours of questions that were asked for themselves.

    :param curves: with a row of each; those at the ends of what is uncertain give the others' intervals
    """
    corners: dict[Pair, list[BreakEvenHours]] = {}
    for row, made in curves:
        if row["purpose"] == "interval":
            corners.setdefault((row["base_id"], made.sqs_option, made.other_option), []).append(made)
    return [
        made.model_copy(update={"pays_from": _pays_from(made, corners.get(_pair(made), ()))})
        for row, made in curves
        if row["purpose"] in {"headline", "history"}
    ]


def reaching(
    hours: Iterable[BreakEvenHours],
    curves: Sequence[tuple[Row, BreakEvenHours]],
    asked: Sequence[Row],
    counted: EmptyReceives | None,
) -> list[BreakEvenHours]:
    """The hours, with an interval of SQS as used that reaches to the empty receives that a run counted.

    :param asked: which question is of how many, and of which one
    """
    if counted is None:
        return list(hours)
    numbers = {row["question_id"]: row["per_message"] for row in asked}
    found = [(numbers[made.question_id], made) for _, made in curves if made.question_id in numbers]
    points = [
        (number, rate)
        for number, made in sorted(found, key=lambda pair: pair[0])
        if made.hour_usd and (rate := made.pays_with(STAFF_HOURS)) is not None
    ]
    rate = crossing_at(counted.per_message, points)
    pair = (counted.question_id, AS_USED, RABBITMQ)
    return [_wider(made, rate) if rate and _pair(made) == pair else made for made in hours]


def _wider(made: BreakEvenHours, rate: float) -> BreakEvenHours:
    found = made.pays_from
    if found is None or found.msg_per_s is None:
        return made
    rates = [rate, found.msg_per_s]
    rates += [end for end in (found.low_msg_per_s, found.high_msg_per_s) if end is not None]
    ends = {"low_msg_per_s": min(rates), "high_msg_per_s": max(rates)}
    return made.model_copy(update={"pays_from": found.model_copy(update=ends)})


def _pays_from(asked: BreakEvenHours, corners: Sequence[BreakEvenHours]) -> PaysFrom | None:
    """None of Amazon MQ, and where an hour has no price."""
    if asked.other_option != RABBITMQ or not asked.hour_usd:
        return None
    own, found = asked.pays_with(STAFF_HOURS), [each.pays_with(STAFF_HOURS) for each in corners]
    # a cluster more or less may put what is asked beyond both ends
    rates = [rate for rate in (own, *found) if rate is not None] if corners else []
    return PaysFrom(
        hours=STAFF_HOURS,
        msg_per_s=own,
        low_msg_per_s=min(rates, default=None),
        high_msg_per_s=max(rates, default=None),
        corners=len(corners),
        corners_with=len(corners) - found.count(None),
    )


def _pair(made: BreakEvenHours) -> Pair:
    return made.question_id, made.sqs_option, made.other_option
