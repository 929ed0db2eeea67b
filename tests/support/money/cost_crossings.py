"""Where two options cost the same, or change places: exact, by looking between all edges of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from gmpy2 import mpq as Fraction

from tests.support.money.cost_curves import SEARCH_CLUSTERS, ZERO, Option

SEARCH_MSG_PER_S = 10**7


@dataclass(frozen=True)
class Crossing:
    """A row of ``crossover.sql`` in messages a month; ``number`` None: there is no crossing."""

    kind: str
    number: int | None = None
    messages: Fraction | None = None
    equal_until: Fraction | None = None
    until: Fraction | None = None
    usd: Fraction | None = None
    below: str | None = None
    above: str | None = None
    searched: Fraction | None = None


@dataclass(frozen=True)
class Span:
    """From above ``start`` to ``end``: the difference's sign inside, and the difference at either end."""

    start: Fraction
    end: Fraction
    sign: int
    first: Fraction
    last: Fraction


@dataclass
class Pair:
    """Two options and the range in which they are compared: SQS and another, or any first and second."""

    sqs: Option
    other: Option
    hours: Fraction
    limit: Fraction = field(init=False)
    known: bool = field(init=False)

    def __post_init__(self) -> None:
        self.limit = self.hours * 3600 * SEARCH_MSG_PER_S
        self.known = all(line.known for option in (self.sqs, self.other) for line in option.lines)
        for option in (self.sqs, self.other) if self.known else ():
            if option.messages_per_cluster is not None:
                self.limit = min(self.limit, SEARCH_CLUSTERS * option.messages_per_cluster)
            self.limit = min(self.limit, option.end(self.limit))
        self.known = self.known and self.limit > 0

    def difference(self, messages: Fraction, at: Fraction) -> Fraction:
        """By how much SQS is dearer, with the clusters that there are at the traffic ``at``."""
        sqs = self.sqs.usd(messages, self.sqs.clusters(at))
        other = self.other.usd(messages, self.other.clusters(at))
        assert sqs is not None
        assert other is not None
        return sqs - other

    def name(self, sign: int) -> str | None:
        return {1: self.other.option_id, -1: self.sqs.option_id}.get(sign)

    def spans(self) -> list[Span]:
        """The whole range, parted at every edge of both, and where between two edges they cost the same."""
        edges = sorted(self.sqs.edges(self.limit) | self.other.edges(self.limit))
        found = []
        for start, end in pairwise(edges):
            inside = (start + end) / 2
            first, last = self.difference(start, inside), self.difference(end, inside)
            if first * last < 0:
                root = start + (end - start) * first / (first - last)
                found += [
                    Span(start, root, _sign(first), first, ZERO),
                    Span(root, end, _sign(last), ZERO, last),
                ]
            else:
                found.append(Span(start, end, _sign(first + last), first, last))
        return found

    def crossings(self) -> list[Crossing]:
        if not self.known:
            return [Crossing("unpriced")]
        spans = self.spans()
        found = [c for c in self._found(spans) if c is not None]
        if not found:
            (sign,) = {span.sign for span in spans}
            return [Crossing("never", below=self.name(sign), above=self.name(sign), searched=self.limit)]
        following = [*(c.messages for c in found[1:]), None]
        return [
            replace(c, number=n, until=until, usd=self._usd(c.kind, c.messages), searched=self.limit)
            for n, (c, until) in enumerate(zip(found, following, strict=True), 1)
            if c.messages is not None
        ]

    def _usd(self, kind: str, messages: Fraction) -> Fraction | None:
        """What the first costs there, its full clusters at an edge; of a tie what it costs just above."""
        size = self.sqs.messages_per_cluster
        above = 1 if size is None else messages // size + 1
        return self.sqs.usd(messages, above if kind == "tie" else None)

    def _found(self, spans: list[Span]) -> Iterator[Crossing | None]:
        """What is where a span begins, seen from the span before; then what is at the end."""
        for at, (before, after) in enumerate(zip([None, *spans], [*spans, None], strict=True)):
            if after is not None and after.sign == 0 and (before is None or before.sign != 0):
                rest = next((span for span in spans[at:] if span.sign != 0), None)
                until, above = (None, None) if rest is None else (rest.start, self.name(rest.sign))
                below = None if before is None else self.name(before.sign)
                yield Crossing("tie", None, after.start, until, below=below, above=above)
            elif before is not None and before.sign != 0:
                yield self._between(before, after)

    def _between(self, before: Span, after: Span | None) -> Crossing | None:
        equal = before.last == 0
        if after is None:
            kind = "meet" if equal else None
        elif after.sign == before.sign:
            kind = "touch" if equal else None
        else:
            kind = "meet" if equal and after.first == 0 else "step"
        if kind is None:
            return None
        above = None if after is None else self.name(after.sign)
        return Crossing(kind, None, before.end, before.end, below=self.name(before.sign), above=above)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
