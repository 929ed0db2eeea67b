"""A broker's death by form of queue, as the makers document it: for those who have not measured it."""

from __future__ import annotations

from typing import NamedTuple

from breakeven.report.elements import Row, Section, Table
from breakeven.report.sections.subject import Subject

AS_OF = "November 2026"
RABBITMQ = "https://www.rabbitmq.com/docs/"
SQS_GUIDE = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/"
MQ_GUIDE = "https://docs.aws.amazon.com/amazon-mq/latest/developer-guide/"


class Documented(NamedTuple):
    """What becomes of a queue's service and of its messages, and the page that says so.

    :param form: what the page of the report calls it
    """

    form: str
    name: str
    service: str
    messages: str
    source: str
    url: str

    @property
    def said(self) -> str:
        return f"{self.service} {self.messages}"


DOCUMENTED = (
    Documented(
        "sqs",
        "SQS, standard queue",
        "There is no broker of yours: SQS keeps each message on several of its servers, and others answer.",
        "A message that was deleted while one of them was away may be received once more.",
        "Amazon SQS Developer Guide, “Amazon SQS at-least-once delivery”",
        f"{SQS_GUIDE}standard-queues-at-least-once-delivery.html",
    ),
    Documented(
        "fifo",
        "SQS, FIFO queue",
        "There is no broker of yours: SQS keeps each message on several of its servers, and others answer.",
        "A send that is repeated within 5 minutes makes no second message.",
        "Amazon SQS Developer Guide, “Exactly-once processing in Amazon SQS”",
        f"{SQS_GUIDE}FIFO-queues-exactly-once-processing.html",
    ),
    Documented(
        "trio",
        "RabbitMQ, quorum queue",
        "Another member of the queue is elected leader and goes on, as long as more than half of the members "
        "are there; clients of the dead node must reconnect.",
        "What was confirmed should not be lost unless most members are gone for good; what was not confirmed "
        "may be.",
        "RabbitMQ documentation, Quorum Queues, “Leader Election and Failure Handling” and “Data Safety”",
        f"{RABBITMQ}quorum-queues#leader-election",
    ),
    Documented(
        "pair",
        "RabbitMQ, mirrored queue (to 3.13)",
        "The mirror that has run longest takes over if it is in sync; where the policy asks for that "
        "(ha-promote-on-failure: when-synced) and it is not, the queue waits until the dead node is back. "
        "Clients of the dead node must reconnect.",
        "What was confirmed is on every mirror in sync; what was handed out and not acknowledged comes "
        "again.",
        "RabbitMQ 3.13 documentation, Classic Queue Mirroring, “Leader Election” and “Promotion of "
        "Unsynchronised Mirrors on Failure”",
        f"{RABBITMQ}3.13/ha#behaviour",
    ),
    Documented(
        "single",
        "RabbitMQ, one node",
        "Nobody can send or receive until the node is back.",
        "A durable queue comes back with its persistent messages, as far as the node's disk does.",
        "RabbitMQ documentation, Reliability Guide, and 3.13, Classic Queue Mirroring, “Non-mirrored Queue "
        "Behavior in a Cluster”",
        f"{RABBITMQ}3.13/ha#non-mirrored-queue-behavior-on-node-failure",
    ),
    Documented(
        "amazon-mq-cluster",
        "Amazon MQ, cluster of three",
        "Of a quorum queue another member, in another zone, is elected leader and goes on; clients of the "
        "dead node must reconnect. AWS looks after the node.",
        "As RabbitMQ's own quorum queues.",
        "Amazon MQ Developer Guide, “Quorum queues for RabbitMQ on Amazon MQ”",
        f"{MQ_GUIDE}quorum-queues.html",
    ),
    Documented(
        "amazon-mq-single",
        "Amazon MQ, one broker",
        "Nobody can send or receive until AWS has replaced the broker, which keeps its address.",
        "They are on a volume that outlives the broker.",
        "Amazon MQ Developer Guide, “Deployment options for Amazon MQ for RabbitMQ brokers”",
        f"{MQ_GUIDE}rabbitmq-broker-architecture.html",
    ),
)

#: what it means where Lambda consumes, by the side of an option
WITH_LAMBDA: dict[str, str] = {
    "sqs": "Lambda goes on polling; what an invocation did not finish can be received again after its "
    "visibility timeout.",
    "self-hosted": "Lambda is invoked by forwarders of your own, which reconnect as you wrote them; what "
    "they had not acknowledged comes again.",
    "amazon-mq": "AWS's documentation does not say how soon Lambda's trigger reconnects; what was not "
    "acknowledged comes again.",
}


def section(subject: Subject) -> Section | None:
    """Nothing of it depends on the run; none beside what a source published, which chose its own server."""
    if subject.report.source is not None:
        return None
    return Section("broker-death", "What a broker's death does", (documented(),))


def documented() -> Table:
    """A row a form of queue; of documentation, and none of it measured."""
    return Table(
        slug="broker-death",
        caption="What a broker's death does to a queue and its messages, as documented",
        label_titles=("",),
        columns=("Service", "Messages", "Documentation"),
        rows=tuple(
            Row((one.name,), (one.service, one.messages, f"{one.source}: {one.url}"), "documented")
            for one in DOCUMENTED
        ),
        notes=(
            f"Documented, not measured, as of {AS_OF}. RabbitMQ's documentation does not say how long a "
            "change of leaders takes: npm run breakeven -- run faults measures it.",
            f"Where Lambda consumes: of SQS: {WITH_LAMBDA['sqs']} Of RabbitMQ: {WITH_LAMBDA['self-hosted']} "
            f"Of Amazon MQ: {WITH_LAMBDA['amazon-mq']}",
        ),
        sourced=False,
    )
