"""Rates at which the cheapest option of the decision map changes, as near as the rates priced tell."""

from __future__ import annotations

from itertools import pairwise

from breakeven.pricing.bill.questions import AMAZON_MQ
from breakeven.report.contract.cost_model import DecisionMap, MapRow
from breakeven.report.money.option_words import SHORT


def change_rates(one: DecisionMap, row: MapRow, hour_usd: float | None) -> list[float]:
    """For each option of the row from which rate on it is the cheapest, messages a second.

    Between SQS and a type of clusters it is read off the straight line between the two rates priced, as with
    break-even hours. Between two types, whose bills the map does not keep, it is the first rate priced.

    :param hour_usd: what an hour of staff time costs; None: it is not known
    """
    found = row.from_msg_per_s[:1]
    for (_, before), (start, after) in pairwise(zip(row.from_msg_per_s, row.cheapest, strict=True)):
        found.append(_met(one, row.hours * (hour_usd or 0.0), start, {before, after}))
    return found


def _met(one: DecisionMap, staff_usd: float, start: float, sides: set[str]) -> float:
    place = one.msg_per_s.index(start)
    types = sides - set(SHORT)
    is_one_type = one.best_other[place - 1] == one.best_other[place] and types == {one.best_other[place]}
    if len(types) != 1 or not is_one_type or AMAZON_MQ in types:
        return start
    low, high = one.msg_per_s[place - 1 : place + 1]
    before, after = (one.sqs_usd[at] - one.other_usd[at] - staff_usd for at in (place - 1, place))
    return low + (high - low) * before / (before - after) if before != after else start
