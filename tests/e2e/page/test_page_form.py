"""The page's form: what a field keeps while another is wrong, which fields count, how numbers may look."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from tests.support.page.site import with_inputs

WHOLE = "last inputs that were whole"
#: as other pages, tables and people write them; what the field shows then
NUMBERS = (
    ("traffic", "3\u00a0000\u00a0000", "3,000,000"),
    ("traffic", "3\u202f000\u202f000", "3,000,000"),
    ("traffic", "\u00a0250\u00a0", "250"),
    ("message_bytes", "2\u00a0KiB", "2 KiB"),
    ("hour_rate", "$1,500", "1,500"),
)
#: dollars where something else is counted
DOLLARS = (
    ("traffic", "$500", "of a bill, choose “dollars a month on the SQS bill”; else give a number without $"),
    ("hours", "$5", "give a number without $"),
    ("send_batch", "$5", "give a number without $"),
)


def leave(page: Page, name: str, text: str) -> None:
    """Types into a field and leaves it."""
    page.locator(f"#control-{name}").fill(text)
    page.locator(f"#control-{name}").blur()


def value(page: Page, name: str) -> str:
    return page.locator(f"#control-{name}").input_value()


def problem(page: Page, name: str) -> str:
    return page.locator(f"#control-{name}-problem").inner_text()


def verdict(page: Page) -> str:
    return page.locator("#yours-verdict").inner_text()


def test_a_field_that_is_left_keeps_what_was_typed_while_another_is_wrong(opened):
    page = opened()
    leave(page, "peak_factor", "abc")
    leave(page, "traffic", "500")
    assert (value(page, "peak_factor"), value(page, "traffic")) == ("abc", "500")
    leave(page, "peak_factor", "2")
    assert "(500 a second)" in verdict(page)
    leave(page, "send_batch", "10")
    leave(page, "message_bytes", "200KiB")
    assert value(page, "message_bytes") == "200KiB"
    assert "5 of these messages fit" in problem(page, "send_batch")
    leave(page, "send_batch", "5")
    assert value(page, "message_bytes") == "200 KiB"
    assert "messages of 200 KiB a month" in verdict(page)


def test_what_is_wrong_in_a_fold_opens_it_and_is_named(opened):
    page = opened()
    page.locator("#controls summary").click()
    page.locator("#control-utilisation").fill("abc")
    page.locator("#controls summary").click()
    note = page.locator("#yours-note").inner_text()
    assert note == f"What is shown is of the {WHOLE}. To correct: Utilisation at the peak."
    assert not page.locator("#control-utilisation").is_visible()
    page.locator("#control-traffic").fill("50")
    assert page.locator("#control-utilisation").is_visible()


def test_a_field_that_counts_no_more_is_not_asked(opened):
    page = opened()
    page.locator("#controls summary").click()
    page.locator("#control-consumer").select_option("lambda")
    page.locator("#control-lambda_memory_mb").fill("50")
    assert WHOLE in page.locator("#yours-note").inner_text()
    page.locator("#control-consumer").select_option("")
    assert page.locator("#yours-note").inner_text() == ""
    assert page.evaluate("location.hash") == "", "the page's own inputs again"
    page.locator("#control-consumer").select_option("lambda")
    assert problem(page, "lambda_memory_mb") == ""
    assert value(page, "lambda_memory_mb") != "50"


def test_numbers_are_taken_as_they_are_copied(opened):
    page = opened()
    for name, text, shown in NUMBERS:
        leave(page, name, text)
        assert (problem(page, name), value(page, name)) == ("", shown)
    page.locator("#control-unit").select_option("bill")
    leave(page, "traffic", "$500")
    assert (problem(page, "traffic"), value(page, "traffic")) == ("", "500")


def test_dollars_are_taken_only_where_they_are_counted(opened):
    page = opened()
    for name, text, said in DOLLARS:
        good = value(page, name)
        page.locator(f"#control-{name}").fill(text)
        assert problem(page, name) == said
        page.locator(f"#control-{name}").fill(good)
    assert page.locator("#yours-note").inner_text() == ""


def test_no_keypad_offers_a_comma_that_the_page_refuses(opened):
    modes = opened().locator("#controls input").evaluate_all("all => all.map(one => [one.id, one.inputMode])")
    assert {mode for _, mode in modes} == {"text", "numeric"}
    of = dict(modes)
    assert (of["control-broker_zones"], of["control-hour_rate"]) == ("numeric", "text")


def test_the_capacity_that_is_shown_is_the_one_that_is_used(opened, site):
    known = {"capacity_msg_per_s": 10_250, "capacity_low_msg_per_s": 9_000, "capacity_high_msg_per_s": 11_000}
    page = opened(with_inputs(site, "capacity.html", **known))
    page.locator("#controls summary").click()
    carries = page.locator("#yours-supposed")
    assert value(page, "capacity_msg_per_s") == "10,250"
    assert "it is taken to carry 10,200" in carries.inner_text()
    assert "capacity" not in page.evaluate("location.hash")
    leave(page, "message_bytes", "40KiB")
    assert value(page, "capacity_msg_per_s") == ""
    assert "what it carries was not measured" in carries.inner_text()
    leave(page, "capacity_msg_per_s", "10,250")
    assert "it is taken to carry 10,200" in carries.inner_text()
    assert page.evaluate("location.hash").endswith("&capacity_msg_per_s=10250")
    leave(page, "message_bytes", "1KiB")
    again = opened("capacity.html", page.evaluate("location.hash"))
    for one in (page, again):
        assert one.locator("#yours-settings").inner_text() == (
            "Set here: Capacity of a cluster 10,250 msg/s, one node down."
        )
        assert value(one, "capacity_msg_per_s") == "10,250"
    leave(page, "capacity_msg_per_s", "")
    assert "what it carries was not measured" in carries.inner_text()
    page.locator("#reset").click()
    assert value(page, "capacity_msg_per_s") == "10,250"


@pytest.mark.parametrize("by_link", [False, True])
def test_zones_are_refused_that_a_chosen_form_has_not(opened, site, by_link):
    """A question of five nodes: what one node may have is not what they may."""
    name = with_inputs(site, "five.html", deployment="trio", cluster_nodes=5)
    page = opened(name, "#v1&deployment=single&broker_zones=3" if by_link else "")
    if by_link:
        said = page.locator("#yours-link").inner_text()
        assert said.startswith("The link is damaged (broker_zones: at most one a node: 1)")
        return
    page.locator("#controls summary").click()
    leave(page, "broker_zones", "3")
    assert problem(page, "broker_zones") == ""
    page.locator("#control-deployment").select_option("single")
    assert problem(page, "broker_zones") == "at most one a node: 1"
    assert re.search(r"quorum cluster of 5 m7g.large", page.locator("#yours-legend").inner_text())
