"""Cost questions as rows of the tables, and random ones in whose figures exact coincidences are common.

Traffic is counted in a unit of a thirtieth of the range that is searched, money in quarters and tenths of
a dollar for one such unit: small numbers, so that edges, steps and crossings fall on one another.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gmpy2 import mpq as F

from tests.support.money.cost_crossings import Pair
from tests.support.money.cost_curves import ONE, ZERO, Line, Option, Price
from tests.support.money.query_tables import RUN_ID, Bucket

AMOUNTS = [F(n, 4) for n in (1, 1, 2, 2, 4, 4, 6, 8, 12)] + [F(1, 10), F(7, 10), F(13, 10)]
WIDTHS = [F(1, 2), F(1), F(1), F(2), F(3), F(5), F(8)]


@dataclass(frozen=True)
class Question:
    question_id: str
    options: tuple[Option, ...]
    hours: F = ONE
    purpose: str = "headline"
    base: str | None = None
    varied: str | None = None
    factor: float | None = None
    asked: F | None = None

    def pairs(self) -> dict[tuple[str, str], Pair]:
        """Both options' ids -> SQS beside another option."""
        return {
            (sqs.option_id, other.option_id): Pair(sqs, other, self.hours)
            for sqs in self.options
            for other in self.options
            if sqs.side == "sqs" and other.side != "sqs"
        }


def put(bucket: Bucket, questions: Iterable[Question], run_id: str = RUN_ID) -> None:
    """Store the rows; each question has a book of its own, and items have the same names in all."""
    options: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    prices: list[dict[str, Any]] = []
    for q in questions:
        for option in q.options:
            options.append(_option_row(q, option))
            for line in option.lines:
                items.append(_item_row(q, option, line))
                prices += _price_rows(q, option, line)
    for rows in (options, items, prices):
        random.Random(5).shuffle(rows)  # the order of rows in a file means nothing
    bucket.put("cost_options", options, run_id=run_id)
    bucket.put("cost_items", items, run_id=run_id)
    bucket.put("prices", prices, run_id=run_id)


def _float(value: F | None) -> float | None:
    return None if value is None else float(value)


def _option_row(q: Question, option: Option) -> dict[str, Any]:
    return {
        "question_id": q.question_id,
        "base_id": q.base or q.question_id,
        "purpose": q.purpose,
        "varied": q.varied,
        "factor": q.factor,
        "option_id": option.option_id,
        "side": option.side,
        "book": q.question_id,
        "label": option.option_id,
        "messages_per_cluster": _float(option.messages_per_cluster),
        "hours_per_month": float(q.hours),
        "asked_messages": _float(q.asked),
        "hour_rate": _float(option.hour_rate),
    }


def _named(q: Question, option: Option, line: Line) -> dict[str, Any]:
    return {"book": q.question_id, "service": option.side, "item": f"{option.option_id} {line.name}"}


def _item_row(q: Question, option: Option, line: Line) -> dict[str, Any]:
    return {
        "question_id": q.question_id,
        "option_id": option.option_id,
        "line": line.name,
        "formula": f"the {line.name} of {option.option_id}",
        **_named(q, option, line),
        "price_factor": float(line.factor),
        "units_fixed": float(line.fixed),
        "units_per_message": float(line.per_message),
        "units_per_cluster": float(line.per_cluster),
        "units_free": float(line.free),
        "units_used": float(line.used),
    }


def _price_rows(q: Question, option: Option, line: Line) -> list[dict[str, Any]]:
    start, rows = ZERO, []
    for end, usd in line.price.tiers if line.price is not None else ():
        tier = {
            "unit": f"{line.name} unit",
            "tier_from": float(start),
            "tier_to": _float(end),
            "usd": _float(usd),
        }
        rows.append({**_named(q, option, line), **tier})
        start = end or start
    return rows


def flat(usd: F | int | str | None) -> Price:
    """A price of one tier."""
    return Price(((None, None if usd is None else F(usd)),))


