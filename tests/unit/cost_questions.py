"""Cost questions in exact decimals, and their answers by brute force in fractions."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from query_tables import Bucket

Number = int | str


@dataclass(frozen=True)
class Question:
    """A cost question in exact decimals; ``tiers`` are (width or None, dollars a request)."""

    tiers: tuple[tuple[int | None, str], ...]
    free: int = 0
    calls: Number = 3
    instance_usd: str | None = "1"
    nodes: int = 2
    hours: int = 730
    volume_gb: int | None = None
    volume_usd: str | None = None

    @property
    def line_usd(self) -> Fraction:
        volume = Fraction(self.volume_usd or 0) * (self.volume_gb or 0)
        return self.nodes * (Fraction(self.instance_usd or 0) * self.hours + volume)

    @property
    def breaks(self) -> list[Fraction]:
        """Requests a month at which the price changes."""
        found = [Fraction(0), Fraction(self.free)]
        for width, _ in self.tiers:
            if width is not None:
                found.append(found[-1] + width)
        return found

    @property
    def ends(self) -> bool:
        return self.tiers[-1][0] is not None

    def sqs_usd(self, requests: Fraction) -> Fraction:
        """What the requests cost, counted tier by tier."""
        rest, usd = max(Fraction(0), requests - self.free), Fraction(0)
        for width, price in self.tiers:
            part = rest if width is None else min(rest, Fraction(width))
            usd, rest = usd + part * Fraction(price), rest - part
        return usd

    def put(self, bucket: Bucket, name: str = "q") -> None:
        put(bucket, {name: self})


def put(bucket: Bucket, asked: dict[str, Question]) -> None:
    prices, inputs = [], []
    for name, q in asked.items():
        start = 0
        for width, usd in q.tiers:
            end = None if width is None else start + width
            tier = {"service": "sqs", "item": "standard_request", "tier_from": start, "tier_to": end}
            prices.append({"book": name, **tier, "usd": None if usd == "unknown" else float(usd)})
            start = end or 0
        flat = {"book": name, "tier_from": 0.0}
        if q.instance_usd is not None:
            prices.append({**flat, "service": "ec2", "item": "m7g.large", "usd": float(q.instance_usd)})
        usd = None if q.volume_usd is None else float(q.volume_usd)
        prices.append({**flat, "service": "ebs", "item": "gp3_gb_month", "usd": usd})
        inputs.append(
            {
                "question_id": name,
                "book": name,
                "sqs_item": "standard_request",
                "calls_per_message": float(q.calls),
                "free_requests": float(q.free),
                "instance_type": "m7g.large",
                "nodes": q.nodes,
                "volume_item": None if q.volume_gb is None else "gp3_gb_month",
                "volume_gb": q.volume_gb,
                "hours_per_month": float(q.hours),
            }
        )
    random.Random(5).shuffle(prices)  # the order of rows in a file means nothing
    bucket.put("prices", prices)
    bucket.put("cost_inputs", inputs)


def equal_range(q: Question) -> tuple[Fraction, Fraction | None] | None:
    """Least and greatest requests at which both cost the same; None as greatest: no end.

    By brute force: the cost at every break (and one point beyond the last), joined by straight lines.
    """
    line, points = q.line_usd, q.breaks
    beyond = points[-1] + 1
    pairs = list(zip(points, points[1:] if q.ends else [*points[1:], beyond], strict=False))
    least: Fraction | None = None
    greatest: Fraction | None = None
    for left, right in pairs:
        at_left, at_right = q.sqs_usd(left), q.sqs_usd(right)
        slope = (at_right - at_left) / (right - left) if right > left else Fraction(0)
        endless = not q.ends and right == beyond
        if slope == 0:
            if at_left == line:
                least = left if least is None else least
                greatest = right
                if endless:
                    return least, None
            continue
        at = left + (line - at_left) / slope
        if left <= at and (endless or at <= right):
            least = at if least is None else min(least, at)
            greatest = at if greatest is None else max(greatest, at)
    return None if least is None else (least, greatest)
