"""The pages of ``breakeven compare`` and ``breakeven trend`` in a real browser: on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from cli.main import main
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import monthly, store
from tests.support.page.accessible import assert_accessible

HOSTILE = '"><script>window.ran=1</script><img src=x onerror="window.ran=1">' + "w" * 200
SLOWER = {sample.RABBITMQ: 1.25}
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both pages as the commands write them; from July on the broker is slower, and texts are hostile."""
    runs, pages = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("pages")
    later = {"manifest": sample.manifest().model_copy(update={"rabbitmq": HOSTILE}), "title": HOSTILE}
    for month in range(4, 10):
        store(runs, monthly(month) if month < 7 else monthly(month, SLOWER, **later))
    assert main(["compare", "m4", "m9", "--runs", str(runs), "--out", str(pages / "compare.html")]) == 0
    assert main(["trend", "quick", "--runs", str(runs), "--out", str(pages / "trend.html")]) == 0
    return pages


@pytest.fixture(params=["compare.html", "trend.html"])
def opened(request: pytest.FixtureRequest, browser: Browser, site: Path) -> Iterator[Page]:
    """The page, of which every request, error, message of the console and dialog is noted."""
    page, events = browser.new_page(viewport=DESK), list[str]()
    page.on("request", lambda asked: events.append(asked.url))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.on("console", lambda message: events.append(message.text))
    page.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
    address = (site / request.param).as_uri()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    yield page
    page.close()
    assert events == [address], "nothing but the page itself was asked for, and nothing was complained of"


def test_it_fits_its_window_shows_its_charts_whole_and_is_accessible(opened: Page) -> None:
    assert " of RabbitMQ mirrored pair" in opened.locator("h1").inner_text()
    for size, form in ((DESK, "wide"), (PHONE, "narrow")):
        opened.set_viewport_size(size)
        widths = opened.evaluate("[innerWidth, document.scrollingElement.scrollWidth]")
        assert widths == [size["width"]] * 2
        charts = opened.locator("figure.chart").all()
        assert bool(charts) == opened.url.endswith("/trend.html"), "a comparison of two runs has tables alone"
        for chart in charts:
            assert chart.locator(f".{form} svg").is_visible()
        cut = opened.evaluate(
            """() => [...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width)
            .flatMap(svg => [...svg.querySelectorAll('text')].filter(text => {
                const t = text.getBoundingClientRect(), s = svg.getBoundingClientRect();
                return t.left < s.left - 1 || t.right > s.right + 1;
            }).map(text => text.textContent))"""
        )
        assert cut == []
        assert_accessible(opened)


def test_on_a_phone_the_first_figures_are_seen(opened: Page) -> None:
    opened.set_viewport_size(PHONE)
    ends = opened.evaluate(
        """() => [...document.querySelectorAll('[id^=table-drift-], #table-series, #table-change-points')]
        .filter(table => table.id !== 'table-drift-changes')
        .map(table => table.querySelector('tbody tr:not(.section) td:not(.source)'))
        .map(cell => cell.getBoundingClientRect().right)"""
    )
    assert ends
    assert max(ends) <= PHONE["width"]


def test_nothing_from_a_suite_or_a_manifest_runs(opened: Page) -> None:
    assert opened.evaluate("window.ran") is None
    assert opened.locator("body").inner_text().count("<script>window.ran=1</script>") >= 1
