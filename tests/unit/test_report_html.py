"""The page as a file: complete in itself, escaped, and emulated never unnamed."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest

from breakeven.report.differences import differences
from breakeven.report.model import Report
from breakeven.report.page import page
from breakeven.report.published import load_shipped, published_for
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse, text

HOSTILE = "$\\frac{x}$ \"><script>alert(1)</script><img src=x onerror=alert(2)> ]]> &amp; 'x'"
PLAN = sample.planned()
FEW = PLAN[:4]


@cache
def rendered() -> str:
    return page(sample.report(), load_shipped("source-a"))


@cache
def tree() -> Element:
    return parse(rendered())


def hostile_report() -> Report:
    """Every text that a suite, a broker or an error can bring in."""
    rows = [
        row | {"scenario": HOSTILE, "cell": HOSTILE, "reason": HOSTILE, "variant": HOSTILE}
        for row in sample.answers(FEW).cases
    ]
    report = sample.report(FEW, cases=sample.failed(rows, HOSTILE, FEW[3].case_id))
    said = {"rabbitmq": HOSTILE, "sqs": HOSTILE, "notes": [HOSTILE], "hardware": {HOSTILE: HOSTILE}}
    manifest = report.manifest.model_copy(update=said | {"versions": {HOSTILE: HOSTILE}})
    return report.model_copy(update={"title": HOSTILE, "run_id": HOSTILE, "manifest": manifest})


def test_the_verdict_comes_before_any_other_text():
    assert text(tree().find(".//body")).startswith(
        "SQS is cheaper below about 38.9 messages a second; above it"
    )
    assert text(tree().find(".//h1")) == sample.report().verdict.split("\n\n")[0]


def test_it_refers_to_nothing_outside_itself():
    for element in tree().iter():
        for name, value in element.attrib.items():
            if name.split(":")[-1] in {"src", "href", "srcset", "action", "data", "poster"}:
                assert value.startswith("#"), (element.tag, name, value)
            if not name.startswith("xmlns"):
                assert "http" not in value or name == "http-equiv" or name == "content"
    assert not re.search(r"@import|url\((?!#)", rendered())
    assert not [element for element in tree().iter() if element.tag in {"script", "iframe", "object", "link"}]


def test_every_id_is_there_once_and_every_reference_meets_one():
    ids = [element.get("id") for element in tree().iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    wanted = {
        value[1:]
        for element in tree().iter()
        for name, value in element.attrib.items()
        if name.endswith("href")
    } | set(re.findall(r"url\(#([^)]+)\)", rendered()))
    assert wanted - set(ids) == set()


def test_text_from_outside_is_never_markup():
    root = parse(page(hostile_report(), None))
    assert not [element for element in root.iter() if element.tag in {"script", "img"}]
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert "<script>alert(1)</script>" in text(root.find(".//header")), "shown as it was written"
    charts = [text(svg) for svg in root.iter("svg")]
    assert any("$\\frac{x}$" in words for words in charts), "a dollar is no formula"


def test_every_row_of_emulated_figures_carries_the_badge():
    rows = [row for row in tree().iter("tr") if row.find("th") is not None and row.find("td") is not None]
    emulated = [
        row for row in rows if text(row.find("th")) == "SQS standard" and "published" not in row.get("class")
    ]
    assert len(emulated) > 24
    assert {text(row.find(".//span")) for row in emulated} == {"EMULATED"}


def test_every_chart_that_shows_emulated_figures_says_so():
    figures = [figure for figure in tree().iter("figure") if figure.get("class") == "chart"]
    assert len(figures) == 5
    for figure in figures:
        labels = {text(label) for label in figure.iter("text") if "SQS" in text(label)}
        allowed = {"SQS standard (emulated)", "SQS standard (published 2012)"}
        if figure.get("id") == "chart-cost":  # prices are real ones
            allowed = {"SQS, us-east-1@2026-11-20", "SQS, 2012-12"}
        else:
            assert "SQS standard: emulated" in text(figure.find("figcaption"))
        assert labels
        assert labels <= allowed


def test_every_picture_has_words_for_those_who_cannot_see_it():
    pictures = list(tree().iter("svg"))
    assert len(pictures) == 10, "each chart in a wide and a narrow form"
    assert {picture.get("role") for picture in pictures} == {"img"}
    assert all(len(picture.get("aria-label")) > 40 for picture in pictures)
    cost = next(picture for picture in pictures if picture.get("id") == "cost-wide")
    assert "lines meet at 38.9 messages a second" in cost.get("aria-label")


def line(svg: Element, gid: str) -> list[tuple[float, float]]:
    """Points of the line with that id, in the picture's units."""
    (group,) = [element for element in svg.iter("g") if element.get("id") == f"{svg.get('id')}-{gid}"]
    numbers = re.findall(r"[ML] (\S+) (\S+)", group.find("path").get("d"))
    return [(float(x), float(y)) for x, y in numbers]


