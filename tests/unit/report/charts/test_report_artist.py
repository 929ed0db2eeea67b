"""Charts that another process draws: the same picture, whatever becomes of that process, and none is left."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable
from multiprocessing.context import SpawnProcess
from typing import Any

import pytest

from breakeven.report.charts.artist import drawing_beside, svgs_of
from breakeven.report.charts.cost_curves import costs
from breakeven.report.charts.decision import decisions
from breakeven.report.charts.drawing import Drawing, Form
from breakeven.report.charts.hours import hours
from breakeven.report.charts.over_time import over_time
from breakeven.report.charts.tornado import tornado
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart
from tests.fixtures.report import money, sample

DRAW = (costs, decisions, hours, over_time, tornado)


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report(sample.planned(), **money.answers())


def charts(report: Report) -> list[Chart]:
    return [chart for draw in DRAW for chart in draw(report)]


def svgs(found: Iterable[Chart]) -> list[tuple[str, str]]:
    return [(chart.wide, chart.narrow) for chart in found]


def test_another_process_draws_the_same_bytes(report: Report) -> None:
    with drawing_beside():
        beside = svgs(charts(report))
    assert len(beside) >= len(DRAW)
    assert beside == svgs(charts(report))


def test_what_was_drawn_can_be_had_after_the_process_has_ended(report: Report) -> None:
    with drawing_beside():
        found = list(costs(report))
    assert svgs(found) == svgs(costs(report))


def test_charts_are_drawn_here_once_the_process_is_gone(report: Report) -> None:
    with drawing_beside():
        (process,) = multiprocessing.active_children()
        process.kill()
        process.join()
        found = svgs(charts(report))
    assert found == svgs(charts(report))


def unpaintable(figure: Any, form: Form) -> None:
    raise ArithmeticError(form.name)


def test_what_cannot_be_drawn_says_here_what_is_wrong() -> None:
    broken = Drawing("broken", "", (100, 100), unpaintable)
    with drawing_beside():
        wait = svgs_of(broken)
        with pytest.raises(ArithmeticError, match="wide"):
            wait()


def axes(figure: Any, form: Form) -> None:
    figure.subplots()


def test_what_cannot_be_handed_over_is_drawn_here() -> None:
    def nested(figure: Any, form: Form) -> None:
        figure.subplots()

    bare = [Drawing("bare", "", (100, 100), paint) for paint in (axes, nested, axes)]
    with drawing_beside():
        asked = [svgs_of(drawing) for drawing in bare]
    assert [wait() for wait in asked] == [drawing.svgs() for drawing in bare]


def test_charts_are_drawn_here_where_no_process_can_be_started(report: Report, monkeypatch) -> None:
    def refused(_: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(SpawnProcess, "start", refused)
    with drawing_beside():
        found = svgs(charts(report))
    assert found == svgs(charts(report))


def test_no_process_is_left_whatever_ends_the_block(report: Report) -> None:
    def interrupted() -> None:
        with drawing_beside():
            assert len(multiprocessing.active_children()) == 1
            list(costs(report))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not multiprocessing.active_children()
    assert svgs(costs(report))