class Dice:
    """Random options; ``unit`` is the traffic in whose multiples everything is put."""

    def __init__(self, seed: object) -> None:
        self.random = random.Random(str(seed))
        self.hours = self.random.choice([F(1), F(1), F(730), F(1, 2)])
        self.unit = self.hours * self.random.choice([2**30, 10**9, 1_200_000_000])

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def amount(self) -> F:
        return self.random.choice(AMOUNTS)

    def price(self, width: F, usd: F, most: int = 4) -> Price:
        """Up to ``most`` tiers and a last, seldom with an end; at times one is free or not known."""
        ends, tiers = ZERO, []
        for _ in range(self.random.choice(range(most + 1))):
            ends += width * self.random.choice(WIDTHS)
            tiers.append((ends, ZERO if self.often(0.25) else usd * self.amount()))
        last = ends + width * self.random.choice(WIDTHS) * 2 if self.often(0.08) else None
        tiers.append((last, ZERO if self.often(0.08) else usd * self.amount()))
        if self.often(0.02):
            at = self.random.randrange(len(tiers))
            tiers[at] = (tiers[at][0], None)
        return Price(tuple(tiers))

    def metered(self, name: str) -> Line:
        """A line that grows with the messages."""
        calls = self.random.choice([F(1), F(1), F(3), F(1, 2), F(21, 10)])
        return Line(
            name,
            None if self.often(0.01) else self.price(self.unit * calls, 1 / (self.unit * calls)),
            factor=self.random.choice([F(1), F(1), F(1), F(1, 2), F(3, 4)]),
            fixed=self.random.choice([ZERO, ZERO, ZERO, self.unit * calls / 2]),
            per_message=calls,
            per_cluster=self.unit * calls / 4 if self.often(0.04) else ZERO,
            free=self.unit * calls * self.random.choice([0, 0, 0, 1, F(1, 2)]),
            used=self.unit * calls * self.random.choice([0, 0, 0, 1, F(1, 2), 4]),
        )

    def standing(self, name: str) -> Line:
        """A line that does not depend on the traffic."""
        tiers = self.price(F(1), F(1)) if self.often(0.2) else flat(self.amount())
        return Line(
            name,
            tiers,
            fixed=F(self.random.choice([1, 2, 3, 20])),
            factor=self.random.choice([F(1), F(1, 2)]),
        )

    def clustered(self, name: str, usd: F) -> Line:
        tiers = self.price(F(4), usd) if self.often(0.2) else flat(usd * self.amount())
        return Line(
            name,
            tiers,
            per_cluster=F(self.random.choice([1, 2, 3])),
            free=F(self.random.choice([0, 0, 0, 2])),
        )

    def sqs(self, name: str = "sqs") -> Option:
        lines = [self.metered("requests")]
        lines += [self.standing("endpoint")] if self.often(0.4) else []
        lines += [self.metered("traffic")] if self.often(0.3) else []
        return Option(name, "sqs", tuple(lines))

    def other(self, name: str = "other") -> Option:
        side = self.random.choice(["self-hosted", "self-hosted", "amazon-mq", "bill"])
        if side == "bill":
            return Option(name, side, (self.standing("bill"),))
        size = None if self.often(0.2) else self.unit * self.random.choice([1, 2, 2, 4, 4, 8, 16])
        lines = [self.clustered("instances", (size or self.unit) / self.unit)]
        lines += [self.standing("people")] if self.often(0.3) else []
        lines += [self.clustered("volumes", F(1))] if self.often(0.3) else []
        lines += [self.metered("traffic")] if self.often(0.3) else []
        return Option(name, side, tuple(lines), size, self.random.choice([None, F(60), F(75, 2)]))

    def comb(self) -> tuple[Option, Option]:
        """SQS runs along the steps of the other: at them, between them, above or below all of them."""
        usd, size = self.amount(), self.random.choice([1, 2, 4])
        offset = usd * size * self.random.choice([F(0), F(1, 4), F(1, 2), F(1), F(2)])
        requests = Line("requests", flat(usd / self.unit), per_message=F(1))
        steps = [Line("instances", flat(usd * size), per_cluster=F(1))]
        on_sqs = (Line("endpoint", flat(offset), fixed=F(1)),) if self.often(0.5) else ()
        steps += [] if on_sqs else [Line("people", flat(offset), fixed=F(1))]
        return Option("sqs", "sqs", (requests, *on_sqs)), Option(
            "other", "self-hosted", tuple(steps), self.unit * size
        )

    def side_by_side(self) -> tuple[Option, Option]:
        """Both rise alike, or not at all, for a while: the same until a step, a tier's edge or the end."""
        tiers = Price(tuple((None if e is None else e * self.unit, u) for e, u in self._level_tiers()))
        requests = Line("requests", tiers, per_message=F(1), fixed=self.unit)
        level = requests.usd(self.unit * 2, 1)
        assert level is not None
        rise = (replace(requests, fixed=ZERO),) if self.often(0.5) else ()
        start = requests.usd(ZERO, 1) if rise else level
        per = self.random.choice([F(0), F(0), (start or ZERO) / 2, start or ZERO])
        lines = (
            *rise,
            Line("people", flat((start or ZERO) - per), fixed=F(1)),
            Line("instances", flat(per), per_cluster=F(1)),
        )
        size = self.random.choice([None, self.unit, self.unit * 4, self.unit * 8])
        return Option("sqs", "sqs", (requests,)), Option("other", "self-hosted", lines, size)

    def _level_tiers(self) -> list[tuple[F | None, F]]:
        usd = self.amount() / self.unit
        rest: list[tuple[F | None, F]] = [(F(7), ZERO), (None, usd)] if self.often(0.6) else [(None, ZERO)]
        return [(F(self.random.choice([2, 3])), usd), *rest]

    def anchored(self) -> tuple[Option, Option]:
        """Made to cost the same where one of them has an edge, or anywhere, by a line for the cheaper."""
        sqs, other = self.sqs(), self.other()
        pair = Pair(sqs, other, self.hours)
        if not pair.known:
            return sqs, other
        edges = sorted(sqs.edges(pair.limit) | other.edges(pair.limit))
        at = self.random.choice([*edges, pair.limit * F(self.random.randrange(1, 8), 8)])
        more = Line("difference", flat(abs(pair.difference(at, at))), fixed=F(1))
        if pair.difference(at, at) > 0:
            return sqs, replace(other, lines=(*other.lines, more))
        return replace(sqs, lines=(*sqs.lines, more)), other

    def kink(self) -> tuple[Option, Option]:
        """The other rises faster than SQS, until they are equal where it goes on slower, or by a step."""
        usd, edge = self.amount() / self.unit, self.unit * self.random.choice([2, 3, 4])
        later = usd * self.random.choice([F(0), F(1, 2), F(1), F(2)])
        traffic = Line("traffic", Price(((edge, usd * 2), (None, later))), per_message=F(1))
        instances = Line("instances", flat(usd * self.unit), per_cluster=F(1))
        sqs = (
            Line("requests", flat(usd), per_message=F(1)),
            Line("endpoint", flat(usd * (edge + self.unit)), fixed=F(1)),
        )
        size = self.random.choice([None, edge, edge * 2])
        return Option("sqs", "sqs", sqs), Option("other", "self-hosted", (traffic, instances), size)

    def question(self, question_id: str) -> Question:
        kind = self.random.choice(["any"] * 3 + ["anchored"] * 3 + ["comb", "comb", "side by side", "kink"])
        if kind == "any":
            options = (self.sqs("sqs"), self.sqs("sqs batched"), self.other("a"), self.other("b"))
        else:
            make = {
                "anchored": self.anchored,
                "comb": self.comb,
                "side by side": self.side_by_side,
                "kink": self.kink,
            }[kind]
            options = make()
        return Question(question_id, tuple(options), self.hours)
