"""What the calculator says of inputs: until where a cluster is cheaper, ties, one zone; what it refuses."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

#: a trio without Amazon MQ beside
TRIO = "#v1&deployment=trio&amazon_mq="
BESIDE, VERDICT, SUPPOSED = "#yours-beside", "#yours-verdict", "#yours-supposed"


@pytest.fixture(scope="module")
def opened(browser, calculator):
    """Opens the calculator with a hash; one page for all."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})

    def open_with(hash: str = "") -> Page:
        page.goto("about:blank")
        page.goto(calculator.as_uri() + hash)
        return page

    yield open_with
    page.close()


def said(page: Page, element: str) -> str:
    return page.locator(element).inner_text()


def batched(page: Page) -> str:
    cell = page.locator('td:has([data-key="crossing-sqs-batched-rabbitmq-trio"])')
    return " / ".join(cell.inner_text().split("\n"))


def test_a_cluster_is_cheaper_up_to_the_next_change(opened):
    page = opened(f"{TRIO}&traffic=400000")
    assert "SQS batched and long-polled is the cheapest: $97,686" in said(page, VERDICT)
    assert (
        "A RabbitMQ trio of m7g.large costs $105,512 before staff time, and is cheaper than SQS batched only "
        "above about 2,680 messages a second (between 501 and 2,680) up to about 294,000 (or no crossing if "
        "batches are half full), and cheaper than"
    ) in said(page, BESIDE)
    assert (
        batched(page)
        == "above 2,680 / up to 294,000 (or no crossing if batches are half full) / 501 to 2,680"
    )


def test_a_cluster_that_stays_cheaper_has_no_end(opened):
    page = opened(f"{TRIO}&traffic=400000&broker_zones=1")
    assert "only above about 616 messages a second (between 308 and 616) and" in said(page, BESIDE)
    assert batched(page) == "above 616 / 308 to 616"


@pytest.mark.parametrize(
    ("rate", "here"),
    [(2685, ""), (2720, "; at this traffic it is not cheaper"), (5370, "; at this traffic it is cheaper")],
)
def test_of_many_changes_the_readers_traffic_is_said(opened, rate, here):
    page = opened(f"{TRIO}&traffic={rate}&capacity_msg_per_s=11530")
    none = "or no crossing, depending on what is not known"
    end = f"up to 2,690 (between 2,690 and 155,000, {none}), 92 more"
    assert batched(page) == f"above 2,680 / {end} / 501 to 126,000, {none}"
    assert (
        f"cheaper than SQS batched above about 2,680 messages a second (between 501 and 126,000, {none}) "
        f"up to about 2,690 (above which the cheaper one changes 92 more times{here}), and"
    ) in said(page, BESIDE)
    best = "a RabbitMQ trio" if "not" not in here else "SQS batched"
    assert f"in us-east-1, {best}" in said(page, VERDICT)


def test_the_ranges_reach_to_the_rate_that_is_asked_for(opened):
    for rate, end in ((280_000, "280,000"), (100, "100,000")):
        ranges = said(opened(f"{TRIO}&traffic={rate}"), "#yours-ranges")
        above = "(above about 294,000 SQS batched and long-polled is cheaper than it)."
        assert f"from there up to about {end}, the highest rate compared here {above}" in ranges


def test_each_boundary_of_the_ranges_says_how_sure_it_is(opened):
    ranges = said(opened(f"{TRIO}&traffic=400000"), "#yours-ranges")
    assert "to about 294,000 (or no crossing if batches are half full) and SQS batched" in ranges


def test_both_kinds_of_clusters_have_their_condition(opened):
    page = opened("#v1&traffic=3000")
    assert (
        "a cluster of your own must carry 12,900 messages a second at peak; what it carries was not "
        "measured. Amazon MQ must carry 12,900; what it carries was not measured; traffic between its "
        "brokers is taken"
    ) in said(page, SUPPOSED)


def taken(page: Page) -> str:
    """What is copied as text."""
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{value: {writeText: text => (window.taken = text, Promise.resolve())}})"
    )
    page.locator("#copy-text").click()
    page.locator("#yours-done", has_text="Copied").wait_for()
    return page.evaluate("window.taken")


def test_the_next_change_is_in_the_text_that_is_taken_along(opened):
    ends = "(between 501 and 2,680), again at 294,000 (or no crossing if batches are half full)"
    line = f"trio of m7g.large: 2,680 msg/s {ends}\n"
    assert line in taken(opened(f"{TRIO}&traffic=100"))


def test_what_holds_throughout_says_how_far_it_was_priced(opened):
    page = opened(f"{TRIO}&traffic=100&message_bytes=262144")
    end = "up to about 44,600 messages a second, where the 1,000th RabbitMQ cluster is full."
    searched = f"at every rate searched, {end}"
    assert f"and is dearer than SQS batched and SQS as used {searched}" in said(page, BESIDE)
    ranges = said(page, "#yours-ranges")
    assert ranges.endswith(f"is the cheapest at every rate compared here, {end}"), (
        "above it a trio has no price"
    )
    assert batched(page) == "never"
    note = said(page, "#yours-changes .note")
    assert "Always and never: at every rate searched, in messages a second beside RabbitMQ" in note
    assert (
        "beside RabbitMQ trio of m7g.large up to about 44,600, where the 1,000th RabbitMQ cluster is" in note
    )
    assert said(page, "#yours-rings") == ""
    page.locator('[data-key="crossing-sqs-batched-rabbitmq-trio"]').click()
    assert f"SQS batched and long-polled is cheaper {searched}" in said(page, "#explanation")
    page.keyboard.press("Escape")
    assert "- no rate priced" in taken(page)


