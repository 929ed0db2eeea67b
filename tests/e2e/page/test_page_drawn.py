"""What the page draws: lines that differ without their colours, axes that are read, a whole picture."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page

from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ, SQS_NAMES
from breakeven.report.charts.marks import line
from breakeven.report.render.bundle import TEMPLATES
from tests.support.page.palette import theme
from tests.support.page.site import with_inputs

LINES = "#yours-chart svg path[stroke-width='2.2']"
LOOK = "all => all.map(one => [one.getAttribute('stroke'), one.getAttribute('stroke-dasharray') ?? ''])"
#: CSS pixels that a line of the page is wide, of which its dashes are multiples
WIDTH = 2.2
#: texts but for the rates beside the rings
AXES = "#yours-chart svg text:not([paint-order])"
#: of 1 KiB a second crossing would lengthen the axis beyond 100k
ONE_CROSSING = "message_bytes=768"
LITTLE = f"#v1&unit=month&traffic=10&{ONE_CROSSING}"
BOXES = """all => all.map(one => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    return {words: one.textContent, left, right, top, bottom};
})"""


def looks(page: Page) -> dict[str, tuple[str, str]]:
    """Colour and dash of each line by the name that stands under the chart."""
    names = page.locator("#yours-legend li").all_inner_texts()
    drawn = page.locator(LINES).evaluate_all(LOOK)
    return {name.strip(): (colour, dash) for name, (colour, dash) in zip(names, drawn, strict=True)}


@pytest.mark.parametrize("form", ["single", "pair", "trio"])
def test_no_two_lines_differ_by_colour_only(opened, form):
    page = opened(hash=f"#v1&deployment={form}&amazon_mq=mq.m7g.large")
    dashes = [dash for _, dash in looks(page).values()]
    assert len(set(dashes)) == len(dashes) == (7 if form == "single" else 6)


def test_an_option_has_the_same_look_in_the_charts_of_the_report(opened):
    drawn = looks(opened(hash="#v1&amazon_mq=mq.m7g.large"))
    beside = {
        AS_USED: SQS_NAMES[AS_USED],
        BATCHED: SQS_NAMES[BATCHED],
        RABBITMQ: "RabbitMQ pair of m7g.large",
        AMAZON_MQ: "Amazon MQ cluster of mq.m7g.large",
    }
    styles = [line(option) for option in beside]
    assert len({str(style["linestyle"]) for style in styles}) == len(styles)
    for option, name in beside.items():
        colour, dash = drawn[name]
        assert colour == line(option)["color"] in theme("LIGHT").values()
        style = line(option)["linestyle"]
        widths = () if style == "-" else style[1]
        assert [float(one) / WIDTH for one in dash.split()] == pytest.approx(widths)


def test_the_pages_papers_are_those_of_its_charts():
    style = (TEMPLATES / "style.css").read_text()
    light, dark, printed = re.findall(r":root \{([^}]*)\}", style)
    for name, text in (("LIGHT", light), ("DARK", dark), ("LIGHT", printed)):
        variables = dict(re.findall(r"--(\w+): (#\w+)", text))
        drawn = theme(name)
        assert {one: _whole(variables[one]) for one in ("ink", "muted", "paper")} == {
            one: drawn[one] for one in ("ink", "muted", "paper")
        }
        assert _whole(variables["line"]) == drawn["grid"]


def _whole(colour: str) -> str:
    """Of #fff: #ffffff."""
    return "#" + "".join(2 * digit for digit in colour[1:]) if len(colour) == 4 else colour


def test_the_marks_of_the_axes_are_numbers_beside_one_another(opened, site):
    bare = with_inputs(site, "bare.html", sqs_alarms=0)
    page = opened(bare, LITTLE, viewport={"width": 390, "height": 844})
    texts: list[dict[str, Any]] = page.locator(AXES).evaluate_all(BOXES)
    rates = [one for one in texts if re.fullmatch(r"[\d.,]+[kM]?", one["words"])]
    marks = sorted(rates, key=lambda one: one["left"])
    words = [one["words"] for one in marks]
    assert {"0.00001", "0.001"} <= set(words)
    assert ("0" in words, words[-1]) == (False, "100k")
    for before, after in pairwise(marks):
        assert before["right"] + 2 < after["left"], (before, after)
    assert "$0.10" in {one["words"] for one in texts}


def test_a_range_that_goes_beyond_the_axis_is_shaded_up_to_its_end(opened, site):
    known = {"capacity_low_msg_per_s": 2_000, "capacity_high_msg_per_s": 1_100_000}
    unsure = with_inputs(site, "unsure.html", capacity_msg_per_s=1_000_000, **known)
    page = opened(unsure, f"#v1&hours=100&{ONE_CROSSING}")
    band = page.locator("#yours-chart svg rect").last.bounding_box()
    chart = page.locator("#yours-chart svg").bounding_box()
    assert band["x"] + band["width"] == pytest.approx(chart["x"] + chart["width"] - 14)


def test_what_is_left_out_is_said_once_for_each_reason(opened):
    page = opened(hash="#v1&region=eu-west-1&queue=fair")
    note = page.locator("#yours-prices .note").inner_text()
    _, *reasons = note.split("Not priced: ")
    assert len({reason.strip() for reason in reasons}) == len(reasons) == 2, note
    assert "has no price of sqs/fair_surcharge: no surcharge of fair queues was found" in reasons[0]
    assert all(reason.strip().endswith(".") for reason in reasons)
    beside = page.locator("#yours-beside").inner_text()
    assert re.match(r"A RabbitMQ pair of m7g.large costs \$[\d.]+ before staff time\. A pair's", beside)


@pytest.mark.parametrize(
    "hash", ["", "#v1&traffic=100&deployment=single&region=ap-southeast-1&amazon_mq=mq.m7g.large"]
)
def test_every_line_of_a_saved_picture_is_within_it(browser, calculator, hash):
    page = browser.new_page()
    page.goto(calculator.as_uri() + hash)
    page.evaluate(
        """() => {
            const real = XMLSerializer.prototype.serializeToString;
            XMLSerializer.prototype.serializeToString = function (node) {
                window.picture = node;
                return real.call(this, node);
            };
        }"""
    )
    with page.expect_download():
        page.locator("#save-picture").click()
    page.evaluate("document.body.replaceChildren(picture)")
    texts = page.locator("body > svg > text").evaluate_all(
        """all => all.map(one => {
            const right = Number(one.getAttribute('x')) + one.getComputedTextLength();
            return [one.textContent, right, Number(one.getAttribute('y'))];
        })"""
    )
    assert texts
    assert [one for one in texts if one[1] > 960 - 8 or one[2] > 640] == []
    assert texts[-1][0].endswith("published figures only.")
    assert len({y for _, _, y in texts[-2:]}) == 2
    page.close()
