"""The page of a run of a thousand cases: as large as a browser opens at once, and no slower to answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.report.render.page import MOST_ROWS
from breakeven.report.render.page import page as render
from tests.fixtures.report import sample

pytestmark = pytest.mark.thorough

CASES = 1000


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    first = sample.planned()
    again = range(-(-CASES // len(first)))
    plan = [
        case.model_copy(update={"case_id": f"{case.case_id}.{repeat}", "repeat": repeat + 1})
        for repeat in again
        for case in first
    ][:CASES]
    path = tmp_path_factory.mktemp("large") / "index.html"
    path.write_text(render(sample.report(tuple(plan)), None), encoding="utf-8")
    return path


def test_it_is_below_three_megabytes(file):
    assert file.stat().st_size < 3_000_000


def test_its_tables_are_cut_and_say_so(file):
    text = file.read_text(encoding="utf-8")
    assert f"The first {MOST_ROWS} of " in text
    assert "rows: all are in report.md, report.json and cases.csv." in text


def test_it_paints_and_answers(browser, file):
    """How long both take is printed: other work on the machine may make either longer."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.locator("#yours-chart svg").wait_for()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    took = page.evaluate(
        """() => { const field = document.getElementById('control-traffic'), times = [];
        for (let rate = 100; rate < 120; rate++) {
          field.value = rate; const from = performance.now();
          field.dispatchEvent(new Event('input')); document.body.getBoundingClientRect();
          times.push(performance.now() - from);
        } return times.sort((a, b) => a - b)[10]; }"""
    )
    print(f"first paint after {paint:.0f} ms, ready after {ready:.0f} ms, a control's answer {took:.0f} ms")
    assert page.locator("#yours-verdict").inner_text().startswith("At 313 million messages")
    assert errors == []
    page.close()