def test_options_of_the_same_cost_are_named_together(opened):
    page = opened(f"{TRIO}&traffic=100&send_batch=10&receive_batch=10&delete_batch=10")
    assert "SQS as used is the cheapest, and SQS batched and long-polled costs the same: $31.34" in said(
        page, VERDICT
    )
    assert "With these inputs, SQS, as used or batched, is the cheapest below about 2,680" in said(
        page, "#yours-ranges"
    )
    column = page.locator("#yours-prices tbody td:nth-child(3)").all_inner_texts()
    assert [text == "cheapest" for text in column] == [True, False, True, False, False]


@pytest.mark.parametrize("batches", ["receive_batch=10&delete_batch=10", "send_batch=9"])
def test_options_of_nearly_the_same_cost_are_not(opened, batches):
    page = opened(f"{TRIO}&traffic=100&{batches}")
    assert said(page, VERDICT).endswith(
        "in us-east-1, SQS batched and long-polled is the cheapest: $31.34 a month, $186.96 less than "
        "RabbitMQ."
    )
    assert "With these inputs, SQS batched and long-polled is the cheapest" in said(page, "#yours-ranges")


def test_within_the_free_requests_sqs_is_as_cheap_whichever_way_it_is_called(opened):
    page = opened(f"{TRIO}&unit=month&traffic=1000")
    assert "SQS is the cheapest, whichever way it is called: $0.20 a month" in said(page, VERDICT)


@pytest.mark.parametrize(
    ("hours", "price"),
    [("", "whose price is before staff time"), ("&hours=1", "whose price includes 1 hour of staff time")],
)
def test_a_cluster_that_is_the_cheapest_says_whether_work_is_in_its_price(opened, hours, price):
    page = opened(f"#v1&deployment=single&amazon_mq=&traffic=3000{hours}")
    assert f"RabbitMQ on one m7g.large, {price}, is cheaper than SQS batched only above" in said(page, BESIDE)


def test_in_one_zone_it_is_said_where_the_clients_are(opened):
    one_zone = "#v1&deployment=trio&amazon_mq=mq.m7g.large&broker_zones=1"
    page = opened(one_zone)
    clients = "The clients are taken to be in the one zone of the brokers."
    service = "Amazon MQ's brokers stay in three zones, so that two thirds of its clients' traffic"
    assert f"{clients} {service}" in said(page, SUPPOSED)
    hint = page.locator("#control-broker_zones-hint").text_content()
    assert "1: clients are in it, too" in hint
    crossing = '[data-key="crossing-sqs-batched-amazon-mq"]'
    assert said(page, crossing) == "above 2,490"
    assert clients not in said(opened(one_zone.replace("zones=1", "zones=2")), SUPPOSED)
    assert service not in said(opened(f"{TRIO}&broker_zones=1"), SUPPOSED)
    page = opened(f"{one_zone}&client_zone_share=0")
    assert clients not in said(page, SUPPOSED)
    assert said(page, crossing) == "above 1,910"


SEPARATED = ("1,5", "1 5", "1_5", "3,0000", "3000,000", "1,000 000", "12,34.5", "1, 000")
PARTED = (
    ("3,000,000", 3e6),
    ("3 000 000", 3e6),
    ("1_000", 1e3),
    ("1,500.5", 1500.5),
    ("3,000 thousand", 3e6),
)


def test_commas_that_part_no_thousands_are_refused(opened):
    page = opened()
    field, problem = page.locator("#control-traffic"), page.locator("#control-traffic-problem")
    before = said(page, VERDICT)
    for text in SEPARATED:
        field.fill(text)
        remedy = "part thousands only, as in 1,500, and write decimals with a point, as in 1.5"
        assert problem.inner_text() == f'Traffic "{text}" is no number: {remedy}'
        assert said(page, VERDICT) == before
    page.locator("#control-peak_factor").fill("2,5")
    assert said(page, "#control-peak_factor-problem").startswith('Peak "2,5" is no number')
    page.locator("#control-peak_factor").fill("3")
    page.locator("#control-message_bytes").fill("1,5KiB")
    assert said(page, "#control-message_bytes-problem").startswith('Message size "1,5KiB" is no number')
    page.locator("#control-message_bytes").fill("1,024")
    for text, value in PARTED:
        field.fill(text)
        assert problem.inner_text() == ""
        assert page.evaluate("location.hash") == f"#v1&traffic={value:g}".replace("3e+06", "3000000")


@pytest.mark.parametrize("unit", ["month", "bill"])
def test_the_number_stays_when_its_unit_changes(opened, unit):
    page = opened()
    page.locator("#control-traffic").fill("3000000")
    page.locator("#control-unit").select_option(unit)
    assert page.evaluate("location.hash") == f"#v1&unit={unit}&traffic=3000000"
    assert page.locator("#control-traffic").input_value().replace(",", "") == "3000000"
    assert "the number stays when its unit changes" in said(page, "#control-traffic-hint")