def crossing(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> tuple[float, float]:
    """Where two polylines cross, by walking along both."""
    for (ax, ay), (bx, by) in pairwise(first):
        for (cx, cy), (dx, dy) in pairwise(second):
            across = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
            if not across:
                continue
            t = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / across
            u = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / across
            if 0 <= t <= 1 and 0 <= u <= 1:
                return ax + t * (bx - ax), ay + t * (by - ay)
    raise AssertionError("the lines do not cross")


@pytest.mark.parametrize("form", ["wide", "narrow"])
@pytest.mark.parametrize("book", ["2012-12", "us-east-1@2026-11-20"])
def test_the_crossover_is_marked_where_the_drawn_lines_cross(form, book):
    (svg,) = [element for element in tree().iter("svg") if element.get("id") == f"cost-{form}"]
    sqs, pair = line(svg, f"line-sqs-standard-{book}"), line(svg, f"line-rabbitmq-mirrored-pair-{book}")
    (mark,) = [element for element in svg.iter("g") if element.get("id") == f"cost-{form}-crossover-{book}"]
    placed = mark.find(".//use")
    x, y = crossing(sqs, pair)
    assert float(placed.get("x")) == pytest.approx(x, abs=1)
    assert float(placed.get("y")) == pytest.approx(y, abs=1)


def test_failed_cases_and_their_reasons_are_shown_at_the_top():
    report = sample.report(
        FEW, cases=sample.failed(sample.answers(FEW).cases, "Loaders: it broke", FEW[3].case_id)
    )
    root = parse(page(report, None))
    (section,) = [element for element in root.iter("section") if element.get("id") == "failed"]
    assert "RabbitMQ mirrored pair: Loaders: it broke" in text(section)
    sections = [element.get("id") for element in root.iter("section")]
    assert sections[0] == "failed"
    assert not [element for element in tree().iter("section") if element.get("id") == "failed"]


def test_a_run_in_which_everything_failed_still_has_its_page():
    rows = sample.failed(sample.answers(PLAN).cases, "it broke", *(case.case_id for case in PLAN))
    nothing = dict.fromkeys(("throughput", "latencies", "rates", "ledgers", "crossovers", "cost_lines"), ())
    report = sample.report(PLAN, cases=rows, **nothing)
    root = parse(page(report, published_for(report)))
    assert not list(root.iter("svg"))
    assert "No latency was recorded in this run." in text(root)
    assert "24 of 24 cases failed" in text(root.find(".//header"))


def test_what_still_differs_is_told_of_the_place_it_ran_in():
    (table,) = [element for element in tree().iter("figure") if element.get("id") == "table-differences"]
    said = text(table)
    assert "none: two nodes on one machine" in said
    assert "ElasticMQ 1.7.1, a stand-in" in said
    assert "RabbitMQ 3.10.8, Erlang 25.2.3; no longer supported by its makers" in said
    assert "lose what one side took (ignore)" in said
    rows = [row | {"provenance": "measured", "environment": "aws"} for row in sample.answers(FEW).cases]
    report = sample.report(FEW, cases=rows).model_copy(update={"environment": "aws"})
    remote = " ".join(cell for row in differences(report).rows for cell in row.cells)
    assert "stand-in" not in remote
    assert "TLS; at rest by default (SSE-SQS)" in remote


def test_the_same_report_gives_the_same_bytes():
    report = sample.report(FEW)
    assert page(report, None) == page(report, None)
