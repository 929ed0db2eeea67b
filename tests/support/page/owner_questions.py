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

#: what answers an owner's further questions, and a row of the prices used
SURE, DEATH, WHOSE = "#asked-sure", "#asked-death", "#asked-whose"
PRICE = '#asked-whose tr[data-price="{}"]'

#: hash, question, element (a figure's key or a selector), what it says
QUESTIONS = (
    (OWNER, "which is cheaper?", VERDICT, "SQS batched and long-polled is the cheapest: $0.20 a month"),
    (OWNER, "what does mine cost?", "price-sqs-as-used", "$3.40"),
    (OWNER, "from what rate does my own win?", f"crossing{USED}", "above 45"),
    (OWNER, "and once batched?", f"crossing{BATCHED}", "above 5,580"),
    (OWNER, "with how much work?", f"hours{USED}", "never"),
    (
        STAFF,
        "what is the cheapest where, with a day of staff time?",
        "#yours-ranges",
        "SQS batched and long-polled is the cheapest below about 2,490 messages a second (between 1,080 and "
        "8,330) and an Amazon MQ cluster of mq.m7g.large from there up to about 100,000, the highest rate "
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
    (LARGE, "how sure is that?", SURE, "SQS is the cheapest (SQS $1.83 to $4.16, "),
    (
        LARGE,
        "of what is it not sure?",
        SURE,
        "whatever comes of what is not known: Lambda's polling, how full",
    ),
    (
        LARGE,
        "what stands near it?",
        SURE,
        " nothing of SQS, nothing of RabbitMQ and nothing of Amazon MQ. The ne",
    ),
    (LARGE, "was that size measured?", SURE, "Nothing here was measured with messages of about 40 KiB"),
    (LARGE, "was Lambda?", SURE, "No case here was consumed by Lambda"),
    (OWNER, "and without Lambda?", SURE, "SQS is the cheapest (SQS $0.20 to "),
    (LARGE, "who says these prices?", WHOSE, "AWS's list prices us-east-1@2026-11-20, but for Amazon MQ's"),
    (LARGE, "of when are they?", WHOSE, "Each price used here stands in a source of 2024-07-01 or later."),
    (LARGE, "who says Lambda's?", PRICE.format("lambda/request"), "AWS price list as read 2026-09-29"),
    (LARGE, "and of its duration?", PRICE.format("lambda/gb_second_arm"), "2024-07-01"),
    (LARGE, "who says SQS's?", PRICE.format("sqs/standard_request"), "2026-10-08"),
    (LARGE, "who says my node's?", PRICE.format("ec2/m7g.large"), "2026-07-20"),
    (LARGE, "who says Amazon MQ's?", PRICE.format("amazonmq/cluster.mq.m7g.large"), "third parties"),
    (
        LARGE,
        "what does a broker's death do?",
        DEATH,
        "Lambda is invoked by forwarders of your own, which reconnect",
    ),
    (
        LARGE,
        "and of Amazon MQ's?",
        DEATH,
        "AWS's documentation does not say how soon Lambda's trigger reconnects",
    ),
    (
        LARGE,
        "and to SQS?",
        DEATH,
        "Lambda goes on polling; what an invocation did not finish can be received",
    ),
    (
        OWNER,
        "who says that of SQS?",
        DEATH,
        "Documented: Amazon SQS Developer Guide, “Amazon SQS at-least-once",
    ),
    (
        "#v1&deployment=single",
        "and of one node?",
        DEATH,
        "Nobody can send or receive until the node is back.",
    ),
    (
        "#v1&deployment=trio",
        "and of three?",
        DEATH,
        "Another member of the queue is elected leader and goes on",
    ),
    (
        "#v1&deployment=pair",
        "and of a pair?",
        DEATH,
        "The mirror that has run longest takes over if it is in sync",
    ),
)


def place(element: str) -> str:
    """The selector of an element that a question names."""
    return element if element.startswith("#") else f'[data-key="{element}"]'
