"""The charts about money: every option is drawn, and what is drawn lies where the figures say."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from breakeven.report.charts.cost_curves import costs
from breakeven.report.charts.decision import decisions
from breakeven.report.charts.hours import hours
from breakeven.report.charts.tornado import tornado
from breakeven.report.contract.report_model import Report
from tests.fixtures.report import money, sample
from tests.fixtures.report.html import parse, text

PLAN = sample.planned()[:2]
TODAY, HISTORY = sample.QUESTION, sample.ARTICLE
OPTIONS = ("sqs-as-used", "sqs-batched", "rabbitmq", "amazon-mq")
Points = list[tuple[float, float]]


@cache
def report_of(given: tuple[tuple[str, Any], ...] = ()) -> Report:
    return sample.report(PLAN, **money.answers(**dict(given)))


@cache
def drawn(form: str) -> Element:
    (chart,) = costs(report_of())
    return parse(getattr(chart, form)).find(".//svg")


def ids(svg: Element, start: str) -> set[str]:
    """Ids in the picture that begin so, without the picture's own."""
    own = f"{svg.get('id')}-"
    found = {element.get("id", "") for element in svg.iter("g")}
    return {name.removeprefix(own) for name in found if name.startswith(own + start)}


def line(svg: Element, gid: str) -> Points:
    """Points of the line with that id, in the picture's units."""
    (group,) = [element for element in svg.iter("g") if element.get("id") == f"{svg.get('id')}-{gid}"]
    numbers = re.findall(r"[ML] (\S+) (\S+)", group.find("path").get("d"))
    return [(float(x), float(y)) for x, y in numbers]


def crossing(first: Points, second: Points) -> tuple[float, float]:
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
def test_every_option_is_drawn_and_named(form):
    svg = drawn(form)
    assert ids(svg, "line-") == {
        *(f"line-{option}-{TODAY}" for option in OPTIONS),
        f"line-sqs-as-used-{HISTORY}",
        f"line-rabbitmq-{HISTORY}",
    }
    labels = {text(label) for label in svg.iter("text")}
    today, history = report_of().cost_questions
    assert set(today.options.values()) <= labels
    assert {f"{name}, at 2012-12 prices" for name in history.options.values()} <= labels


@pytest.mark.parametrize("form", ["wide", "narrow"])
@pytest.mark.parametrize(
    ("sqs", "other", "question"),
    [
        *((sqs, other, TODAY) for sqs in OPTIONS[:2] for other in OPTIONS[2:]),
        ("sqs-as-used", "rabbitmq", HISTORY),
    ],
)
def test_each_crossing_is_marked_where_the_drawn_lines_cross(form, sqs, other, question):
    svg = drawn(form)
    gid = f"{svg.get('id')}-crossover-{sqs}-{other}-{question}-1"
    (mark,) = [element for element in svg.iter("g") if element.get("id") == gid]
    placed = mark.find(".//use")
    x, y = crossing(line(svg, f"line-{sqs}-{question}"), line(svg, f"line-{other}-{question}"))
    assert float(placed.get("x")) == pytest.approx(x, abs=2)
    assert float(placed.get("y")) == pytest.approx(y, abs=2)


def test_the_interval_is_shaded_only_where_there_is_one():
    assert ids(drawn("wide"), "interval") == {"interval"}
    (sure,) = costs(report_of((("empty_receives", 0.0),)))
    assert "interval-" not in sure.wide
    assert ids(parse(sure.wide).find(".//svg"), "interval") == set()


def test_lines_that_never_cross_have_no_ring_and_words_say_so():
    (chart,) = costs(report_of((("message_bytes", 65536),)))
    svg = parse(chart.wide).find(".//svg")
    assert ids(svg, "crossover-") == {f"crossover-sqs-as-used-rabbitmq-{HISTORY}-1"}
    assert "RabbitMQ pair of m7g.large never cost the same" in svg.get("aria-label")


def test_a_pair_that_crosses_again_and_again_is_marked_six_times_at_most():
    (chart,) = costs(report_of((("capacity_msg_per_s", 200.0), ("empty_receives", 0.0))))
    marks = ids(parse(chart.wide).find(".//svg"), f"crossover-sqs-as-used-rabbitmq-{TODAY}-")
    assert len(marks) == 6


def test_hours_are_drawn_for_each_price_of_sqs_that_they_can_win_against():
    (chart,) = hours(report_of())
    assert ids(parse(chart.wide).find(".//svg"), "hours-") == {"hours-sqs-as-used", "hours-sqs-batched"}
    (one,) = hours(report_of((("capacity_msg_per_s", 3000.0),)))
    assert ids(parse(one.wide).find(".//svg"), "hours-") == {"hours-sqs-as-used"}
    assert "Against SQS batched and long-polled it is never cheaper." in one.caption
    assert not list(hours(report_of((("message_bytes", 65536),))))


@pytest.mark.parametrize("form", ["wide", "narrow"])
def test_the_map_has_a_cell_for_each_run_of_each_winner(form):
    report = report_of((("capacities", (("m7g.xlarge", 12000.0),)), ("capacity_msg_per_s", 3000.0)))
    (chart,) = decisions(report)
    svg = parse(getattr(chart, form)).find(".//svg")
    rows = [(one.sqs_option, row) for one in report.decision_map for row in one.rows]
    runs = [(sqs, row.hours, winner) for sqs, row in rows for winner in row.cheapest]
    cells = ids(svg, "cell-")
    assert len(cells) == len(runs)
    assert {winner for _, _, winner in runs} == {"sqs-as-used", "sqs-batched", "m7g.large", "m7g.xlarge"}
    for sqs, worked, winner in runs:
        assert any(cell.startswith(f"cell-{sqs}-{worked:g}-{winner}-") for cell in cells)
    labels = {text(label) for label in svg.iter("text")}
    assert {"SQS is cheapest", "RabbitMQ pair of m7g.xlarge is cheapest"} <= labels


def test_sensitivity_draws_both_ends_of_what_moves_the_crossing():
    report = report_of()
    (chart,) = tornado(report)
    svg = parse(chart.wide).find(".//svg")
    labels = [text(label) for label in svg.iter("text")]
    assert {"SQS price", "instance price", "message size"} <= set(labels)
    assert {"59.9", "34.7", "33.8", "54.0"} <= set(labels)
    assert "peak factor" not in labels
    assert "Not moved by: batch fill of SQS batched, peak factor and utilisation." in chart.caption


def test_an_input_that_does_away_with_the_crossing_is_drawn_to_the_edge():
    gone = {"kind": "never", "msg_per_s": None}
    end = ("SQS price", 0.75)
    answered = money.answers()["sensitivity"]
    rows = [row | gone if (row["varied"], row["factor"]) == end else row for row in answered]
    (chart,) = tornado(sample.report(PLAN, sensitivity=rows))
    assert "never" in [text(label) for label in parse(chart.wide).iter("text")]


def test_without_a_crossing_there_is_nothing_to_move():
    assert not list(tornado(report_of((("message_bytes", 65536),))))


def test_nothing_priced_draws_nothing():
    report = sample.report(PLAN, **sample.NOTHING)
    for draw in (costs, hours, decisions, tornado):
        assert not list(draw(report))
