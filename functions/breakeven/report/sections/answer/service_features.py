"""Features that each service has and the others lack, whatever its price and speed."""

from __future__ import annotations

from typing import NamedTuple

from breakeven import words
from breakeven.report.elements import Row, Section, Table
from breakeven.report.sections.subject import Subject
from breakeven.terms import SQS_MAX_BATCH, SQS_MAX_MESSAGE_BYTES

SERVICES = ("Amazon SQS", "RabbitMQ of your own", "Amazon MQ for RabbitMQ")
AS_OF = "November 2026"
SOURCES = (
    "Amazon SQS Developer Guide (dead-letter queues, FIFO queues, delay queues, quotas); RabbitMQ "
    "documentation, 4.x (Dead Letter Exchanges, Quorum Queues, Exchanges, Classic Queue Priorities, "
    "Time-to-Live, Access Control); AWS Lambda Developer Guide, “Using Lambda with Amazon MQ” and “Using "
    "Lambda with Amazon SQS”; Amazon MQ Developer Guide, “RabbitMQ 4” and “IAM authentication and "
    f"authorization”; as of {AS_OF}"
)


class Feature(NamedTuple):
    """What there is of it, in words, by service."""

    name: str
    sqs: str
    own: str
    amazon_mq: str


AS_OWN = "as RabbitMQ of your own"

FEATURES = (
    Feature(
        "Dead letters",
        "After a number of receives that you choose a message moves to another queue; a call moves it back.",
        "An exchange takes what was rejected, has expired, is too many, or was delivered too often (quorum "
        "queues: 20 times, unless told otherwise). At least once only from quorum queues that are set so.",
        AS_OWN,
    ),
    Feature(
        "Lambda as consumer",
        "A trigger: Lambda polls, adds pollers with the load, and deletes what was processed.",
        "None: something of yours takes the messages and invokes the function.",
        "A trigger, by default of one function at a time for each queue; more on request.",
    ),
    Feature(
        "Who may send and receive",
        "IAM: each call is signed, and policies of roles and queues decide.",
        "RabbitMQ's own users and permissions, or LDAP and OAuth 2.0 by plugins; passwords and certificates "
        "are yours to keep and to change.",
        "RabbitMQ's own users, LDAP, or IAM's tokens by OAuth 2.0.",
    ),
    Feature(
        "Routing",
        "None: a message goes to the queue that it is sent to. Several take a copy through Amazon SNS or "
        "EventBridge, at their price.",
        "Exchanges: by key, by pattern, by header, or to all.",
        AS_OWN,
    ),
    Feature(
        "Priorities",
        "None: a queue for each, and consumers that ask one before the other.",
        "Quorum queues: two. Classic queues: as many as are declared, up to 255.",
        AS_OWN,
    ),
    Feature(
        "Protocol",
        "Signed HTTPS calls of AWS's own interface, by its SDKs.",
        "AMQP 0-9-1 and, from 4.0, AMQP 1.0; MQTT and STOMP by plugins. The same clients work outside of "
        "AWS.",
        "AMQP 0-9-1 and, on 4.2, AMQP 1.0.",
    ),
    Feature(
        "How messages arrive",
        f"They are asked for, {SQS_MAX_BATCH} a call at most; a call waits up to 20 s.",
        "They are pushed, as many ahead of their acknowledgement as the consumer wants.",
        AS_OWN,
    ),
    Feature(
        "Order",
        "Standard queues: as far as possible. FIFO queues: within each message group.",
        "Within a queue, but for redeliveries and among several consumers; a single active consumer keeps "
        "it.",
        AS_OWN,
    ),
    Feature(
        "Delivery",
        "Standard: at least once. FIFO: repeated sends within 5 minutes are dropped.",
        "At least once, with confirms and acknowledgements.",
        AS_OWN,
    ),
    Feature(
        "Delayed messages",
        "Up to 15 minutes, by message or queue.",
        "By an expiry and a dead-letter exchange, or a plugin of the community.",
        AS_OWN,
    ),
    Feature(
        "How long a message may wait",
        "Up to 14 days (4 unless set), then it is deleted.",
        "Until it is consumed, unless an expiry is set, or the disk is full and senders are stopped.",
        AS_OWN,
    ),
    Feature(
        "Largest message",
        f"{words.size(SQS_MAX_MESSAGE_BYTES)}; more by a reference to Amazon S3.",
        "16 MiB, unless configured otherwise (128 MiB before 4.0).",
        AS_OWN,
    ),
    Feature(
        "Room to grow",
        "Standard queues: any rate, without preparation.",
        "What its nodes carry; beyond it larger nodes, or another cluster.",
        "What the type of broker carries; beyond it a larger type.",
    ),
)


def section(subject: Subject) -> Section | None:
    """Nothing of it depends on the run; none beside what a source published, which chose its own server."""
    if subject.report.source is not None:
        return None
    return Section("features", "What each service has", (features(),))


def features() -> Table:
    """One row a feature; of documentation, and none of it measured."""
    return Table(
        slug="features",
        caption="What each has that the others lack, whatever its price",
        label_titles=("",),
        columns=SERVICES,
        rows=tuple(
            Row((feature.name,), (feature.sqs, feature.own, _capital(feature.amazon_mq)), "documented")
            for feature in FEATURES
        ),
        notes=(f"Documented, not measured: {SOURCES}.",),
        sourced=False,
    )


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
