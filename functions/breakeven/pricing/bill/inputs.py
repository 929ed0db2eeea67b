"""Inputs of a question about money: the traffic, how SQS is called, and the cluster beside it."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from breakeven.errors import InputError, in_words, together
from breakeven.pricing.bill.amazon_mq import AmazonMq, amazon_mq_problem
from breakeven.pricing.bill.consumers import Consumers, consumer_problem
from breakeven.pricing.bill.lines import MAX_MSG_PER_S
from breakeven.pricing.cluster_form import ClusterForm, form_problem
from breakeven.terms import MOST_BROKER_ZONES, SQS_MAX_BATCH, SQS_MAX_MESSAGE_BYTES
from breakeven.words import plural
from breakeven.workload.ebs_volumes import MOST_VOLUME_GB, VOLUMES

CHUNK_BYTES = 64 * 1024
MAX_MESSAGE_BYTES = SQS_MAX_MESSAGE_BYTES
#: what one SQS call sends at most, all its messages together; of what a receive brings only the number is
#: bounded (Amazon SQS API reference, SendMessageBatch and ReceiveMessage)
MAX_CALL_BYTES = SQS_MAX_MESSAGE_BYTES
MAX_BATCH = SQS_MAX_BATCH
SECONDS_PER_HOUR = 3600.0
GP3_MIBPS_PER_IOPS = 0.25
EXACT = 1e-9  # less than this part apart is the arithmetic's

Commitment = Literal["on-demand", "1y-standard", "1y-convertible", "3y-standard", "3y-convertible"]
#: of CPU above what a burstable type's credits sustain: paid for, or not there
CpuCredits = Literal["unlimited", "standard"]


class Inputs(ClusterForm, Consumers, AmazonMq, allow_inf_nan=False):
    """Everything that a bill depends on but the prices. Rates are monthly means."""

    msg_per_s: float | None = Field(default=None, ge=0, le=MAX_MSG_PER_S, description="asked for; null: none")
    message_bytes: int = Field(default=1024, ge=1, le=MAX_MESSAGE_BYTES, description="body and attributes")
    hours_per_month: float = Field(default=730.0, gt=0, le=744)

    queue: Literal["standard", "fifo", "fair"] = "standard"
    send_batch: float = Field(default=1, ge=1, le=MAX_BATCH, description="messages a call, on average")
    receive_batch: float = Field(default=1, ge=1, le=MAX_BATCH)
    delete_batch: float = Field(default=1, ge=1, le=MAX_BATCH)
    batch_fill: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="of SQS batched, how full calls are; null: not known, priced as full",
    )
    batch_fill_low: float | None = Field(
        default=None, gt=0, le=1, description="lower end of its interval; null: not measured"
    )
    batch_fill_high: float | None = Field(default=None, gt=0, le=1, description="upper end; null: as above")
    empty_receives: float | None = Field(
        default=None, ge=0, le=1000, description="a message; null: not known, priced as none"
    )
    free_tier: bool = Field(default=True, description="whether the account's free requests are left for this")
    existing_requests: float = Field(
        default=0, ge=0, le=1e15, description="a month, by the account elsewhere"
    )
    sqs_path: Literal["public", "endpoint", "nat"] = "public"
    client_zones: int = Field(default=2, ge=1, le=6, description="with an endpoint or a NAT gateway each")
    sqs_alarms: float = Field(default=2, ge=0, le=1000)
    sqs_price_factor: float = Field(default=1, gt=0, le=2, description="of list price: 0.9 is 10% off")

    instance: str = Field(default="m7g.large", min_length=1)
    commitment: Commitment = "on-demand"
    cpu_credits: CpuCredits = Field(
        default="unlimited", description="of a burstable type; unlimited, as EC2 launches T3 and T4g"
    )
    instance_price_factor: float = Field(default=1, gt=0, le=2)
    volume: Literal["none", "gp3", "gp2", "io2", "st1"] = "gp3"
    volume_gb: float = Field(default=20, ge=0, le=MOST_VOLUME_GB, description="a node")
    volume_iops: float = Field(
        default=3000, ge=0, le=256_000, description="a node's gp3 or io2; gp3 has 3,000 for nothing"
    )
    volume_mibps: float = Field(
        default=125, ge=125, le=2000, description="a node's gp3, which has 125 for nothing"
    )
    broker_zones: int | None = Field(
        default=None, ge=1, le=MOST_BROKER_ZONES, description="null: one a node, and three at most"
    )
    client_zone_share: float | None = Field(
        default=None, ge=0, le=1, description="of traffic between a client and a node in another zone"
    )
    leader_hop_share: float | None = Field(
        default=None, ge=0, le=1, description="of messages that reach a node other than their queue's leader"
    )
    node_metrics: float = Field(default=10, ge=0, le=10_000, description="CloudWatch metrics a node")
    node_alarms: float = Field(default=5, ge=0, le=10_000)
    node_logs_gb: float = Field(default=0, ge=0, le=1e6, description="a month and node, taken in")

    capacity_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="of one cluster with one node down; null: not known"
    )
    capacity_low_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="lower end of its interval; null: not measured"
    )
    capacity_high_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="upper end; null: not measured, or none was found"
    )
    capacity_nodes_down: int | None = Field(
        default=None, ge=0, le=2, description="while it was measured; null: one, where there are several"
    )
    utilisation: float = Field(default=0.7, ge=0.01, le=1, description="of that capacity, at the peak")
    peak_factor: float = Field(default=3, ge=1, le=1000, description="peak rate over mean rate")
    hours: float | None = Field(
        default=None, ge=0, le=10_000, description="people's, a month; null: solved for"
    )
    hour_rate: float = Field(default=75, ge=0, le=10_000, description="US dollars an hour of a person's work")
    migration_hours: float | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="people's, once, to move to another queue; null: not asked",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if problem := self._volume_problem():
            raise ValueError(problem)
        if problem := form_problem(self):
            raise ValueError(problem)
        if self.zones > self.nodes:
            raise ValueError(
                f"broker_zones: {self.zones} zones for {plural(self.nodes, 'node')}; give at most one a node"
            )
        if problem := amazon_mq_problem(self, self.deployment):
            raise ValueError(problem)
        if problem := self._traffic_problem():
            raise ValueError(problem)
        if self.consumer and (problem := consumer_problem(self, self.queue, self.message_bytes)):
            raise ValueError(problem)
        if self.lambda_polls_per_s is not None and self.empty_receives is not None:
            raise ValueError("lambda_polls_per_s: empty_receives says how many there are; give one of both")
        if self.send_batch * self.message_bytes > MAX_CALL_BYTES:
            most = MAX_CALL_BYTES // self.message_bytes
            raise ValueError(
                f"send_batch: {self.send_batch:g} messages of {self.message_bytes} bytes are over the 1 MiB "
                f"that a call sends; at most {most} fit"
            )
        return self

    def _traffic_problem(self) -> str:
        """A rate at which a month has no message at all, though it is not 0."""
        least = 1 / self.seconds_per_month
        if not self.msg_per_s or self.msg_per_s >= least * (1 - EXACT):
            return ""
        return f"msg_per_s: is under a message a month; give 0 or at least {least:.2g}"

    def _volume_problem(self) -> str:
        """The field of a volume that EBS does not have, and what it has; what stays unsaid is ignored."""
        kind, gb, iops = self.volume, self.volume_gb, self.volume_iops
        unsaid = {name: Inputs.model_fields[name].default for name in ("volume_gb", "volume_iops")}
        limits = None if kind == "none" else VOLUMES[kind]
        if limits is None and gb not in (0, unsaid["volume_gb"]):
            return "volume_gb: without a volume there is no size; leave it out, or give a type of volume"
        if limits and not limits.node_gb[0] <= gb <= limits.node_gb[1]:
            least, most = limits.node_gb
            return f"volume_gb: {kind} has {least:,} to {most:,} GB; give as much, or another type of volume"
        if limits is None or not limits.iops_per_gb:
            if iops == unsaid["volume_iops"]:
                return ""
            return f"volume_iops: none are provisioned with {kind}; leave it out, or give gp3 or io2"
        least, most = limits.iops[0], limits.most_iops(gb)
        if least <= iops <= most:
            return self._throughput_problem()
        return f"volume_iops: {kind} of {gb:g} GB has {least:,} to {most:,}; give as many, or a larger volume"

    def _throughput_problem(self) -> str:
        """Of a gp3 volume, whose throughput its IOPS bound (Amazon EBS User Guide, "General Purpose SSD")."""
        most = self.volume_iops * GP3_MIBPS_PER_IOPS
        if self.volume != "gp3" or self.volume_mibps <= most:
            return ""
        return (
            f"volume_mibps: gp3 with {self.volume_iops:g} IOPS has at most {most:g} MiB/s; give as many, or "
            "more volume_iops"
        )

    @property
    def zones(self) -> int:
        """Zones over which a cluster's nodes are spread."""
        return self.most_zones if self.broker_zones is None else self.broker_zones

    @property
    def seconds_per_month(self) -> float:
        return self.hours_per_month * SECONDS_PER_HOUR

    def but(self, **changes: Any) -> Inputs:
        """The same question with some inputs changed, checked anew.

        :raises InputError: as :func:`ask`
        """
        return ask(**{**self.model_dump(), **changes})


def ask(**fields: Any) -> Inputs:
    """The inputs, checked.

    :raises InputError: a field is unknown, of the wrong type or out of range; all that are wrong are named
    """
    try:
        return Inputs(**fields)
    except ValidationError as error:
        raise together([_input_error(dict(found)) for found in error.errors()]) from error


def _input_error(found: dict[str, Any]) -> InputError:
    where = "question"
    said = in_words(found["msg"])
    if found["loc"]:
        return InputError(where, ".".join(str(part) for part in found["loc"]), found["input"], said)
    field, _, remedy = said.partition(": ")
    value = found["input"].get(field, Inputs.model_fields[field].default)
    return InputError(where, field, value, remedy)
