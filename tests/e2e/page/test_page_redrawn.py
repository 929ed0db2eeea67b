"""What a redraw leaves to its reader: place, focus, silence, folds, and an explanation that is open."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support.page.palette import theme

PHONE = {"width": 390, "height": 844}
SCROLL = "#yours-prices .scroll"
#: counts what changes in what is read out by itself, and in the tables
WATCH = """() => {
    window.changes = {live: 0, tables: 0};
    const watch = (name, node) => new MutationObserver(() => { window.changes[name] += 1; })
        .observe(node, {childList: true, characterData: true, subtree: true});
    document.querySelectorAll('[aria-live], [role=status], [role=alert]').forEach(one => watch('live', one));
    watch('tables', document.getElementById('yours-tables'));
}"""


def resize(page: Page, width: int, height: int) -> None:
    """Until the page has had its event and a frame."""
    page.evaluate(
        "() => { window.resized = new Promise(done => addEventListener('resize', () => "
        "requestAnimationFrame(() => setTimeout(done)), {once: true})); }"
    )
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("resized")


def type_into(page: Page, name: str, text: str) -> None:
    """Key by key, without a pause."""
    page.locator(f"#control-{name}").evaluate(
        """(field, text) => {
            for (let typed = 1; typed <= text.length; typed++) {
                field.value = text.slice(0, typed);
                field.dispatchEvent(new Event('input'));
            }
        }""",
        text,
    )


def test_a_window_that_changes_its_height_changes_nothing(opened):
    page = opened(viewport=PHONE)
    page.locator(SCROLL).evaluate("one => { one.scrollLeft = 120; }")
    page.locator("#yours-verdict button.said").nth(1).focus()
    page.evaluate(WATCH)
    chart = page.locator("#yours-chart svg").element_handle()
    resize(page, 390, 780)
    assert page.locator(SCROLL).evaluate("one => one.scrollLeft") == 120
    assert page.evaluate("document.activeElement.className") == "said"
    assert page.evaluate("changes") == {"live": 0, "tables": 0}
    assert chart.evaluate("one => one.isConnected")


def test_a_window_that_changes_its_width_has_its_chart_redrawn_and_no_more(opened):
    page = opened(viewport=PHONE)
    page.evaluate(WATCH)
    page.locator("#yours-chart button.origin").focus()
    resize(page, 700, 844)
    frame, chart = page.locator("#yours-chart"), page.locator("#yours-chart svg")
    assert chart.bounding_box()["width"] == frame.bounding_box()["width"] > 390
    assert page.evaluate("changes") == {"live": 0, "tables": 0}
    assert page.evaluate("document.activeElement.className") == "origin"


def test_a_change_leaves_tables_where_they_were_scrolled_to(opened):
    page = opened(viewport=PHONE)
    page.locator(SCROLL).evaluate("one => { one.scrollLeft = 120; }")
    page.locator("#control-traffic").fill("250")
    assert page.locator(SCROLL).evaluate("one => one.scrollLeft") == 120


@pytest.mark.parametrize(
    "place",
    [
        "#yours-verdict button.said >> nth=1",
        "[data-key=price-rabbitmq-pair]",
        "#yours-prices .scroll",
        "#yours-chart button.origin",
        "#asked-whose summary",
    ],
)
def test_the_focus_stays_where_it_is_when_the_colours_change(opened, place):
    page = opened(color_scheme="light")
    page.locator(place).focus()
    before = page.evaluate("[document.activeElement.tagName, document.activeElement.textContent]")
    page.emulate_media(color_scheme="dark")
    page.locator(f"#yours-chart svg text[fill='{theme('DARK')['muted']}']").first.wait_for()
    after = page.evaluate("[document.activeElement.tagName, document.activeElement.textContent]")
    assert after == before


def test_who_listens_hears_one_sentence_when_the_typing_has_ended(opened):
    page = opened()
    page.evaluate(WATCH)
    type_into(page, "traffic", "1234")
    aloud = page.locator("#yours-aloud", has_text="a second) in us-east-1,")
    aloud.wait_for(state="attached")
    assert page.evaluate("changes.live") == 1
    assert aloud.text_content() == page.locator("#yours-verdict").inner_text()
    type_into(page, "message_bytes", "40KiB")
    page.locator("#yours-aloud", has_text="messages of 40 KiB").wait_for(state="attached")
    assert page.evaluate("changes.live") == 2, "on its way it was no size, which nobody had to hear"
    page.locator("#control-peak_factor").fill("abc")
    problem = page.locator("#yours-aloud", has_text="Peak: give a number: 1 to 1,000")
    problem.wait_for(state="attached")
    assert page.evaluate("changes.live") == 3
    box = problem.bounding_box()
    assert box["width"] * box["height"] <= 1, "for those who listen"


def test_paper_is_light_and_folds_are_closed_again_after_it(opened):
    page = opened(color_scheme="dark")
    page.locator("#controls summary").click()
    folds = "[...document.querySelectorAll('details')].map(fold => fold.open)"
    before = page.evaluate(folds)
    muted = "[...document.querySelectorAll('#yours-chart text')].map(one => one.getAttribute('fill'))"
    light, dark = theme("LIGHT"), theme("DARK")
    assert dark["muted"] in page.evaluate(muted)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert light["muted"] in page.evaluate(muted)
    assert dark["muted"] not in page.evaluate(muted)
    assert all(page.evaluate(folds))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert dark["muted"] in page.evaluate(muted)
    assert page.evaluate(folds) == before


def test_an_explanation_closes_by_a_press_beside_it_and_not_while_text_is_selected(opened):
    page = opened()
    dialog = page.locator("#explanation")
    page.locator('[data-key="price-sqs-as-used"]').click()
    box = dialog.bounding_box()
    left, top = box["x"], box["y"]
    page.mouse.click(left + 8, top + 8)  # its own edge
    assert dialog.is_visible()
    for end in ((left + 6, top + 90), (left - 20, top + 90)):
        page.mouse.move(left + 200, top + 90)
        page.mouse.down()
        page.mouse.move(*end)
        page.mouse.up()
        assert dialog.is_visible(), end
    page.mouse.click(left - 20, top + 90)
    assert not dialog.is_visible()
