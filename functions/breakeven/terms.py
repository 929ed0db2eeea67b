"""Words that every room shares: where a run is made, where a figure comes from, and facts of services."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

#: a release of Debian, by its number
Debian = Literal["12", "13"]
#: where a run can be made
Environment = Literal["aws", "local"]
#: of a FIFO queue: what is a message group of its own, within which messages keep their order
Groups = Literal["producer", "message"]
#: of a node's volume, as EBS calls it
VolumeType = Literal["gp3", "gp2", "io2", "st1"]
Provenance = Literal["measured", "emulated", "published"]

#: where a figure comes from; elsewhere: a source published it
Place = Literal["aws", "local", "elsewhere"]
#: every flag a case can carry; docs/metrics.md says what each means
Flag = Literal[
    "shared_host",  # loader and target on the same machine
    "emulated",  # the target is a stand-in for the service
    "loader_saturated",  # the loader itself was the limit, see loaders: a lower bound
    "busy_host",  # the loader's host was busy with other work, or changed its speed
    "other_runs",  # the run was started with --share: others may have run on the machine
    "cold_lane",  # its lane's warm-up did not come to steady rates
    "latency_fell",  # of a search: 99 of 100 messages took less time at a higher rate than at a lower one
    "idle_limit",  # of a search: it ended although nothing on its host was busy
    "not_confirmed",  # of a search: what it found was to be held for longer, and was not
    "few_samples",  # a percentile is null for lack of samples
    "drain_deadline",  # the drain ended at its deadline before the ledger closed
    "backlog_ran_out",  # the queues were loaded beforehand, and empty before the measured stage ended
    "left_estimated",  # what is left in the queues goes by an estimate
    "slow_tail",  # the last 0.1% of the messages took more than a tenth of a load or unload
    "stalled",  # for a whole second or more nothing was completed
    "general_path",  # the general path drove what is the compiled core's
    "ledger_incomplete",  # a loader ended without its ledger; its tail is unknown
    "nodes_down",  # a node was stopped for the case, on purpose
    "mirrors_out_of_sync",  # a mirror was missing before or after the case
    "end_to_end_partial",  # some messages were consumed by a loader that had not sent them
    "call_errors",  # calls failed and were counted
]
#: between a target's kind and the size of its machines; in no name of either
_BEFORE_SIZE = "_"
#: what is timed; docs/metrics.md says what each is
METRICS = ("produce", "consume", "settle", "consume_cycle", "end_to_end", "produce_service", "pacing")

#: bytes of one message of SQS, attributes included, and of all bodies of a batch together: 1 MiB since
#: 2025-08-04, 256 KiB before. Source: AWS What's New, 4 August 2025, "Amazon SQS increases maximum message
#: payload size to 1 MiB"; Amazon SQS Developer Guide, message quotas.
SQS_MAX_MESSAGE_BYTES = 1_048_576
#: of one cluster of brokers that a suite may ask for
MAX_NODES = 9
#: that a cluster's nodes are dealt over: more survive no more, as with three most are left whichever is gone
MOST_BROKER_ZONES = 3
#: messages that one call sends, receives or deletes. Source: Amazon SQS API Reference, SendMessageBatch.
SQS_MAX_BATCH = 10
#: how long a message that a call has brought is hidden from others, seconds; where consumers may have it in
#: hand for some time, that much longer
SQS_HIDDEN_S = 30


class Frozen(BaseModel):
    """A record with the fields that it declares and no others, which stay as they are made."""

    # built when first used: a process imports a hundred models, and uses a few
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class TargetName(str):
    """A target by name: its kind, as its record is called, and its brokers' size of machines, where a suite
    names several. It is stored and compared as the string ``kind`` or ``kind_size``.
    """

    __slots__ = ()

    @classmethod
    def of(cls, kind: str, size: str = "") -> Self:
        return cls(f"{kind}{_BEFORE_SIZE}{size}" if size else kind)

    @property
    def kind(self) -> str:
        return self.partition(_BEFORE_SIZE)[0]

    @property
    def size(self) -> str:
        """Empty where the brokers are on the deployment's machines, or there are none."""
        return self.partition(_BEFORE_SIZE)[2]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.str_schema(pattern=r"^[a-z0-9-]+(_[a-z0-9-]+)?$")
        return core_schema.no_info_after_validator_function(cls, text)
