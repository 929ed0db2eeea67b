"""Rows of the tables about money; ``samples`` says how they are made."""

from __future__ import annotations

from collections.abc import Iterator

from tests.trino.samples import TEXTS, Row, Sample, sample


@sample
def prices(given: Sample) -> Iterator[Row]:
    for book, priced in _books(given).items():
        for (service, item), tiers in priced.items():
            start = 0.0
            for width, usd in tiers:
                end = None if width is None else start + width
                yield {
                    "book": book,
                    "region": book.partition("@")[0],
                    "service": service,
                    "item": item,
                    "unit": {"sqs": "request", "ec2": "hour", "ebs": "gb_month"}[service],
                    "tier_from": start,
                    "tier_to": end,
                    "usd": usd,
                    "source": given.random.choice(TEXTS),
                    "as_of": "2026-10-08",
                }
                start = end or 0.0


@sample
def cost_inputs(given: Sample) -> Iterator[Row]:
    random = given.random
    for book, priced in _books(given).items():
        for instance in (item for service, item in priced if service == "ec2"):
            for calls in (1.0, 3.0, 0.7, 9.0):
                volume = given.maybe("gp3_gb_month", null=0.4)
                yield {
                    "question_id": f"{book}.{instance}.{calls}",
                    "book": book,
                    "sqs_item": "standard_request",
                    "calls_per_message": calls,
                    "free_requests": random.choice((0.0, 0.0, 1e6)),
                    "instance_type": instance,
                    "nodes": 1 if instance == "exact" else random.choice((1, 2, 3)),
                    "volume_item": None if instance == "exact" else volume,
                    "volume_gb": volume and random.choice((20.0, 123.4)),
                    "hours_per_month": 1.0 if instance == "exact" else 730.0,
                }


def _books(given: Sample) -> dict[str, dict[tuple[str, str], list[tuple[float | None, float | None]]]]:
    """Book -> (service, item) -> tiers: (width or None for no end, dollars or None for not known)."""
    random = given.shared("books")
    today = [(1e11, 4e-7), (1e11, 3e-7), (None, 2.4e-7)]
    free_in_between = [(100.0, 1.0), (50.0, 0.0), (None, 1.0)]
    sqs = {
        "us-east-1@2026-11-20": today,
        "2012-12": [(None, 1e-6)],
        "first tier not known": [(1e9, None), (None, 3e-7)],
        "priced to an end": [(1e6, 4e-7)],
        "free in between": free_in_between,
    }
    for number in range(8):
        widths = [float(random.randint(1, 10**9)) for _ in range(random.randint(0, 4))]
        tiers = [(width, random.choice((0.0, random.random() * 1e-6))) for width in widths]
        sqs[f"random-{number}"] = [*tiers, (None, random.random() * 1e-6)]
    books = {}
    for book, tiers in sqs.items():
        books[book] = {
            ("sqs", "standard_request"): tiers,
            ("ebs", "gp3_gb_month"): [(None, None if book == "2012-12" else 0.08)],
            ("ec2", "m7g.large"): [(None, random.choice((0.0816, random.uniform(0.01, 5))))],
            ("ec2", "not known"): [(None, None)],
        }
    books["free in between"]["ec2", "exact"] = [(None, 100.0)]
    return books
