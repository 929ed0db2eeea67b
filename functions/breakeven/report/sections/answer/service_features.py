"""Features that each service has and the others lack, whatever its price and speed."""

from __future__ import annotations

from typing import NamedTuple

from breakeven import words
from breakeven.pricing.prices.broker_types import USUAL, broker_types
from breakeven.report.elements import Row, Section, Table
from breakeven.report.sections.answer.broker_death import AS_OF, MQ_GUIDE, RABBITMQ, SQS_GUIDE
from breakeven.report.sections.subject import Subject
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_MAX_MESSAGE_BYTES
from breakeven.terms import SQS_MAX_BATCH, SQS_MAX_MESSAGE_BYTES

SERVICES = ("Amazon SQS", "RabbitMQ of your own", "Amazon MQ for RabbitMQ")
LAMBDA_GUIDE = "https://docs.aws.amazon.com/lambda/latest/dg/"
GITHUB = "https://github.com/rabbitmq/"
#: by guide: each page's title and address
SOURCES: dict[str, dict[str, str]] = {
    "Amazon SQS Developer Guide": {
        "Dead-letter queues": f"{SQS_GUIDE}sqs-dead-letter-queues.html",
        "Message quotas": f"{SQS_GUIDE}quotas-messages.html",
        "FIFO queue quotas": f"{SQS_GUIDE}quotas-fifo.html",
        "Visibility timeout": f"{SQS_GUIDE}sqs-visibility-timeout.html",
        "Message timers": f"{SQS_GUIDE}sqs-message-timers.html",
    },
    "RabbitMQ": {
        "Dead Letter Exchanges": f"{RABBITMQ}dlx",
        "Quorum Queues": f"{RABBITMQ}quorum-queues",
        "Priority Queues": f"{RABBITMQ}priority",
        "Consumers": f"{RABBITMQ}consumers#acknowledgement-timeout",
        "Time-to-Live": f"{RABBITMQ}ttl",
        "Exchanges": f"{RABBITMQ}exchanges",
        "Access Control": f"{RABBITMQ}access-control",
        "Protocols": f"{RABBITMQ}protocols",
        "Limits": f"{RABBITMQ}limits",
        "Release notes of 4.3.0": f"{GITHUB}rabbitmq-server/releases/tag/v4.3.0",
        "Delayed message exchange": f"{GITHUB}rabbitmq-delayed-message-exchange",
    },
    "AWS Lambda Developer Guide": {
        "Using Lambda with Amazon SQS": f"{LAMBDA_GUIDE}with-sqs.html",
        "Using Lambda with Amazon MQ": f"{LAMBDA_GUIDE}with-mq.html",
    },
    "Amazon MQ Developer Guide": {
        "RabbitMQ 4": f"{MQ_GUIDE}rabbitmq-4.html",
        "Authentication and authorization": f"{MQ_GUIDE}rabbitmq-authentication.html",
        "Plugins": f"{MQ_GUIDE}rabbitmq-basic-elements-plugins.html",
        "JMS support": f"{MQ_GUIDE}rabbitmq-jms-support.html",
        "Broker defaults": f"{MQ_GUIDE}rabbitmq-defaults.html",
        "Default resource limits": f"{MQ_GUIDE}rabbitmq-resource-limits-configuration.html",
        "Configurable values": f"{MQ_GUIDE}configurable-values.html",
    },
}


class Feature(NamedTuple):
    """What there is of it, in words, by service."""

    name: str
    sqs: str
    own: str
    amazon_mq: str


AS_OWN = "as RabbitMQ of your own"


def _longest_queue() -> str:
    """What a queue of a cluster of the usual type takes, by the service's own policy."""
    limits = broker_types()[USUAL].limits
    length = limits["cluster"].max_length if limits else None
    return f"a queue of a cluster of {USUAL} rejects what is over {words.count(length)} messages"


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
        "A trigger, by default of one function at a time for each queue; more on request. By a user and "
        "password from Secrets Manager only: tokens of OAuth 2.0, IAM's among them, do not serve it.",
    ),
    Feature(
        "Who may send and receive",
        "IAM: each call is signed, and policies of roles and queues decide.",
        "RabbitMQ's own users and permissions, or LDAP and OAuth 2.0 by plugins; passwords and certificates "
        "are yours to keep and to change.",
        "RabbitMQ's own users, LDAP or OAuth 2.0 (IAM's tokens, too); on RabbitMQ 4 also an HTTP service of "
        "yours or clients' certificates.",
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
        "Quorum queues: 32, strict, from 4.3 on; two before. Classic queues: as many as are declared, up to "
        "255.",
        "As RabbitMQ of the broker's release.",
    ),
    Feature(
        "Protocol",
        "Signed HTTPS calls of AWS's own interface, by its SDKs.",
        "AMQP 0-9-1 and, from 4.0, AMQP 1.0; MQTT, STOMP and JMS by plugins. The same clients work outside "
        "of AWS.",
        "AMQP 0-9-1 and, on RabbitMQ 4, AMQP 1.0 and JMS.",
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
        "Up to 15 minutes, by message or queue; FIFO: by queue only.",
        "By an expiry and a dead-letter exchange. The community's plugin for it was archived in 2026: it "
        "kept messages in Mnesia, which 4.3 no longer has.",
        "By an expiry and a dead-letter exchange; there is no such plugin.",
    ),
    Feature(
        "How long a message may wait",
        "Up to 14 days (4 unless set), then it is deleted.",
        "Until it is consumed, unless an expiry is set. A quorum queue drops it (from 4.0 on) after 20 "
        "redeliveries, unless a dead-letter exchange takes it or another limit is set.",
        AS_OWN,
    ),
    Feature(
        "How long a consumer may hold a message",
        "For its visibility timeout: 30 s unless set, and at most 12 hours from its receipt. Then others may "
        "receive it.",
        "30 minutes, unless configured otherwise: then it goes back, and its consumer or channel is closed. "
        "Of every queue up to 4.2, of quorum queues only from 4.3 on.",
        AS_OWN,
    ),
    Feature(
        "Largest message",
        f"{words.size(SQS_MAX_MESSAGE_BYTES)}; more by a reference to Amazon S3.",
        "16 MiB, unless configured otherwise (128 MiB before 4.0).",
        f"{words.size(AMAZON_MQ_MAX_MESSAGE_BYTES)} on RabbitMQ 4, unless configured otherwise.",
    ),
    Feature(
        "Room to grow",
        "Standard queues: any rate, without preparation. FIFO: 300 calls a second of each kind, 3,000 "
        "messages in batches, unless set to high throughput. Of either some 120,000 messages in consumers' "
        "hands.",
        "What its nodes carry, until memory or disk is short and senders are stopped; beyond it larger "
        "nodes, or another cluster.",
        f"What the type of broker carries; beyond it a larger type. Unless configured otherwise "
        f"{_longest_queue()}.",
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
        notes=(f"Documented, not measured, as of {AS_OF}.", *map(_listed, SOURCES)),
        sourced=False,
    )


def _listed(guide: str) -> str:
    """A guide's pages, each with its address."""
    return f"{guide}: {', '.join(f'{title} ({url})' for title, url in SOURCES[guide].items())}."


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
