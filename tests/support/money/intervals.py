"""Intervals of crossings by brute force: where a question and its corners do not agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gmpy2 import mpq as Fraction

from tests.support.money.cost_crossings import Crossing

Side = str | None


@dataclass(frozen=True)
class Interval:
    """In messages a month; ``corners_with``: how many corners change to the same side within."""

    low: Fraction
    high: Fraction
    corners_with: int


def intervals(own: Sequence[Crossing], corners: Sequence[Sequence[Crossing]]) -> list[Interval | None]:
    """Of each crossing of the question; None: it has none, or there are no corners.

    Between two rates at which any of them changes, every one has one side. Where all have the same one,
    which is not that of a tie, the order is certain; the rates between two such stretches belong together.
    An interval is from the lowest to the highest change to the same side in there.
    """
    members = [one for one in (own, *corners) if all(each.kind != "unpriced" for each in one)]
    marks = sorted({mark for one in members for each in one for mark in _marks(each)})
    ends = [Fraction(0), *marks]
    #: mark -> number of the range that it lies in
    ranges: dict[Fraction, int] = {}
    number = 0
    for before, mark in pairwise(ends):
        sides = {_side(one, (before + mark) / 2) for one in members}
        # a tie is no side on which all agree
        number += len(sides) == 1 and sides != {None}
        ranges[mark] = number
    found: list[Interval | None] = []
    for crossing in own:
        if crossing.messages is None or not corners:
            found.append(None)
            continue
        place = ranges[crossing.messages]
        rates = [
            each.messages
            for one in members
            for each in one
            if each.messages is not None and ranges[each.messages] == place and each.above == crossing.above
        ]
        same = [
            any(
                each.messages is not None and ranges[each.messages] == place and each.above == crossing.above
                for each in one
            )
            for one in corners
            if one in members
        ]
        found.append(Interval(min(rates), max(rates), sum(same)))
    return found


def _marks(crossing: Crossing) -> list[Fraction]:
    marks = [crossing.messages]
    if crossing.kind == "tie":
        marks.append(crossing.equal_until)
    return [mark for mark in marks if mark is not None]


def _side(crossings: Sequence[Crossing], messages: Fraction) -> Side:
    """Which is cheaper there: None in a tie."""
    side = crossings[0].below
    for crossing in crossings:
        if crossing.messages is None or crossing.messages > messages:
            break
        is_tied = crossing.kind == "tie" and (crossing.equal_until is None or messages < crossing.equal_until)
        side = None if is_tied else crossing.above
    return side
