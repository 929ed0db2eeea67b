"""From which rate on the second of two options is cheaper, by brute force from their exact crossings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gmpy2 import mpq as Fraction

from tests.support.money.cost_crossings import Crossing

Start = tuple[Fraction, str | None]


def pays_from(
    crossings: Sequence[Crossing], second: str, end: Fraction
) -> tuple[Fraction, Fraction | None] | None:
    """Ends of the longest traffic over which the second is cheaper, messages a month; None: it is at none.

    Of those that are equally long the lowest. The upper end is None where it is that of the charts; the
    search may have ended before.

    :param end: of the charts
    """
    starts: list[Start] = []
    searched = crossings[0].searched
    last = end if searched is None else min(end, searched)
    for start, side in _starts(crossings):
        if start < last and (not starts or starts[-1][1] != side):
            starts.append((start, side))
    ranges = [
        (start, None if until == end else until)
        for (start, side), (until, _) in pairwise([*starts, (last, None)])
        if side == second
    ]
    return max(ranges, key=lambda one: ((end if one[1] is None else one[1]) - one[0], -one[0]), default=None)


def _starts(crossings: Sequence[Crossing]) -> Iterator[Start]:
    """From where on which is cheaper; None: neither."""
    yield Fraction(0), crossings[0].below
    for each in crossings:
        if each.messages is not None:
            yield each.messages, None if each.kind == "tie" else each.above
        if each.kind == "tie" and each.equal_until is not None:
            yield each.equal_until, each.above
