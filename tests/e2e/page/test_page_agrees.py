"""One page does not contradict itself: headline, verdict, controls and tables, of a run whose trio leads."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page

from breakeven.pricing.bill.questions import RABBITMQ
from breakeven.report.building.verdict import verdict
from breakeven.report.contract.report_model import Report
from breakeven.report.leading import leading
from breakeven.report.money.option_words import about
from breakeven.report.render.page import page as render
from tests.fixtures.report import money, sample
from tests.fixtures.report.self_tested import proved

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
#: bytes of messages of which a trio is the cheapest between SQS and Amazon MQ; of 1 KiB it is nowhere
TRIO_LEADS = 960


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report(sample.planned()[2:4], **money.answers(deployment="trio", message_bytes=TRIO_LEADS))


@pytest.fixture(scope="module")
def opened(browser, report, tmp_path_factory):
    """Opens the page with a hash, at a size."""
    path: Path = tmp_path_factory.mktemp("agrees") / "index.html"
    path.write_text(render(report, None), encoding="utf-8")

    def open_page(hash: str = "", viewport: dict[str, int] = DESK) -> Page:
        page = browser.new_page(viewport=viewport)
        page.goto(path.as_uri() + hash)
        return page

    return open_page


def top(page: Page, selector: str) -> tuple[float, float]:
    """Where an element begins and ends, from the top of the page."""
    box = page.locator(selector).bounding_box()
    assert box
    return box["y"], box["y"] + box["height"]


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_the_verdict_stands_under_the_headline_and_the_controls_follow(opened, report, viewport):
    page = opened(viewport=viewport)
    paragraphs = page.locator(".verdict p").all_inner_texts()
    said = [
        page.locator("h1").inner_text(),
        *(text.removesuffix("where from?").rstrip() for text in paragraphs),
    ]
    assert said == leading(report)
    (_, headline), verdict, (controls, _) = (top(page, one) for one in ("h1", ".verdict", "#controls"))
    assert headline < verdict[0] < headline + 120
    assert verdict[1] < controls
    if viewport is DESK:
        assert controls < DESK["height"] - 100, "the first screen shows the first control"


@pytest.fixture(scope="module")
def doubted(browser, report, tmp_path_factory):
    """Opens the page of the same run, whose self-test failed."""
    failed = report.model_copy(update={"validity": proved(read={"p99_ms": 20.0}).validity})
    failed = failed.model_copy(update={"verdict": verdict(failed)})
    path: Path = tmp_path_factory.mktemp("doubted") / "index.html"
    path.write_text(render(failed, None), encoding="utf-8")

    def open_page(viewport: dict[str, int] = DESK) -> Page:
        page = browser.new_page(viewport=viewport)
        page.goto(path.as_uri())
        return page

    return open_page


def test_a_failed_self_test_is_said_once_in_two_lines_above_all_and_leaves_the_first_control_in_view(doubted):
    page = doubted()
    banner = page.locator(".doubt").first
    assert banner.inner_text().startswith("THE SELF-TEST FAILED. Do not rely on the measured figures")
    shown = " ".join(page.locator("header, .verdict, .yours").all_inner_texts())
    assert shown.count("SELF-TEST FAILED") == 1
    assert "DOES NOT AGREE" not in shown
    lines = banner.evaluate(
        """one => { const range = document.createRange(); range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size; }"""
    )
    assert lines <= 2
    places = ("header .doubt", "h1", "#control-traffic")
    (begins, _), (headline, _), (_, ends) = (top(page, one) for one in places)
    assert begins < headline
    assert ends < DESK["height"], "the first control is on the first screen"
    banner.locator("a").click()
    evidence = page.locator("#validity .doubt", has_text="DOES NOT AGREE").first
    assert evidence.is_visible()


def test_a_failed_self_test_goes_over_no_edge_of_a_phone(doubted):
    page = doubted(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_controls_open_with_the_headlines_cluster_and_its_crossing(opened):
    page = opened()
    headline = page.locator("h1").inner_text()
    assert "SQS batched is the cheapest below about 2,290 messages a second (between 485 and" in headline
    assert "with a RabbitMQ trio of m7g.large in 3 zones between the two" in headline
    assert page.locator("#control-deployment").input_value() == "trio"
    assert page.locator('[data-key="crossing-sqs-batched-rabbitmq-trio"]').inner_text() == "above 2,290"
    assert (
        "above about 2,290 messages a second (between 485 and 2,290)"
        in page.locator("#yours-beside").inner_text()
    )


@pytest.mark.parametrize(
    ("rate", "cheapest"),
    [
        (100, "SQS batched"),
        (1000, "SQS batched"),
        (2200, "SQS batched"),
        (2400, "a RabbitMQ trio"),
        (3000, "an Amazon MQ"),
    ],
)
def test_what_is_cheapest_at_a_rate_is_what_the_headline_says(opened, rate, cheapest):
    page = opened(f"#v1&traffic={rate}")
    assert f"in us-east-1, {cheapest}" in page.locator("#yours-verdict").inner_text()
    rows = page.locator("#yours-prices tbody tr")
    assert "RabbitMQ pair" in rows.last.inner_text()
    assert rows.last.get_attribute("class") == "beside"
    note = page.locator("#yours-prices .note").inner_text()
    assert "as in the headline; a RabbitMQ pair of m7g.large is shown beside." in note
    assert "A pair's classic mirrored queues left RabbitMQ in 4.0" in note


def test_a_pair_that_is_chosen_is_compared(opened):
    page = opened("#v1&traffic=2000&message_bytes=512&deployment=pair")
    assert "a RabbitMQ pair of m7g.large is the cheapest" in page.locator("#yours-verdict").inner_text()
    assert "a RabbitMQ trio of m7g.large is shown beside." in page.locator("#yours-prices .note").inner_text()


def test_a_boundary_that_may_not_be_there_says_so_wherever_it_stands(opened, report):
    assert "Amazon MQ above about 2,530 (or no crossing if traffic between " in report.verdict
    page = opened("#v1&traffic=1000&peak_factor=2.9")
    assert (
        "a RabbitMQ trio of m7g.large from there to about 2,530 (or no crossing if traffic between Amazon "
        "MQ's brokers is charged) and an" in page.locator("#yours-ranges").inner_text()
    )
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    row = page.locator("#table-pairs tbody tr", has_text="2,530")
    assert "or no crossing" in row.inner_text()


def test_chart_and_csv_have_every_crossing_of_the_report_with_its_range(opened, report, tmp_path):
    page, question = opened(), report.headline_question
    with page.expect_download() as found:
        page.locator("#save-csv").click()
    found.value.save_as(tmp_path / "queue-breakeven.csv")
    with (tmp_path / "queue-breakeven.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "crossing"]
    own = [one for one in report.crossovers if one.question_id == question.question_id]
    assert [one.number for one in own if (one.number or 0) > 1], "some pair changes places more than once"
    for one in own:
        pair = " / ".join(map(question.option_name, (one.sqs_option, one.other_option)))
        (row,) = [row for row in rows if (row["option"], row["number"]) == (pair, str(one.number or ""))]
        assert (row["line"], _figure(row["units"])) == (one.kind, pytest.approx(one.msg_per_s))
        ends = (_figure(row["low_msg_per_s"]), _figure(row["high_msg_per_s"]))
        assert ends == pytest.approx(one.interval or (None, None))
        if one.msg_per_s is not None:
            none = question.or_none(one.sqs_option, one.other_option)
            assert row["sure"] == ("yes" if one.is_sure else none)
    drawn = [one for one in own if one.other_option == RABBITMQ and one.msg_per_s]
    chart = page.locator("#yours-chart svg")
    assert chart.locator(".ring").count() == len(drawn)
    assert chart.locator(".range").count() == sum(one.interval is not None for one in drawn) > 0
    said = chart.get_attribute("aria-label")
    assert not [one for one in drawn if about(one.msg_per_s) not in said]
    right = chart.evaluate("svg => svg.clientWidth")
    assert all(0 < float(ring.get_attribute("cx")) < right for ring in chart.locator(".ring").all())


def _figure(text: str) -> float | None:
    return float(text) if text else None


def test_whose_prices_they_are_goes_along_with_what_is_taken(opened):
    page = opened()
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{value: {writeText: text => (window.taken = text, Promise.resolve())}})"
    )
    page.locator("#copy-text").click()
    page.locator("#yours-done", has_text="Copied").wait_for()
    whose = (
        "AWS's list prices us-east-1@2026-11-20, but for Amazon MQ's cluster.mq.m7g.large (third parties', "
        "2026-10-01)"
    )
    assert whose in page.evaluate("window.taken")
