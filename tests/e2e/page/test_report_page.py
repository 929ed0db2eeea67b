"""The page in a real browser: on a desk, on a phone, on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from breakeven.published.rows import load_shipped
from breakeven.report.render.page import page as render
from tests.fixtures.report import sample

HOSTILE = '"><script>window.ran=1</script><img src=x onerror="window.ran=1">' + "w" * 300
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    plan = sample.planned()
    (folder / "index.html").write_text(render(sample.report(), load_shipped("source-a")))
    rows = [row | {"cell": HOSTILE, "reason": HOSTILE} for row in sample.answers(plan[:4]).cases]
    rows = sample.failed(rows, HOSTILE, plan[0].case_id)
    hostile = sample.report(plan[:4], cases=rows).model_copy(update={"title": HOSTILE, "run_id": HOSTILE})
    (folder / "hostile.html").write_text(render(hostile, None))
    return folder


@pytest.fixture
def opened(browser, site):
    """Opens a page at a size, and notes every request, error and dialog."""
    pages: list[Page] = []
    events: list[str] = []
    expected: list[str] = []

    def open_page(name: str, viewport: dict[str, int]) -> Page:
        page = browser.new_page(viewport=viewport)
        pages.append(page)
        page.on("request", lambda request: events.append(request.url))
        page.on("pageerror", lambda error: events.append(str(error)))
        page.on("dialog", lambda dialog: (events.append(dialog.message), dialog.dismiss()))
        expected.append((site / name).as_uri())
        page.goto(expected[-1])
        page.evaluate("document.querySelectorAll('details.question').forEach(fold => fold.open = true)")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert events == expected, "nothing but the pages themselves was asked for, whatever was done with them"


def test_no_table_hides_a_column_at_the_width_of_a_desk(opened):
    page = opened("index.html", DESK)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    wider = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1)"
    assert page.evaluate("document.querySelectorAll('.scroll').length") > 10
    assert page.evaluate(f"{wider}.map(box => box.ariaLabel)") == []


@pytest.mark.parametrize("name", ["index.html", "hostile.html"])
def test_the_page_is_never_wider_than_its_window(opened, name):
    page = opened(name, DESK)
    for width in (1280, 821, 820, 390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("[innerWidth, document.scrollingElement.scrollWidth]") == [width, width]


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_the_verdict_is_what_is_seen_first(opened, viewport):
    page = opened("index.html", viewport)
    top = page.locator("body").inner_text().strip()
    assert top.startswith(sample.report().verdict.split("\n\n")[0])
    box = page.locator("h1").bounding_box()
    assert box["y"] + box["height"] < viewport["height"] / 2


def test_the_name_of_a_region_is_never_broken(opened):
    page = opened("index.html", PHONE)
    names = "[...document.querySelectorAll('h1 .whole, #yours-verdict .whole')]"
    for width in (1280, *range(320, 431, 10)):
        page.set_viewport_size({"width": width, "height": 844})
        assert (
            page.evaluate(f"{names}.map(name => [name.textContent, name.getClientRects().length])")
            == [["us-east-1", 1]] * 2
        )
    assert page.locator("h1").inner_text() == sample.report().verdict.split("\n\n")[0]


@pytest.mark.parametrize(
    ("viewport", "shown", "hidden"), [(DESK, "wide", "narrow"), (PHONE, "narrow", "wide")]
)
def test_charts_have_the_form_that_fits(opened, viewport, shown, hidden):
    page = opened("index.html", viewport)
    charts = page.locator("figure.chart").all()
    assert len(charts) >= 3
    for chart in charts:
        assert chart.locator(f".{shown} svg").is_visible()
        assert not chart.locator(f".{hidden} svg").is_visible()
        smallest = chart.locator(f".{shown} svg text").evaluate_all(
            "texts => Math.min(...texts.map(t => t.getBoundingClientRect().height).filter(h => h))"
        )
        assert smallest is not None, "of no letters the least is Infinity, which is none in JSON"
        assert smallest >= 9, "letters are large enough to read"


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_no_letter_of_a_chart_is_cut_off(opened, viewport):
    page = opened("index.html", viewport)
    cut = page.evaluate(
        """() => [...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width)
        .flatMap(svg => [...svg.querySelectorAll('text')].filter(text => {
            const t = text.getBoundingClientRect(), s = svg.getBoundingClientRect();
            return t.left < s.left - 1 || t.right > s.right + 1
                || t.top < s.top - 1 || t.bottom > s.bottom + 1;
        }).map(text => text.textContent))"""
    )
    assert cut == []


def test_no_table_on_a_phone_has_a_head_of_blanks_over_one_long_title(opened):
    page = opened("index.html", PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    heads = page.evaluate(
        """[...document.querySelectorAll('.scroll thead')].map(head =>
            [head.closest('figure')?.id, head.getBoundingClientRect().height])"""
    )
    assert len(heads) > 20
    assert [head for head in heads if head[1] > 105] == [], "two rows of titles, of two lines each"


def test_wide_tables_scroll_in_a_box_of_their_own_and_keep_their_labels(opened):
    page = opened("index.html", PHONE)
    box = page.locator("#table-ledger .scroll")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    label = page.locator("#table-ledger tbody tr:not(.section) th").first
    before = label.bounding_box()["x"]
    box.evaluate("box => { box.scrollLeft = 200 }")
    assert label.bounding_box()["x"] == pytest.approx(before, abs=1)


def test_emulated_stands_out_in_every_table(opened):
    page = opened("index.html", DESK)
    badges = page.locator("tr.emulated .badge")
    assert badges.count() > 24
    assert set(badges.all_inner_texts()) <= {"EMULATED", ""}  # closed details have no text
    style = badges.first.evaluate("badge => getComputedStyle(badge).backgroundColor")
    assert style != page.locator("tr.measured .badge").first.evaluate(
        "b => getComputedStyle(b).backgroundColor"
    )


def test_nothing_from_a_suite_runs(opened):
    page = opened("hostile.html", DESK)
    assert page.evaluate("window.ran") is None
    assert "<script>window.ran=1</script>" in page.locator(".failures").inner_text()


def test_on_paper_everything_is_unfolded(opened):
    page = opened("index.html", DESK)
    page.emulate_media(media="print")
    assert page.locator("#table-metrics tbody tr").last.bounding_box()["height"] > 0
    assert not page.locator("nav").is_visible()
    assert re.match(rb"%PDF", page.pdf(prefer_css_page_size=True))


def test_each_table_says_by_which_query_its_figures_were_made(opened):
    page = opened("index.html", PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    buttons = page.locator("figure[data-queries] button.origin")
    assert buttons.count() == page.locator("figure[data-queries]").count() > 15
    page.locator("#table-crossovers button.origin").click()
    dialog = page.locator("#explanation")
    assert "queries/money/crossover.sql" in dialog.inner_text()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.locator("#table-scenario-parallel button.origin").press("Enter")
    assert "Every figure is a column of a query over the run's rows" in dialog.inner_text()
    fold = dialog.locator("details", has_text="queries/throughput.sql")
    fold.locator("summary").press("Enter")
    assert "-- How fast each case was." in fold.locator("pre").inner_text()
    assert page.evaluate("[innerWidth, document.scrollingElement.scrollWidth]") == [390, 390]
