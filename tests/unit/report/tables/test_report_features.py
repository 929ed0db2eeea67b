"""What each service has: in a run's report and in the calculator, and of no source's."""

from __future__ import annotations

import pytest

from breakeven import words
from breakeven.published.rows import load_shipped
from breakeven.report.building.published_as_rows import source_of
from breakeven.report.contents import GAIN, sections_of
from breakeven.report.render.page import noted
from breakeven.report.sections.answer.service_features import FEATURES, SERVICES, SOURCES, features
from breakeven.report.sections.subject import Subject
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_MAX_MESSAGE_BYTES
from tests.fixtures.report import sample

#: what issues and owners ask about, by a word of the row that answers
ASKED = ("Dead letters", "Lambda", "IAM", "Routing", "Priorities", "Protocol", "Order", "14 days", "1 MiB")


def test_each_question_has_a_row_and_each_row_a_word_on_every_service() -> None:
    rows = [" ".join((*row.labels, *row.cells)) for row in features().rows]
    assert [word for word in ASKED if not any(word in row for row in rows)] == []
    assert all(len(row.cells) == len(SERVICES) and all(row.cells) for row in features().rows)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    assert all(cell.endswith(".") for row in features().rows for cell in row.cells)


def test_it_says_that_none_of_it_was_measured_and_of_which_day_it_is() -> None:
    said, *guides = features().notes
    assert said == "Documented, not measured, as of November 2026."
    assert [note.partition(":")[0] for note in guides] == list(SOURCES)


def test_each_page_that_it_is_from_has_its_address() -> None:
    pages = [url for guide in SOURCES.values() for url in guide.values()]
    assert len(set(pages)) == len(pages)
    makers = (
        "https://docs.aws.amazon.com/",
        "https://www.rabbitmq.com/docs/",
        "https://github.com/rabbitmq/",
    )
    assert [url for url in pages if not url.startswith(makers)] == []
    notes = " ".join(features().notes)
    assert all(f"({url})" in notes for url in pages)


def test_on_the_page_each_of_its_pages_is_a_link() -> None:
    shown = " ".join(map(noted, features().notes))
    pages = {title: url for guide in SOURCES.values() for title, url in guide.items()}
    assert all(f'<a href="{url}" rel="noreferrer">{title}</a>' in shown for title, url in pages.items())
    assert "(https" not in shown


def test_an_address_of_anybody_else_is_no_link_and_markup_is_text() -> None:
    assert "<a" not in noted("A page (https://example.com/a), B (http://www.rabbitmq.com/docs/)")
    assert noted('<b title="x"> (https://www.rabbitmq.com/docs/")').count("<") == 2
    assert 'docs/&#34;" rel' in noted('B (https://www.rabbitmq.com/docs/")')


@pytest.mark.parametrize(
    ("row", "service", "said"),
    [
        ("Delayed messages", 0, "FIFO: by queue only"),
        ("Delayed messages", 1, "archived in 2026"),
        ("Delayed messages", 2, "no such plugin"),
        ("Largest message", 2, "512 KiB on RabbitMQ 4"),
        ("How long a message may wait", 1, "after 20 redeliveries"),
        ("How long a consumer may hold a message", 0, "at most 12 hours"),
        ("How long a consumer may hold a message", 1, "of quorum queues only from 4.3 on"),
        ("Priorities", 1, "32, strict, from 4.3 on"),
        ("Room to grow", 0, "300 calls a second"),
        ("Room to grow", 0, "some 120,000 messages"),
        ("Room to grow", 2, "of mq.m7g.large rejects what is over 8,000,000 messages"),
        ("Lambda as consumer", 2, "from Secrets Manager only"),
        ("Who may send and receive", 2, "clients' certificates"),
        ("Protocol", 2, "AMQP 1.0 and JMS"),
    ],
)
def test_what_the_documentation_has_by_now_is_said(row, service, said) -> None:
    (found,) = [each for each in features().rows if each.labels == (row,)]
    assert said in found.cells[service]


def test_amazon_mqs_largest_message_is_that_of_its_record() -> None:
    (found,) = [each for each in features().rows if each.labels == ("Largest message",)]
    assert words.size(AMAZON_MQ_MAX_MESSAGE_BYTES) in found.cells[2]
    assert words.size(AMAZON_MQ_MAX_MESSAGE_BYTES) not in found.cells[1]


def test_a_run_has_it_under_its_question_and_a_source_does_not() -> None:
    (section,) = [one for one in sections_of(Subject(sample.report(), None)) if one.slug == "features"]
    assert section.question == GAIN
    published = sample.report().model_copy(update={"source": source_of(load_shipped("source-a"))})
    assert not [one for one in sections_of(Subject(published, None)) if one.slug == "features"]
