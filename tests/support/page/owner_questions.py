"""What a product owner asks of the page, as questions with the element that answers and what it says.

Of list prices, so that a run's page and the calculator's file answer alike.
"""

from __future__ import annotations

VERDICT = "#yours-verdict"
USED, BATCHED = "-sqs-as-used-rabbitmq-pair", "-sqs-batched-rabbitmq-pair"
#: three million messages of 1 KiB a month
OWNER = "#v1&unit=month&traffic=3000000"
#: a day of staff time, at the page's own traffic
STAFF = "#v1&hours=8"
#: three million of 40 KiB, consumed by Lambda
LARGE = "#v1&unit=month&traffic=3000000&message_bytes=40960&consumer=lambda"

#: hash, question, element (a figure's key or a selector), what it says
QUESTIONS = (
    (OWNER, "which is cheaper?", VERDICT, "SQS batched and long-polled is the cheapest: $0.20 a month"),
    (OWNER, "what does mine cost?", "price-sqs-as-used", "$3.40"),
    (OWNER, "from what rate does my own win?", f"crossing{USED}", "above 43"),
    (OWNER, "and once batched?", f"crossing{BATCHED}", "above 785"),
    (OWNER, "with how much work?", f"hours{USED}", "never"),
    (
        STAFF,
        "what is the cheapest where, with a day of staff time?",
        "#yours-ranges",
        "SQS batched and long-polled is the cheapest below about 2,430 messages a second (between 1,070 and "
        "7,410) and an Amazon MQ cluster of mq.m7g.large from there up to about 100,000, the highest rate "
        "compared here. Amazon MQ is priced without staff time",
    ),
    (LARGE, "which is cheaper?", VERDICT, "SQS batched and long-polled is the cheapest: $1.96 a month"),
    (
        LARGE,
        "and which of one message a call?",
        "#yours-beside",
        "is dearer than SQS batched and SQS as used at every rate searched, up to about ",
    ),
    (LARGE, "from what rate does my own win?", f"crossing{USED}", "never"),
)


def place(element: str) -> str:
    """The selector of an element that a question names."""
    return element if element.startswith("#") else f'[data-key="{element}"]'
