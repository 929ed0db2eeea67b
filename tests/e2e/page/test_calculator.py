"""The calculator's file, opened from disk: an owner's questions, and that no run stands behind it."""

from __future__ import annotations

from datetime import date

import pytest
from playwright.sync_api import Page

from breakeven.pricing.bill.questions import BATCHED, SQS_NAMES
from breakeven.report.charts.marks import line
from cli.main import main
from tests.support.page.owner_questions import DEATH, LARGE, OWNER, QUESTIONS, SURE, place

LATENCY = "#yours-prices tbody tr:first-child td.words"
#: of published rows alone, each labelled
OF_NO_RUN = (
    (OWNER, "what latency is given up?", LATENCY, "nothing measured near"),
    (OWNER, "how sure is that?", f"{SURE} .badge", "published"),
    (OWNER, "was it measured?", SURE, "No run stands behind this: only what others have printed."),
    (OWNER, "who measured what?", SURE, "“Amazon SQS vs RabbitMQ”, lemieux66, after a study by Maxim Bruner"),
    (OWNER, "on what?", SURE, "measured on two EC2 m1.small"),
    (
        "#v1&traffic=100",
        "what stands near it?",
        SURE,
        "sources have printed 1 case (published 2012, size not given",
    ),
    (
        LARGE,
        "what does a broker's death do, in figures?",
        DEATH,
        "Published 2020, RabbitMQ quorum queues, with messages of 1 KiB, not 40 KiB: with 7 x c5.4xlarge, a "
        "broker lost: no visible mark; with 9 x c5.2xlarge, a broker lost: no visible mark.",
    ),
    ("#v1&deployment=pair", "and of a pair?", DEATH, "No source here has figures of it in such a cluster."),
)


@pytest.fixture(scope="module")
def opened(browser, calculator):
    """Opens the file; fails in the end on an error, a word on the console or a request for anything else."""
    events: list[str] = []

    def open_file(hash: str = "") -> Page:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("console", lambda message: events.append(message.text))
        page.on("pageerror", lambda error: events.append(str(error)))
        page.on("request", lambda request: events.append(request.url))
        page.goto(calculator.as_uri() + hash)
        return page

    yield open_file
    assert {event.partition("#")[0] for event in events} == {calculator.as_uri()}


def test_it_says_that_no_run_stands_behind_it(opened, calculator):
    page = opened()
    said = page.locator("main").inner_text()
    assert "No run stands behind this page: prices as named above, and figures that others have" in said
    assert (
        "no run: AWS's list prices us-east-1@2026-11-20, but for Amazon MQ's (third parties', 2026-10-01), "
        "and published figures"
    ) in said
    assert "this run" not in calculator.read_text(encoding="utf-8")
    page.locator("summary", has_text="What have others measured?").click()
    page.locator("#published-source-a > summary").click()
    row = page.locator("#published-source-a tr.published").first
    assert row.locator(".badge").inner_text() == "published"


@pytest.mark.parametrize(("hash", "question", "element", "expected"), [*QUESTIONS, *OF_NO_RUN])
def test_an_owners_questions_have_their_answers(opened, hash, question, element, expected):
    page = opened(hash)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert expected in page.locator(place(element)).inner_text(), question


def test_it_opens_with_the_trio_and_of_a_pair_that_is_chosen_says_that_its_queues_have_ended(opened):
    ended = "A pair's classic mirrored queues left RabbitMQ in 4.0; today's choice is the quorum trio."
    page = opened()
    control = page.locator("#control-deployment")
    first = control.locator("option").first
    assert [control.input_value(), first.get_attribute("value")] == ["trio", "trio"], (
        "the default stands first"
    )
    headline = page.locator("h1").inner_text()
    assert "and a RabbitMQ trio of m7g.large in 3 zones at no rate priced" in headline
    for place_of_trio in (".verdict", "#yours-beside"):
        assert ended not in page.locator(place_of_trio).inner_text()
    beside = "A RabbitMQ trio of m7g.large costs $218.30 before staff time"
    assert beside in page.locator("#yours-beside").inner_text()
    pair = opened("#v1&deployment=pair").locator("#yours-beside").inner_text()
    assert "A RabbitMQ pair of m7g.large costs $158.55" in pair
    assert pair.endswith(f" {ended}")


def test_the_first_screen_has_headline_verdict_and_the_first_control(opened):
    page = opened()
    page.set_viewport_size({"width": 1280, "height": 800})
    places = [page.locator(one).bounding_box() for one in ("h1", ".verdict", "#control-traffic")]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert len(tops) == len(places)
    assert tops[-1] + places[-1]["height"] < 800


