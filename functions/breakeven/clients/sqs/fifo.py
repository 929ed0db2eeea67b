"""The group and deduplication ids of a message to a FIFO queue, read from its ledger stamp.

The stamp is run tag, producer and sequence (``loadgen.stamp``). The first two are the group: each producer's
messages keep their order, and producers do not wait for one another. All three are the deduplication id.
"""

from __future__ import annotations

from breakeven.clients.base import STAMP_BYTES

#: of the stamp's characters: four of tag and three of producer
GROUP_BYTES = 7
FIFO_SUFFIX = ".fifo"


def is_fifo(queue: str) -> bool:
    """:param queue: name or URL; SQS tells the kinds apart by the name's end"""
    return queue.endswith(FIFO_SUFFIX)


def fifo_ids(queue: str, body: str) -> dict[str, str]:
    """Members of a SendMessage request or of one entry of a batch; none for a standard queue."""
    if not is_fifo(queue):
        return {}
    return {"MessageGroupId": body[:GROUP_BYTES], "MessageDeduplicationId": body[:STAMP_BYTES]}
