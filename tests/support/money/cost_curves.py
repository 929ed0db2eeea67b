"""What options cost at a traffic, in exact fractions.

Written from what ``schemas.COST_OPTIONS``, ``COST_ITEMS`` and the heads of the queries say the columns
mean, and kept simple rather than quick: no running sums, no tiers moved about, every cluster walked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gmpy2 import mpq as Fraction

ZERO, ONE = Fraction(0), Fraction(1)
SEARCH_CLUSTERS = 1000


@dataclass(frozen=True)
class Price:
    """A price's tiers: (where it ends or None, dollars a unit or None where it is not known)."""

    tiers: tuple[tuple[Fraction | None, Fraction | None], ...]

    def usd(self, units: Fraction) -> Fraction:
        """What the first ``units`` of an account cost; they end before the price does."""
        total, start = ZERO, ZERO
        for end, usd in self.tiers:
            if units <= start:
                break
            total += ((units if end is None else min(units, end)) - start) * (usd or ZERO)
            start = units if end is None else end
        return total

    @property
    def end(self) -> Fraction | None:
        return self.tiers[-1][0] if self.tiers else ZERO


@dataclass(frozen=True)
class Line:
    """One line of a bill; ``price`` is None where the book does not have the item."""

    name: str
    price: Price | None
    factor: Fraction = ONE
    fixed: Fraction = ZERO
    per_message: Fraction = ZERO
    per_cluster: Fraction = ZERO
    free: Fraction = ZERO
    used: Fraction = ZERO

    @cached_property
    def known(self) -> bool:
        """Whether each tier that this line can still reach has a price."""
        return self.price is not None and all(
            usd is not None or (end is not None and end + self.free <= self.used)
            for end, usd in self.price.tiers
        )

    @cached_property
    def most_units(self) -> Fraction | None:
        """Units a month above which the book has no price; None: no end."""
        assert self.price is not None
        return None if self.price.end is None else max(ZERO, self.price.end + self.free - self.used)

    def units(self, messages: Fraction, clusters: int) -> Fraction:
        return self.fixed + self.per_cluster * clusters + self.per_message * messages

    def usd(self, messages: Fraction, clusters: int) -> Fraction | None:
        """Dollars a month; None where the price is not known or has ended."""
        if not self.known:
            return None
        assert self.price is not None
        units, most = self.units(messages, clusters), self.most_units
        if most is not None and units > most:
            return None
        return (self.price.usd(max(ZERO, self.used + units - self.free)) - self.used_usd) * self.factor

    @cached_property
    def used_usd(self) -> Fraction:
        """What the account's use elsewhere costs without this line."""
        assert self.price is not None
        return self.price.usd(max(ZERO, self.used - self.free))

    def edges(self, clusters: int) -> Iterator[Fraction]:
        """Messages a month at which, with so many clusters, its next unit has another price."""
        if self.per_message and self.price is not None:
            for end in (ZERO, *(end for end, _ in self.price.tiers if end is not None)):
                yield (end + self.free - self.used - self.units(ZERO, clusters)) / self.per_message


@dataclass(frozen=True)
class Option:
    option_id: str
    side: str
    lines: tuple[Line, ...]
    messages_per_cluster: Fraction | None = None
    hour_rate: Fraction | None = None

    def clusters(self, messages: Fraction) -> int:
        """A full cluster asks for no other; one is always there."""
        if self.messages_per_cluster is None:
            return 1
        return max(1, math.ceil(messages / self.messages_per_cluster))

    def usd(self, messages: Fraction, clusters: int | None = None) -> Fraction | None:
        number = self.clusters(messages) if clusters is None else clusters
        costs = [line.usd(messages, number) for line in self.lines]
        known = [usd for usd in costs if usd is not None]
        return sum(known, ZERO) if len(known) == len(costs) else None

    def stretches(self, limit: Fraction) -> Iterator[tuple[int, Fraction, Fraction]]:
        """Clusters, and from above where to which traffic they are that many, as far as ``limit``."""
        size = self.messages_per_cluster
        for number in range(1, (SEARCH_CLUSTERS if size is not None else 1) + 1):
            start = (number - 1) * size if size is not None else ZERO
            if start >= limit:
                return
            yield number, start, min(limit, number * size) if size is not None else limit

    def end(self, limit: Fraction) -> Fraction:
        """Up to which traffic, at most ``limit``, all its lines have a price; 0: none."""
        reached = ZERO
        for number, start, full in self.stretches(limit):
            stop = full
            for line in self.lines:
                most = line.most_units
                if most is None:
                    continue
                room = most - line.units(ZERO, number)
                if line.per_message:
                    stop = min(stop, room / line.per_message)
                elif room < 0:
                    stop = start
            if stop <= start:
                return reached
            reached = stop
            if stop < full:
                return reached
        return reached

    def edges(self, limit: Fraction) -> set[Fraction]:
        """Every traffic within the limit at which its cost may bend or jump."""
        found = {ZERO, limit}
        for number, start, full in self.stretches(limit):
            found |= {start, full}
            for line in self.lines:
                found |= {edge for edge in line.edges(number) if start < edge < full}
        return {edge for edge in found if ZERO <= edge <= limit}