def test_each_way_of_sqs_has_one_name_and_one_look_on_the_page(opened, calculator):
    said = calculator.read_text(encoding="utf-8")
    for other in ("as you call it", "ith one message a call", "unbatched"):
        assert other not in said
    row = opened().locator("#yours-prices tbody tr", has_text=SQS_NAMES[BATCHED])
    on, off = map(float, row.locator("line").get_attribute("stroke-dasharray").split())
    _, (drawn, gap) = line(BATCHED)["linestyle"]
    assert (on > off, drawn > gap) == (True, True), "dashed, not dotted, in both charts"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("unit", ["month", "second", "bill"])
def test_the_traffics_unit_can_be_read_whole(opened, width, unit):
    page = opened(f"#v1&unit={unit}&traffic=100")
    page.set_viewport_size({"width": width, "height": 900})
    room = page.locator("#control-unit").evaluate(
        """select => {
            const style = getComputedStyle(select), pen = document.createElement('canvas').getContext('2d');
            pen.font = `${style.fontSize} ${style.fontFamily}`;
            const edges = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + 24;
            return select.clientWidth - edges - pen.measureText(select.selectedOptions[0].text).width;
        }"""
    )
    assert room >= 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("hash", "rates"),
    [("traffic=100", 3), ("traffic=700&deployment=single", 2), ("traffic=20&deployment=single", 2)],
)
def test_rates_in_the_chart_are_beside_one_another_and_whole(opened, width, hash, rates):
    page = opened(f"#v1&unit=second&{hash}")
    page.set_viewport_size({"width": width, "height": 900})
    texts = page.locator("#yours-chart svg").evaluate(
        """svg => {
            const frame = svg.getBoundingClientRect();
            const boxes = [...svg.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
            const cut = boxes.filter(([, one]) => one.left < frame.left - 1 || one.right > frame.right + 1);
            const labels = boxes.filter(([text]) => text.getAttribute('paint-order'));
            const over = labels.filter(([text, one]) => boxes.some(([other, box]) => other !== text
                && one.left < box.right && box.left < one.right
                && one.top < box.bottom && box.top < one.bottom));
            const circles = [...svg.querySelectorAll('circle:not(.ring)')];
            const dots = circles.map(one => one.getBoundingClientRect());
            const hiding = labels.filter(([, one]) => dots.some(dot => one.left < dot.right
                && dot.left < one.right && one.top + 3 < dot.bottom && dot.top < one.bottom - 3));
            const said = all => all.map(([text]) => text.textContent);
            return [labels.length, said(cut), said(over), said(hiding)];
        }"""
    )
    assert texts == [rates, [], [], []]


@pytest.mark.parametrize("width", [1280, 390])
def test_under_the_chart_stands_what_each_of_its_lines_is(opened, width):
    page = opened("#v1&traffic=100")
    page.set_viewport_size({"width": width, "height": 900})
    entries = page.locator("#yours-legend li")
    table = page.locator("#yours-prices tbody th").all_inner_texts()
    assert sorted(text.strip() for text in entries.all_inner_texts()) == sorted(
        text.strip() for text in table
    )
    chart, last = page.locator("#yours-chart").bounding_box(), entries.last.bounding_box()
    assert 0 <= last["y"] - (chart["y"] + chart["height"]) < 160, "in one view with it"
    assert last["x"] + last["width"] <= width
    drawn = page.locator("#yours-chart svg path[stroke-width='2.2']").evaluate_all(
        "all => all.map(one => [one.getAttribute('stroke'), one.getAttribute('stroke-dasharray')])"
    )
    shown = page.locator("#yours-legend line").evaluate_all(
        "all => all.map(one => [one.getAttribute('stroke'), one.getAttribute('stroke-dasharray')])"
    )
    assert shown == drawn


def test_who_says_that_price(opened):
    page = opened(OWNER)
    page.locator('[data-key="price-rabbitmq-pair"]').click()
    said = page.locator("#explanation").inner_text()
    assert "2 x m7g.large x 730 h" in said
    assert "us-east-1@2026-11-20 ec2/m7g.large, " in said
    assert "2026-07-20" in said


def test_each_source_says_how_old_it_is(opened):
    said = opened(OWNER).locator(SURE).inner_text()
    today = date.today()
    for year, month, name in ((2012, 12, "2012-12-07"), (2020, 6, "2020-06")):
        assert f"{name}, {(today.year * 12 + today.month - year * 12 - month) // 12} years old" in said


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("trio", "quorum-queues#leader-election"),
        ("pair", "3.13/ha#behaviour"),
        ("single", "3.13/ha#non-mirr"),
    ],
)
def test_what_a_brokers_death_does_has_the_address_that_says_so(opened, form, page):
    link = opened(f"#v1&deployment={form}").locator(f"{DEATH} a").first
    assert link.get_attribute("href").startswith(f"https://www.rabbitmq.com/docs/{page}")


def test_the_file_is_small(calculator):
    assert calculator.stat().st_size < 1_000_000


def test_a_region_without_a_book_is_named(capsys):
    assert main(["calculator", "--region", "eu-north-9"]) == 2
    assert "--region: 'eu-north-9': no such book; there are ap-southeast-1" in capsys.readouterr().err
