"""Every figure of the first screen, and every chart, says where it comes from by a click and by a key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from breakeven.report.render.page import page as render
from tests.support.page import owner_report
from tests.support.page.owner_questions import OWNER

PAIR = f"{OWNER}&deployment=pair"
DIALOG = "#explanation"


@pytest.fixture(scope="module")
def files(tmp_path_factory, calculator) -> dict[str, Path]:
    run = tmp_path_factory.mktemp("figures") / "run.html"
    run.write_text(render(owner_report.report(), None), encoding="utf-8")
    return {"run": run, "calculator": calculator}


@pytest.fixture(scope="module")
def page(browser) -> Page:
    return browser.new_page(viewport={"width": 1280, "height": 900})


def opened(page: Page, file: Path, hash: str = "") -> Page:
    page.goto("about:blank")
    page.goto(file.as_uri() + hash)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    return page


def explained(page: Page) -> str:
    """What the dialog says, which is closed again."""
    said = page.locator(DIALOG).inner_text()
    page.keyboard.press("Escape")
    assert not page.locator(DIALOG).is_visible()
    return said


@pytest.mark.parametrize("name", ["run", "calculator"])
def test_every_chart_names_its_query(page, files, name):
    opened(page, files[name])
    charts = page.locator("figure.chart")
    buttons = page.locator("figure.chart[data-queries] button.origin")
    assert buttons.count() == charts.count() > 2
    for at in range(buttons.count()):
        buttons.nth(at).press("Enter")
        assert ".sql" in explained(page), charts.nth(at).get_attribute("id")
    page.locator("#chart-cost button.origin").click()
    said = explained(page)
    assert "queries/money/cost_curves.sql" in said
    assert "2026-07-20" in said, "with inputs and prices, and their dates"


@pytest.mark.parametrize("name", ["run", "calculator"])
def test_the_readers_own_chart_does_too(page, files, name):
    opened(page, files[name]).locator("#yours-chart button.origin").press("Enter")
    said = explained(page)
    assert "queries/money/cost_curves.sql" in said
    assert "The bill of SQS as used" in said


@pytest.mark.parametrize("name", ["run", "calculator"])
def test_every_figure_of_the_first_screen_opens_what_it_comes_from(page, files, name):
    opened(page, files[name], PAIR)
    for part in ("h1", "#yours-verdict", "#yours-beside", "#yours-supposed", ".keys dd"):
        figures = page.locator(f"{part} button.said")
        assert figures.count(), part
        for at in range(figures.count()):
            figures.nth(at).press("Enter")
            said = explained(page)
            assert ".sql" in said, (part, at)
        figures.first.click()
        assert ".sql" in explained(page)
    paragraphs = page.locator(".verdict p", has_text="0")
    assert paragraphs.locator("button.origin").count() == paragraphs.count() > 0


def test_a_price_opens_its_bill_and_a_rate_its_crossing(page, files):
    opened(page, files["run"], PAIR).locator("#yours-verdict button.said", has_text="$0.20").click()
    assert explained(page).startswith("SQS batched and long-polled: $0.20 a month")
    page.locator("#yours-beside button.said", has_text="5,580").first.press("Enter")
    assert explained(page).startswith("RabbitMQ pair of m7g.large against SQS batched and long-polled")
    page.locator(".keys button.said").first.click()
    said = explained(page)
    assert said.startswith("RabbitMQ pair of m7g.large against SQS as used")
    assert "queries/money/crossover.sql" in said


def test_a_figure_that_reads_like_a_crossing_is_explained_as_what_it_is(page, files):
    """The reader's own rate, what a cluster must carry at it, and hours, each the number of a crossing."""
    same = "traffic=5580&peak_factor=1&utilisation=1&hours=45&hour_rate=0"
    opened(page, files["run"], f"#v1&deployment=pair&{same}")
    beside = page.locator("#yours-beside button.said")
    assert beside.filter(has_text="5,580").count() > 0
    for part in ("#yours-verdict", "#yours-supposed"):
        page.locator(f"{part} button.said", has_text="5,580").first.click()
        assert explained(page).startswith("What these figures come from"), part
    hours, crossing = beside.filter(has_text=re.compile("^45$")).all()[:2]
    crossing.click()
    assert explained(page).startswith("RabbitMQ pair of m7g.large against SQS as used")
    hours.click()
    assert explained(page).startswith("What these figures come from")


def test_names_dates_and_releases_are_no_figures(page, files):
    opened(page, files["calculator"], PAIR)
    assert "left RabbitMQ in 4.0" in page.locator("#yours-beside").inner_text()
    figures = page.locator("h1 button.said, .shown button.said").all_inner_texts()
    assert [text for text in figures if text in {"4.0", "7", "1", "7g"} or text.endswith(",")] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_sentences_with_figures_stay_sentences(page, files, width):
    opened(page, files["calculator"], PAIR)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.scrollingElement.scrollWidth") == width
    assert "SQS batched and long-polled is the cheapest: $0.20 a month, $" in (
        page.locator("#yours-verdict").inner_text()
    )
