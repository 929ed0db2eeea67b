"""Rows of the tables about money; ``samples`` says how they are made."""

from __future__ import annotations

from collections.abc import Iterator

from tests.trino.samples import TEXTS, Row, Sample, sample

#: a question of this name varies another, or is one of a map: (what its id ends in, purpose, varied, factor)
VARIANTS = (
    ("", "headline", None, None),
    (".low", "interval", "calls, capacity", None),
    (".high", "interval", "calls, capacity", None),
    (".calls-0.75", "sensitivity", "calls", 0.75),
    (".capacity-1.25", "sensitivity", "capacity", 1.25),
    (".map", "map", None, None),
    (".board", "board", None, None),
    (".pairs", "pairs", None, None),
    (".pairs.low", "pairs-interval", None, None),
    (".staffed", "staffed", None, None),
    (".staffed.low", "staffed-interval", "calls, capacity", None),
    (".staffed.2-empty", "staffed-receives", "empty receives", 2.0),
)
UNITS = {"sqs": "request", "ec2": "hour", "ebs": "gb_month"}
#: a book in which SQS costs more than a full cluster and less than one just begun, ten times over
ALONG_THE_STEPS = "along the steps"
#: a book of which SQS' second tier is so cheap that clusters cost less than SQS up to some traffic only
FALLING = "falling"
SIZES = (1e6, 1e11, 1e12)  # the search ends at 2.6e13 messages a month


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
                    "unit": UNITS[service],
                    "tier_from": start,
                    "tier_to": end,
                    "usd": usd,
                    "source": given.random.choice(TEXTS),
                    "publisher": given.random.choice(("aws", "third-party", None)),
                    "as_of": "2026-10-08",
                }
                start = end or 0.0


@sample
def cost_options(given: Sample) -> Iterator[Row]:
    for question in _questions(given):
        for option_id, side in (("sqs", "sqs"), ("sqs-batched", "sqs"), *_others(question)):
            yield {
                **{
                    name: question[name] for name in ("question_id", "base_id", "purpose", "varied", "factor")
                },
                "option_id": option_id,
                "side": side,
                "book": question["book"],
                "label": given.random.choice(TEXTS),
                "messages_per_cluster": None if side in ("sqs", "bill") else question["size"],
                "hours_per_month": question["hours"],
                "asked_messages": question["asked"],
                "hour_rate": question["hour_rate"] if side == "self-hosted" else None,
            }


@sample
def cost_items(given: Sample) -> Iterator[Row]:
    for question in _questions(given):
        lines = [
            ("sqs", "requests", "sqs", "standard_request", {"units_per_message": question["calls"]}),
            ("sqs-batched", "requests", "sqs", "standard_request", {"units_per_message": 0.3}),
        ]
        for option_id, side in _others(question):
            instance = option_id if side == "self-hosted" else "m7g.large"
            lines += [
                (option_id, "instances", "ec2", instance, {"units_per_cluster": 2 * question["hours"]}),
                (option_id, "volumes", "ebs", "gp3_gb_month", {"units_per_cluster": 40.0}),
                (option_id, "people", "ec2", "m7g.large", {"units_fixed": 8.0}),
            ]
        for option_id, line, service, item, units in lines:
            free = question["free"] if line == "requests" else 0.0
            yield {
                "question_id": question["question_id"],
                "option_id": option_id,
                "line": line,
                "formula": given.random.choice(TEXTS),
                "book": question["book"],
                "service": service,
                "item": item,
                "price_factor": 0.9 if line == "instances" else 1.0,
                "units_fixed": 0.0,
                "units_per_message": 0.0,
                "units_per_cluster": 0.0,
                **units,
                "units_free": free,
                "units_used": question["used"] if line == "requests" else 0.0,
            }


def _others(question: Row) -> list[tuple[str, str]]:
    """Option and side of what stands beside SQS; the self-hosted ones have the names of their instances."""
    own = [("m7g.large", "self-hosted"), ("not known", "self-hosted")]
    return (
        own
        if question["purpose"] in {"map", "board"}
        else [*own, ("managed", "amazon-mq"), ("today", "bill")]
    )


def _questions(given: Sample) -> Iterator[Row]:
    """Each book's questions with their variants, the same for both tables."""
    random = given.shared("questions")
    for book in _books(given):
        free, used = random.choice((0.0, 0.0, 1e6)), random.choice((0.0, 0.0, 2e9))
        size, calls = random.choice(SIZES), random.choice((1.0, 3.0, 0.7, 9.0))
        asked, hour_rate = random.choice((size * 3, 12_345_678.9, 0.0, None)), random.choice((75.0, None))
        if book == "us-east-1@2026-11-20":
            asked, hour_rate = size * 3, 75.0
        if book == ALONG_THE_STEPS:
            size, calls, free, used = 1e7, 3.0, 0.0, 0.0
        if book == FALLING:
            size, calls, free, used = 1e10, 1.0, 0.0, 0.0
        for suffix, purpose, varied, factor in VARIANTS:
            grow = {".low": 0.5, ".high": 1.5, ".pairs.low": 0.5, ".staffed.low": 0.5}.get(suffix, 1.0)
            yield {
                "question_id": f"{book}{suffix}",
                "base_id": _base_of(book, purpose),
                "purpose": purpose,
                "varied": varied,
                "factor": factor,
                "book": book,
                "size": size * (factor or grow if varied not in {"calls", "empty receives"} else 1.0),
                "calls": calls * (factor or grow if varied != "capacity" else 1.0),
                "free": free,
                "used": used,
                "hours": 730.0,
                "asked": asked,
                "hour_rate": hour_rate,
            }


def _base_of(book: str, purpose: str) -> str:
    if purpose.startswith("pairs"):
        return f"{book}.pairs"
    return f"{book}.staffed" if purpose == "staffed-interval" else book


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
        ALONG_THE_STEPS: [(None, 1e-6)],
    }
    for number in range(8):
        widths = [float(random.randint(1, 10**9)) for _ in range(random.randint(0, 4))]
        tiers = [(width, random.choice((0.0, random.random() * 1e-6))) for width in widths]
        sqs[f"random-{number}"] = [*tiers, (None, random.random() * 1e-6)]
    sqs[FALLING] = [(1e9, 1e-6), (None, 1e-9)]
    books = {}
    for book, tiers in sqs.items():
        books[book] = {
            ("sqs", "standard_request"): tiers,
            ("ebs", "gp3_gb_month"): [(None, None if book == "2012-12" else 0.08)],
            ("ec2", "m7g.large"): [(None, random.choice((0.0816, random.uniform(0.01, 5))))],
            ("ec2", "not known"): [(None, None)],
        }
    # one cluster costs what SQS costs while its second tier is free
    books["free in between"] |= {("ec2", "m7g.large"): [(None, 0.0)], ("ebs", "gp3_gb_month"): [(None, 2.5)]}
    cluster = {("ec2", "m7g.large"): [(None, 27 / 1314)], ("ebs", "gp3_gb_month"): [(None, 0.0)]}
    books[ALONG_THE_STEPS] |= cluster
    books[FALLING] |= {("ec2", "m7g.large"): [(None, 0.1)]}
    return books
