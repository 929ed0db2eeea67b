"""What a product owner asks of a run's page: question, element, and what it says there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from breakeven.report.render.page import page as render
from breakeven.results.queries import query
from tests.fixtures.report import sample
from tests.support.page import owner_report
from tests.support.page.owner_questions import DEATH, LARGE, OWNER, QUESTIONS, SURE, place

#: at which the run measured both
MEASURED = "#v1&traffic=500"
NEAR = '#yours-prices tbody tr:has([data-key="price-{}"]) td.words'
OF_RUN = (
    (MEASURED, "what latency is given up?", NEAR.format("rabbitmq-pair"), "half within 405 ms"),
    (MEASURED, "and of SQS?", NEAR.format("sqs-as-used"), "half within 405 ms, emulated"),
    ("#v1&traffic=250", "and where queues grew?", NEAR.format("rabbitmq-pair"), "no case near kept up"),
    (OWNER, "what does a broker's death do?", "#faults li", "was killed at 12.3 s and ran again at 23.1 s"),
    (OWNER, "what does it do to publishing?", "#faults li", "fell from 1,000 to 0 messages a second"),
    (OWNER, "was anything lost?", "#table-fault-losses", "none\tyes"),
    (OWNER, "how sure is the crossing?", "#yours-beside", "(between 383 and 5,580)"),
    (OWNER, "how sure is the measuring?", "#validity", "programmed 7 lost, counted 7; 5 duplicates, 5"),
    (
        OWNER,
        "how sure are the differences?",
        "#repeats",
        "no difference between the targets can be distinguished from chance",
    ),
    (
        LARGE,
        "what does a broker's death do?",
        DEATH,
        "Measured, RabbitMQ mirrored pair, with messages of 1 KiB at 1,000 messages a second, not 40 KiB: "
        "rabbit1@localhost (the leader's node) was killed at 12.3 s",
    ),
    (LARGE, "of what?", DEATH, "The run ended no broker of such a cluster"),
    (
        MEASURED,
        "how sure is that?",
        SURE,
        "measured 1 case (emulated) of SQS, 2 cases (measured) of RabbitMQ",
    ),
    (LARGE, "how sure is that?", SURE, "Whether the loader itself measured rightly: the run's self-test"),
    (LARGE, "what latency is given up?", NEAR.format("rabbitmq-pair"), "nothing measured near"),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("owner") / "index.html"
    path.write_text(render(owner_report.report(), None), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(browser, site) -> Page:
    return browser.new_page(viewport={"width": 1280, "height": 900})


def opened(page: Page, site: Path, hash: str) -> Page:
    page.goto("about:blank")
    page.goto(site.as_uri() + hash)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    return page


@pytest.mark.parametrize(("hash", "question", "element", "expected"), [*QUESTIONS, *OF_RUN])
def test_an_owners_questions_have_their_answers(page, site, hash, question, element, expected):
    assert expected in opened(page, site, hash).locator(place(element)).first.inner_text(), question


def test_who_says_that_price(page, site):
    opened(page, site, OWNER).locator('[data-key="price-rabbitmq-pair"]').click()
    said = page.locator("#explanation").inner_text()
    assert "2 x m7g.large x 730 h" in said
    assert f"{sample.BOOK} ec2/m7g.large, " in said
    assert "2026-07-20" in said


def test_who_says_that_price_of_large_messages_that_lambda_consumes(page, site):
    opened(page, site, LARGE).locator('[data-key="price-sqs-as-used"]').click()
    said = page.locator("#explanation").inner_text()
    assert "send ceil(1 x 40960 B / 64 KiB) / 1 = 1" in said
    assert f"{sample.BOOK} lambda/request, AWS price list as read 2026-09-29, 2026-09-29" in said
    assert f"{sample.BOOK} lambda/gb_second_arm, " in said
    page.keyboard.press("Escape")
    assert opened(page, site, OWNER).locator('#asked-whose tr[data-price^="lambda/"]').count() == 0


@pytest.mark.parametrize(
    ("figure", "name"),
    [
        ("price-sqs-as-used", "bills"),
        ("crossing-sqs-batched-rabbitmq-pair", "crossover"),
        ("hours-sqs-as-used-rabbitmq-pair", "break_even_hours"),
    ],
)
def test_by_which_query_is_that_answered(page, site, figure, name):
    opened(page, site, OWNER).locator(f'[data-key="{figure}"]').click()
    fold = page.locator("#explanation details", has_text=f"queries/money/{name}.sql")
    fold.locator("summary").click()
    assert fold.locator("pre").text_content() == query(name)
