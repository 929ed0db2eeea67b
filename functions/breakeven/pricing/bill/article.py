"""The question of the 2012 article, at the prices that it printed."""

from __future__ import annotations

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.questions import AS_USED, Question, own_cluster, sqs_option
from breakeven.pricing.prices.book_files import load_book

ARTICLE_BOOK = "2012-12"
ARTICLE_INSTANCE = "m1.small"


def article_question() -> Question:
    """The 2012 article's own: three calls a message, two nodes by the hour, and nothing else."""
    book = load_book(ARTICLE_BOOK)
    inputs = ask(
        message_bytes=1,  # the article counts calls, whatever their size
        empty_receives=0,
        free_tier=False,
        sqs_alarms=0,
        deployment="pair",
        instance=ARTICLE_INSTANCE,
        volume="none",
        broker_zones=1,
        node_metrics=0,
        node_alarms=0,
        peak_factor=1,  # the article knows neither peaks nor headroom
        utilisation=1,
        amazon_mq=None,
    )
    options = (sqs_option(AS_USED, inputs, book, "SQS, 3 calls a message"), own_cluster(inputs, book))
    return Question(ARTICLE_BOOK, "history", inputs, book, options)
