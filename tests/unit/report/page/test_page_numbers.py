"""The page writes figures as the report does, and finds names of regions as the report does."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

from breakeven import words
from breakeven.pricing.bill.lines import number
from breakeven.report.money.option_words import about
from breakeven.report.render.page import REGION
from tests.support.page.evaluator import WEB, written

REPORTS: dict[str, Callable[[float], str]] = {
    "about": about,
    "amount": words.amount,
    "dollars": words.dollars,
    "figure": words.figure,
    "number": number,
    "size": lambda value: words.size(int(value)),
    "unit_price": words.unit_price,
    "plural": lambda value: words.plural(int(value), "case"),
}
#: ties, edges between forms, and what is nothing
EDGES = (
    0.0,
    0.125,
    0.375,
    0.5,
    2.5,
    1000.5,
    999.995,
    999.5,
    1001.5,
    0.0005,
    1e-4,
    9.9995e-5,
    1e-5,
    1e-10,
    1.25e-9,
)
EDGES_ABOVE = (99.95, 100.0, 999_499.5, 999_500.0, 999_999.5, 999_999.7, 1_234_567.5, 1e9, 2.5e12, 1e15)
#: what only has values that are whole and not less than 0
WHOLE = {"size", "plural"}
SEED, COUNT = 11, 400


def values() -> Iterator[float]:
    drawn = random.Random(SEED)
    yield from (*EDGES, *EDGES_ABOVE)
    for _ in range(COUNT):
        yield 10 ** drawn.uniform(-11, 13)
        # a tie, where it is cut off after a digit or two less than it has
        yield drawn.randrange(1, 10**6) / 2 ** drawn.randrange(1, 8)


def figures() -> Iterator[tuple[str, float]]:
    for value in values():
        for name in REPORTS:
            if name in WHOLE:
                yield name, float(int(value) % 2**40)
            elif name == "unit_price":
                yield name, round(value % 1000, 12)
            else:
                yield name, value
                if name != "about":
                    yield name, 0.0 - value


def test_the_page_writes_every_figure_as_the_report_does() -> None:
    asked = list(figures())
    page = written(asked)
    assert len(page) > 1000
    other = {
        (name, value): (found, REPORTS[name](value))
        for (name, value), found in zip(asked, page, strict=True)
        if found != REPORTS[name](value)
    }
    assert other == {}


def test_a_negative_figure_has_a_minus_sign_before_the_dollars() -> None:
    assert (words.dollars(-5), words.dollars(-12_345.6)) == ("−$5.00", "−$12,346")
    assert (words.figure(-1234.5), words.figure(-1e-10)) == ("−1,230", "−1.00e-10")


def test_the_page_knows_a_region_by_the_same_pattern() -> None:
    text = (WEB / "src" / "view" / "dom.ts").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"const REGION = /(.*)/;", text)
    assert pattern.replace("b(", "b", 1).replace(")\\b", "\\b") == REGION.pattern
