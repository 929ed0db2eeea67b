"""The page's controls in a real browser: what they come to and refuse, the hash, what is taken along."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.fixtures.report import sample
from tests.support.page.accessible import assert_accessible
from tests.support.page.site import HOSTILE, PLAN


def verdict(page: Page) -> str:
    return page.locator("#yours-verdict").inner_text()


def price(page: Page, option: str) -> str:
    return page.locator(f'[data-key="price-{option}"]').inner_text()


def test_it_opens_with_the_reports_own_figures(opened):
    page, report = opened(), sample.report(PLAN)
    assert page.locator("h1").inner_text() == report.verdict.split("\n\n")[0]
    assert verdict(page).startswith("At 263 million messages of 1 KiB a month (100 a second) in us-east-1")
    bills = {bill.option_id: bill.usd for bill in report.bills if bill.question_id == sample.QUESTION}
    assert price(page, "rabbitmq-pair") == f"${bills['rabbitmq']:,.2f}"
    assert price(page, "sqs-as-used") == f"${bills['sqs-as-used']:,.2f}"
    crossing = page.locator('[data-key="crossing-sqs-as-used-rabbitmq-pair"]')
    assert crossing.inner_text() == "above 44"
    assert page.locator("#yours-settings").inner_text() == "At this page's own inputs."
    assert page.evaluate("location.hash") == ""


def test_a_control_recomputes_at_once_and_the_hash_brings_it_back(opened):
    page = opened()
    before = price(page, "sqs-as-used")
    page.get_by_label("What the traffic is counted in").select_option("month")
    page.locator("#control-traffic").fill("3 million")
    assert verdict(page).startswith("At 3.00 million messages of 1 KiB a month")
    page.locator("#control-message_bytes").fill("40kib")
    page.locator("#control-message_bytes").blur()
    page.locator("#control-consumer").select_option("lambda")
    page.locator("#control-region").select_option("eu-west-1")
    assert verdict(page).startswith(
        "At 3.00 million messages of 40 KiB a month (1.14 a second) in eu-west-1,"
    )
    assert price(page, "sqs-as-used") != before
    assert page.locator("#yours-ranges").inner_text() != "", "the page's own headline holds no more"
    hash = page.evaluate("location.hash")
    assert hash.startswith("#v1&region=eu-west-1&unit=month&traffic=3000000&message_bytes=40960")
    again = opened(hash=hash)
    for each in (page, again):  # what is read out comes a while after a change, and is seen by nobody
        each.evaluate("document.querySelector('#yours-aloud').hidden = true")
    assert page.locator("#yours").inner_text() == again.locator("#yours").inner_text()
    values = "[...document.querySelectorAll('#controls :is(input, select)')].map(one => one.value)"
    assert page.evaluate(values) == again.evaluate(values)
    page.locator("#reset").click()
    assert page.evaluate("location.hash") == ""
    assert price(page, "sqs-as-used") == before


def test_an_answer_takes_less_than_the_eye_sees(opened):
    page = opened()
    took = page.evaluate(
        """() => { const field = document.getElementById('control-traffic'), times = [];
        for (let rate = 100; rate < 120; rate++) {
          field.value = rate; const from = performance.now();
          field.dispatchEvent(new Event('input')); times.push(performance.now() - from);
        } return times.sort((a, b) => a - b)[10]; }"""
    )
    print(f"a control's answer: {took:.0f} ms")
    assert verdict(page).startswith("At 313 million messages")


BAD = (
    ("traffic", "many", "give a number: 0 to"),
    ("traffic", "-5", "give a number"),
    ("traffic", "20000000", "at most 10,000,000 messages a second"),
    ("message_bytes", "2MiB", "give a number in the range: 1 to 1,048,576"),
    ("message_bytes", "40KB", "KB is 1,000 bytes to some and 1,024 to others: write KiB, or bytes"),
    ("traffic", "0.0000001", "less than a message a month; give 0 or more"),
    ("send_batch", "11", "give a number in the range: 1 to 10"),
    ("hours", "a lot", "give a number: 0 to 10,000"),
    ("peak_factor", "", "give a number: 1 to 1,000"),
    ("hour_rate", "1e9", "give a number in the range: 0 to 10,000"),
)


def test_a_bad_value_is_said_beside_its_control_and_the_last_good_answer_stays(opened):
    page = opened()

    def shown() -> tuple[str, str, str]:
        return verdict(page), page.locator("#yours-chart").inner_html(), page.evaluate("location.hash")

    before = shown()
    for control, bad, said in BAD:
        field = page.locator(f"#control-{control}")
        good = field.input_value()
        field.fill(bad)
        assert said in page.locator(f"#control-{control}-problem").inner_text()
        assert field.get_attribute("aria-invalid") == "true"
        assert "last inputs that were whole" in page.locator("#yours-note").inner_text()
        assert shown() == before
        field.fill(good)
        assert page.locator(f"#control-{control}-problem").inner_text() == ""
        assert field.get_attribute("aria-invalid") == "false"


def test_combinations_that_cannot_be_are_said_beside_a_control(opened):
    page = opened()
    page.locator("#control-send_batch").fill("10")
    page.locator("#control-message_bytes").fill("200KiB")
    assert "5 of these messages fit" in page.locator("#control-send_batch-problem").inner_text()
    page.locator("#control-send_batch").fill("5")
    page.locator("#controls summary").click()
    page.locator("#control-broker_zones").fill("3")
    assert "at most one a node: 2" in page.locator("#control-broker_zones-problem").inner_text()


DAMAGED = (
    ("#v0&traffic=5", "The link is of another version of this page"),
    ("#v1&traffic=NaN", "The link is damaged (traffic)"),
    ("#v1&message_bytes=<script>alert(1)</script>", "The link is damaged (message_bytes)"),
    ("#v1&traffic=5&traffic=7", "The link is damaged (traffic is given twice)"),
    ("#v1&hours=5&traffic=7&hours=5", "The link is damaged (hours is given twice)"),
    ("#v1&region=__proto__", "The link is damaged (region)"),
    ("#v1&instance=m1.huge", "The link is damaged (instance)"),
    ("#v1&no_such=1", "The link is damaged (no_such)"),
    ("#v1&send_batch=%E0%A4%A", "The link is damaged"),
    ("#%%%", "The link is damaged"),
)


def test_a_hash_that_is_none_of_this_page_gives_its_own_inputs_and_says_so(opened):
    page = opened(hash=DAMAGED[0][0])
    for hash, said in DAMAGED:
        page.evaluate("hash => { location.hash = hash }", hash)
        page.locator("#yours-link", has_text=said).wait_for()
        assert page.locator("#yours-link").inner_text() == f"{said}: these are the page's own inputs."
        assert verdict(page).startswith("At 263 million messages of 1 KiB a month")
        assert page.locator("#yours-settings").inner_text() == "At this page's own inputs."
        page.evaluate("location.hash = '#v1&traffic=7'")
        page.locator("#yours-settings", has_text="Set here: Traffic 7 messages a second, mean.").wait_for()


def test_a_name_of_a_section_is_no_state_and_its_fold_opens(opened):
    page = opened(hash="#ledger")
    assert page.locator("#yours-link").inner_text() == ""
    assert page.locator("#table-ledger").is_visible()
    page.locator("#control-traffic").fill("250")
    page.locator("nav a", has_text="Glossary").click()
    assert page.locator("#glossary").is_visible()
    assert page.evaluate("location.hash") == "#v1&traffic=250"


def test_every_price_crossing_and_hour_explains_itself_by_key_alone(opened):
    page, report = opened(), sample.report(PLAN)
    dialog = page.locator("#explanation")
    figures = page.locator("#yours-tables button.figure")
    assert figures.count() == 6 + 9 + 6
    for figure in figures.all():
        figure.focus()
        page.keyboard.press("Enter")
        assert dialog.is_visible()
        assert "us-east-1@2026-11-20" in dialog.inner_text()
        page.keyboard.press("Escape")
        assert not dialog.is_visible()
    page.locator('[data-key="price-sqs-as-used"]').click()
    said = dialog.inner_text()
    (line,) = [
        line
        for bill in report.bills
        if (bill.question_id, bill.option_id) == (sample.QUESTION, "sqs-as-used")
        for line in bill.lines
        if line.line == "requests"
    ]
    tiers = [tier for tier in report.prices if (tier.book, tier.item) == (sample.BOOK, "standard_request")]
    assert line.formula in said
    assert f"${line.usd:,.2f}" in said
    assert all(f"${tier.usd:.10f}".rstrip("0") in said for tier in tiers)
    assert f"{sample.BOOK} sqs/standard_request, {tiers[0].source}, {tiers[0].as_of}" in said


def test_what_is_taken_along(opened, tmp_path):
    page = opened("hostile.html", "#v1&traffic=500")
    with page.expect_download() as found:
        page.locator("#save-csv").click()
    text = Path(found.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert not [
        cell for row in rows for cell in row.values() if cell and re.match(r"[=+@\t\r]|-(?!\d)", cell)
    ]
    assert rows[0]["option"] == f"'{HOSTILE}"
    requests = next(row for row in rows if (row["option"], row["line"]) == ("SQS as used", "requests"))
    assert float(requests["units"]) == pytest.approx(500 * 730 * 3600 * 3)
    assert {row["kind"] for row in rows} == {"traffic", "bill", "crossing"}
    with page.expect_download() as found:
        page.locator("#save-picture").click()
    picture = Path(found.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-text").click()
    page.locator("#yours-done", has_text="Copied as text.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(verdict(page))
    assert copied.endswith("#v1&traffic=500")
    page.locator("#copy-link").click()
    page.locator("#yours-done", has_text="Link copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").endswith("hostile.html#v1&traffic=500")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_no_serious_fault(opened, scheme, width):
    page = opened(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    page.locator("#control-hours").fill("none")  # with a problem shown
    assert_accessible(page)
    page.locator('[data-key="crossing-sqs-batched-rabbitmq-pair"]').click()
    assert_accessible(page)


def test_without_a_script_the_verdict_and_the_tables_remain(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("h1").inner_text() == sample.report(PLAN).verdict.split("\n\n")[0]
    assert not page.locator("#yours").is_visible()
    page.locator("details.question summary", has_text="What does it cost").click()
    assert page.locator("#table-prices").is_visible()


def test_on_paper_the_answer_stands_without_its_controls(opened):
    page = opened(hash="#v1&unit=month&traffic=2500000&message_bytes=40960&consumer=lambda&hours=")
    page.emulate_media(media="print")
    assert page.locator("#yours-verdict").is_visible()
    assert not page.locator("#controls").is_visible()
    said = "Set here: Traffic 2,500,000 messages a month; Message size 40 KiB; Consumers Lambda."
    assert page.locator("#yours-settings").inner_text() == said


def test_what_is_set_is_said_with_its_unit(opened):
    page = opened(hash="#v1&hours=8&hour_rate=90&send_batch=2")
    said = "Set here: Messages a send 2; Staff time 8 hours a month; Price of an hour $90."
    assert page.locator("#yours-settings").inner_text() == said


def test_when_a_move_is_paid_back_is_said_where_its_hours_are_given(opened):
    page = opened(hash="#v1&traffic=1000&migration_hours=120")
    said = page.locator("#yours-moving")
    assert said.inner_text().startswith(
        "A move takes 120 hours of staff time once, $9,000, to be paid back by what it saves. To RabbitMQ "
    )
    page.locator("#controls summary").click()
    page.locator("#control-migration_hours").fill("2000000")
    problem = page.locator("#control-migration_hours-problem")
    assert problem.inner_text() == "give a number in the range: 0 to 1,000,000"
    page.locator("#control-migration_hours").fill("")
    assert said.inner_text() == ""


def test_it_is_never_wider_than_its_window(opened):
    page = opened()
    page.locator("#controls summary").click()
    for width in (1280, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.scrollingElement.scrollWidth") == width
        page.locator('[data-key="crossing-sqs-batched-rabbitmq-pair"]').click()
        box = page.locator("#explanation").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        page.keyboard.press("Escape")
