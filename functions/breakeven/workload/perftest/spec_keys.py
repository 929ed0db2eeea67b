"""Every parameter of PerfTest's spec files, and what becomes of it here.

Source: ``MulticastParams`` and ``PerfTest`` of PerfTest 2.26 (https://github.com/rabbitmq/rabbitmq-perf-test).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

#: what a value is, as PerfTest converts it: text that reads as a number is one
Kind = Literal["count", "number", "flag", "text", "names", "pairs"]
#: carried: a workload has it. noted: the load is the same without it. refused: the load would be another one
Outcome = Literal["carried", "noted", "refused"]


@dataclass(frozen=True, slots=True)
class Key:
    """One parameter: what its value is, PerfTest's default, and the reason where it is not carried out."""

    kind: Kind
    default: Any
    outcome: Outcome = "carried"
    reason: str = ""
    #: of a number: what it is one of, and an example
    unit: str = ""
    example: int = 10

    @property
    def may_be_none(self) -> bool:
        """Does PerfTest take -1 for none?"""
        return self.default == -1 or self.reason == _UNANSWERED


def noted(kind: Kind, default: Any, reason: str) -> Key:
    """A parameter without which the load is the same."""
    return Key(kind, default, "noted", reason)


def refused(kind: Kind, default: Any, reason: str) -> Key:
    """A parameter without which another load would be measured."""
    return Key(kind, default, "refused", reason)


BYTES: Final = "bytes"
_UNANSWERED = "a message without an answer at the end counts as unknown"
_FRESH = "each case has fresh queues, durable ones, which are deleted after it"
_ROUTED = "messages go to their queue through the default exchange"
OF_ITS_PROCESS = "about PerfTest's own process; loaders here are others"
_BODY = "a body is the ledger's stamp and filler"
_TOGETHER = "all workers of a case start together, behind one barrier"
_TRANSACTIONS = "no transactions; use confirm for publishing, and multi-ack-every for consuming"
_ONE_QUEUE_EACH = "a message goes to one queue, which its producer knows; leave it out"

KEYS: Final[dict[str, Key]] = {
    # load
    "producer-count": Key("count", 1),
    "consumer-count": Key("count", 1),
    "producer-channel-count": Key("count", 1),
    "consumer-channel-count": Key("count", 1),
    "producer-rate-limit": Key("number", -1, unit="messages a second", example=100),
    "consumer-rate-limit": Key("number", -1, unit="messages a second", example=100),
    "publishing-rates": Key("names", ()),
    "min-msg-size": Key("count", 0, unit=BYTES, example=1024),
    "time-limit": Key("count", 0, unit="seconds", example=30),
    "producer-msg-count": Key("count", 0),
    "consumer-msg-count": Key("count", 0),
    "msg-count": Key("count", 0),
    "message-sizes": refused("names", (), "sizes that change within a case; give each size a scenario"),
    # delivery
    "confirm": Key("count", -1),
    "confirm-timeout": noted("count", 30, _UNANSWERED),
    "auto-ack": Key("flag", False),
    "multi-ack-every": Key("count", 0),
    "channel-prefetch": Key("count", 0),
    "consumer-prefetch": Key("count", 0),
    "flags": Key("names", ()),
    "flag-persistent": Key("flag", False),
    "flag-mandatory": Key("flag", False),
    "producer-tx-size": refused("count", 0, _TRANSACTIONS),
    "consumer-tx-size": refused("count", 0, _TRANSACTIONS),
    "nack": refused("flag", False, "a consumer that rejects what it receives; the ledger needs it settled"),
    "requeue": noted("flag", True, "nothing is rejected, so that nothing is put back"),
    # consumers
    "consumer-latency-in-microseconds": Key("count", 0, unit="microseconds", example=1000),
    "consumer-latencies": Key("names", ()),
    "polling": Key("flag", False),
    "polling-interval": refused("count", -1, "a consumer that polls asks again at once; leave it out"),
    "consumer-slow-start": noted("flag", False, _TOGETHER),
    "consumer-arguments": refused("pairs", None, "consumers have no arguments, and are all alike"),
    # topology
    "queue-names": Key("names", ()),
    "queue-pattern": Key("text", None),
    "queue-sequence-from": Key("count", -1),
    "queue-sequence-to": Key("count", -1),
    "queues-in-sequence": Key("flag", False),
    "queue-arguments": Key("pairs", None),
    "exchange-type": Key("text", "direct"),
    "exchange-name": noted("text", "direct", _ROUTED),
    "routing-key": noted("text", None, _ROUTED),
    "random-routing-key": refused("flag", False, _ONE_QUEUE_EACH),
    "routing-key-cache-size": noted("count", 0, "there are no random routing keys"),
    "skip-binding-queues": refused("flag", False, _ONE_QUEUE_EACH),
    "predeclared": refused("flag", False, f"{_FRESH}; leave it out"),
    "auto-delete": noted("flag", True, _FRESH),
    "exclusive": noted("flag", False, _FRESH),
    "cluster": noted("flag", False, OF_ITS_PROCESS),
    # bodies
    "body-files": refused("names", (), f"{_BODY}; give their size as min-msg-size"),
    "body-content-type": noted("text", None, "no properties beside the delivery mode"),
    "json-body": noted("flag", False, f"{_BODY}, of the same size; a broker does not look at it"),
    "body-count": noted("count", 100, "belongs to json-body"),
    "body-field-count": noted("count", 1000, "belongs to json-body"),
    "message-properties": refused("pairs", None, "no properties beside the delivery mode; see flags"),
    # PerfTest's own process
    "use-millis": noted("flag", False, "latencies are nanoseconds of one clock"),
    "heartbeat-sender-threads": noted("count", -1, OF_ITS_PROCESS),
    "producer-random-start-delay-in-seconds": noted("count", 0, _TOGETHER),
    "producer-scheduler-thread-count": noted("count", -1, OF_ITS_PROCESS),
    "consumers-thread-pools": noted("count", -1, OF_ITS_PROCESS),
    "servers-start-up-timeout": noted("count", -1, OF_ITS_PROCESS),
    "servers-up-limit": noted("count", -1, OF_ITS_PROCESS),
    "shutdown-timeout": noted("count", 5, OF_ITS_PROCESS),
    "netty": noted("flag", False, OF_ITS_PROCESS),
}
#: other names that spec files may use
ALIASES: Final = {
    "rate": "producer-rate-limit",
    "consumer-rate": "consumer-rate-limit",
    "body": "body-files",
}

#: why these arguments of queues do not matter here; others would change what is measured
QUEUE_ARGUMENTS: Final = {
    "x-max-in-memory-length": "without effect from RabbitMQ 3.10 on",
    "auto-delete": "is no argument of a queue, and RabbitMQ ignores it",
    "durable": "is no argument of a queue, and RabbitMQ ignores it",
    "x-queue-leader-locator": "queues have their leaders on each node in turn, by leaders: spread",
    "x-queue-version": "the release's own version of classic queues is used",
}
