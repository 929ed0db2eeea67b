"""Amazon SQS FIFO queues in high-throughput mode: the messages of a group keep their order, and one that is
sent twice is taken once.
"""

from __future__ import annotations

from collections.abc import Mapping

from breakeven.clients.sqs.both_clients import FIFO_SUFFIX
from breakeven.targets.sqs.sqs_standard import SqsStandard


class SqsFifo(SqsStandard):
    """As standard queues; the clients give each message its group and its deduplication id."""

    name = "sqs-fifo"
    suffix = FIFO_SUFFIX
    attributes: Mapping[str, str] = {
        **SqsStandard.attributes,
        "FifoQueue": "true",
        # both together are high-throughput mode: without it a queue takes 300 calls of a kind a second
        # (Amazon SQS Developer Guide, "High throughput for FIFO queues")
        "DeduplicationScope": "messageGroup",
        "FifoThroughputLimit": "perMessageGroupId",
    }
