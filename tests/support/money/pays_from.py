"""From which rate on the second of two options is cheaper, by brute force from their exact crossings."""

from __future__ import annotations

from collections.abc import Sequence

from gmpy2 import mpq as Fraction

from tests.support.money.cost_crossings import Crossing


def pays_from(crossings: Sequence[Crossing], second: str, end: Fraction) -> Fraction | None:
    """Messages a month from which on the second is cheaper at all traffic up to the end; None: from none.

    :param end: of the charts, messages a month
    """
    first = crossings[0]
    found = Fraction(0) if first.below == second else None
    for each in crossings:
        if each.messages is None or each.messages >= end:
            break
        start = each.messages
        if each.kind == "tie":
            if each.equal_until is None or each.equal_until >= end:
                return None
            start = each.equal_until
        found = start if each.above == second else None
    return found
