"""One case: a workload's cell on one target, with every default filled in. What a loader is given."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Literal

from pydantic import Field, model_validator

from breakeven.instrument.program import Program
from breakeven.terms import MAX_NODES, SQS_MAX_BATCH, Frozen, Groups, TargetName
from breakeven.workload.machines import Machines, nodes_of
from breakeven.workload.node_faults import NodeFault
from breakeven.workload.service_faults import CaseFault, ServiceFault

Mode = Literal["load-unload", "parallel", "capacity"]
Variant = Literal["equal-guarantees", "as-published"]
Arrivals = Literal["constant", "poisson"]
Leaders = Literal["spread", "one"]
ConnectTo = Literal["any", "leader", "other"]
QueueMode = Literal["default", "lazy"]
#: what a loader is on AWS: a function, or a task of Fargate, which may go on for longer than 15 minutes
LoaderKind = Literal["lambda", "fargate"]
MAX_RATE = 10_000_000.0  # messages a second of a whole case
#: an inline map of the workflow runs at most this many at once, and a case needs all of its loaders at once:
#: more of them are run by a distributed one
INLINE_LOADERS = 40
#: calls of a kind that one worker keeps going at once on SQS, each on a connection of its own
MAX_IN_FLIGHT = 100
#: how many one case's state in one partition of DynamoDB and its settling bear; see decision 0021
MAX_LOADERS = 100
#: what a loader keeps back of its limit, to close and to hand in its result; seconds
CLOSING_S = 10.0
#: a shorter probe of a capacity search may leave open whether the backlog grows or only varies: its rate is
#: then held for so long, seconds
CLEAR_S = 15.0
#: a search whose probes are no shorter than that finds the neighbourhood of its capacity with probes of so
#: many seconds, which decide nothing
SCOUT_S = 5.0

#: messages that a limited prefetch, a window or one acknowledgement can be of, as AMQP counts a prefetch in
#: 16 bits: what is not limited counts as that
MOST_UNLIMITED = 65_535
#: how SQS is called unless a suite asks for batches
SINGLY: dict[str, Any] = {"send_batch": 1, "receive_batch": 1, "delete_batch": 1, "linger_ms": 0.0}
#: fields that came later, as cases had them that were planned before
ADDED: dict[str, Any] = {
    "leaders": "spread",
    "group_size": None,
    "groups": None,
    "confirm_s": 0.0,
    "acks": True,
    "ack_every": 1,
    "prefill": 0,
    "connect_to": "any",
    "queue_mode": "default",
    "message_mix": (),
    "faults": (),
    **SINGLY,
}


class Share(Frozen):
    """Messages of a mix that have one size."""

    bytes: int = Field(ge=16)
    percent: int = Field(ge=1, le=100)


class Step(Frozen):
    """A piece of a profile: a value held, or reached by a straight line from the value before."""

    value: float = Field(ge=0)
    for_s: float = Field(gt=0)
    ramp: bool = False

    def words(self, unit: str) -> str:
        """Such as ``500 msg/s for 10 s``, or ``to 1000 msg/s over 20 s``."""
        if self.ramp:
            return f"to {self.value:g} {unit} over {self.for_s:g} s"
        return f"{self.value:g} {unit} for {self.for_s:g} s"


def in_hand_s(longest_ms: float, delivery: Mapping[str, Any]) -> float:
    """How long a consumer may have a message in hand until it settles it, behind all before it; seconds.

    :param longest_ms: that it works on one message
    :param delivery: a workload's fields
    """
    if not delivery["acks"]:  # nothing is to be settled
        return 0.0
    is_pushed = delivery["consume"] == "push"
    ahead = delivery["prefetch"] if is_pushed else delivery.get("in_flight", 1) * delivery["receive_batch"]
    if ahead == 0 and longest_ms:
        return inf
    return float(ahead * longest_ms + delivery["linger_ms"]) / 1e3


class Workload(Frozen):
    """What is done to the queues. Times in seconds, sizes in bytes; counts are totals over loaders.

    Nothing has a default here: defaults stand in ``planning.workload_settings``.
    """

    mode: Mode
    producers: int = Field(ge=0)
    consumers: int = Field(ge=0)
    queues: int = Field(ge=1)
    message_bytes: int = Field(ge=16, description="of a mix the mean, rounded up")
    message_mix: tuple[Share, ...] = Field(description="how many messages have which size; empty: all one")
    messages: int | None = Field(description="load-unload: how many are loaded")
    prefill: int = Field(ge=0, description="messages in the queues when the case's first stage begins")
    warmup_s: float = Field(ge=0)
    measure_s: float = Field(gt=0, description="parallel: length of the measured stage")
    drain_s: float = Field(gt=0, description="the drain's deadline after the measured stage")
    confirms: bool
    persistent: bool
    mandatory: bool
    consume: Literal["get", "push"]
    acks: bool = Field(description="false: what a broker has handed out is settled")
    ack_every: int = Field(ge=1, description="RabbitMQ: messages of one acknowledgement")
    prefetch: int = Field(ge=0, description="messages in hand of a consumer at most; 0: without a limit")
    wait_s: float = Field(ge=0, le=20, description="SQS long poll; 0 is a short poll")
    in_flight: int = Field(
        ge=1, le=MAX_IN_FLIGHT, description="SQS: calls of a kind that a worker keeps going at once"
    )
    client: Literal["pika", "boto3", "native"]
    program: Program | None = Field(description="target instrument: what it shall do")
    window: int = Field(ge=1, description="messages of one producer that may be unanswered")
    rate: float | None = Field(
        gt=0, description="messages/s of all producers, whatever the target does; null: closed loop"
    )
    arrivals: Arrivals
    profile: tuple[Step, ...] = Field(
        description="the rate from the measured stage's start on; the last value stays"
    )
    objective_ms: float = Field(gt=0, description="capacity: p99 end to end at most this")
    confirm_s: float = Field(
        ge=0, description="capacity: how long the rate found is held again; 0: not at all"
    )
    processing_ms: float = Field(ge=0, description="from in hand to settled, one after another")
    processing_profile: tuple[Step, ...] = Field(description="of processing_ms, as profile")
    nodes_down: int = Field(ge=0, description="nodes that are stopped from before the case until after it")
    faults: tuple[CaseFault, ...] = Field(
        description="what is done to nodes, or befalls calls, in the measured stage"
    )
    leaders: Leaders = Field(description="RabbitMQ: of the queues, spread over the nodes or all on one")
    connect_to: ConnectTo = Field(
        description="RabbitMQ: where a queue's clients connect: its leader's node, another one, or any"
    )
    queue_mode: QueueMode = Field(
        description="classic queues: lazy ones keep messages on disk until they are asked for"
    )
    group_size: int | None = Field(
        ge=1,
        le=MAX_NODES,
        description="quorum queues: members of a queue's group; mirrored ones: copies, null: on all nodes",
    )
    groups: Groups | None = Field(
        description="FIFO queues: what is a message group of its own; null: queues have none"
    )
    send_batch: int = Field(ge=1, le=SQS_MAX_BATCH, description="SQS: messages of one call at most")
    receive_batch: int = Field(ge=1, le=SQS_MAX_BATCH, description="SQS: the same of a receive")
    delete_batch: int = Field(ge=1, le=SQS_MAX_BATCH, description="SQS: the same of a deletion")
    linger_ms: float = Field(ge=0, description="how long a batch waits to be full")

    @model_validator(mode="before")
    @classmethod
    def _as_stored_before(cls, given: Any) -> Any:
        """Cases of runs that were planned before these fields were there."""
        return {**ADDED, **given} if isinstance(given, dict) else given

    @property
    def senders(self) -> int:
        """Workers of which each loads its share of ``prefill``: consumers where there are no producers."""
        return self.producers or self.consumers

    @property
    def shares(self) -> tuple[Share, ...]:
        """How many messages have which size, also where all have the same."""
        return self.message_mix or (Share(bytes=self.message_bytes, percent=100),)

    @property
    def most_bytes(self) -> int:
        """Of the largest messages."""
        return max(share.bytes for share in self.shares)

    @property
    def batches(self) -> bool:
        """May any call carry more than one message?"""
        return max(self.send_batch, self.receive_batch, self.delete_batch) > 1

    @property
    def settles(self) -> int:
        """Messages of one settlement at most."""
        return max(self.delete_batch, self.ack_every)

    @property
    def most_in_hand(self) -> int:
        """Messages that a consumer to which they are pushed may hold; many where nothing limits them, such as
        one that acknowledges none.
        """
        return self.prefetch if self.prefetch and self.acks else MOST_UNLIMITED

    @property
    def is_pooled(self) -> bool:
        """Does a worker have threads that make its calls? One that waits for a batch waits for no call."""
        return self.in_flight > 1 or self.linger_ms > 0

    @property
    def in_hand_s(self) -> float:
        """See :func:`in_hand_s`."""
        longest_ms = max([self.processing_ms, *(step.value for step in self.processing_profile)])
        return in_hand_s(longest_ms, vars(self))

    @property
    def node_faults(self) -> tuple[NodeFault, ...]:
        """Those after which nodes are awaited."""
        return tuple(fault for fault in self.faults if isinstance(fault, NodeFault))

    @property
    def client_faults(self) -> tuple[NodeFault, ...]:
        """Those for which, on one machine, a relay is between clients and nodes."""
        return tuple(fault for fault in self.node_faults if fault.is_of_clients)

    @property
    def reboots(self) -> tuple[NodeFault, ...]:
        """Those that a service is asked for."""
        return tuple(fault for fault in self.node_faults if fault.is_reboot)

    @property
    def service_faults(self) -> tuple[ServiceFault, ...]:
        """Those for which a proxy is between loaders and service."""
        return tuple(fault for fault in self.faults if isinstance(fault, ServiceFault))

    @property
    def is_open(self) -> bool:
        """Do messages arrive by a schedule, whatever the target does?"""
        return self.rate is not None

    def parameters(self) -> dict[str, str | int | float | bool | None]:
        """For reports: profiles in words, and nothing that does not apply, such as a closed loop's rate."""
        fields = self.model_dump(exclude={"program"})
        for name, unit in (("profile", "msg/s"), ("processing_profile", "ms")):
            steps: tuple[Step, ...] = getattr(self, name)
            fields[name] = ", ".join(step.words(unit) for step in steps) or None
        mix = (f"{share.percent}% of {share.bytes} B" for share in self.message_mix)
        fields["message_mix"] = ", ".join(mix) or ADDED["message_mix"]
        fields["faults"] = ", ".join(fault.words for fault in self.faults) or ADDED["faults"]
        if not self.is_open:
            for name in ("rate", "arrivals", "profile"):
                del fields[name]
        if not self.nodes_down:
            del fields["nodes_down"]
        if self.prefetch == 0:
            fields["prefetch"] = "unlimited"
        for name in (
            "leaders",
            "connect_to",
            "queue_mode",
            "group_size",
            "groups",
            "acks",
            "ack_every",
            "prefill",
            "message_mix",
            "faults",
            *SINGLY,
        ):
            if fields[name] == ADDED[name]:
                del fields[name]
        return fields


class Case(Frozen):
    """A workload on a target. Stored by the plan as JSON; ``tag`` marks its messages."""

    run_id: str
    case_id: str = Field(description="<scenario>.<cell>.<target>.r<repeat>, URL-safe")
    scenario: str
    cell: str = Field(description="the matrix cell in words, such as 'threads=40'")
    target: TargetName
    machines: Machines | None = Field(default=None, description="of the lane's own brokers")
    repeat: int = Field(ge=1)
    variant: Variant
    tag: str = Field(pattern=r"^[0-9A-Za-z_-]{4}$")
    workload: Workload
    loaders: int = Field(ge=1, le=MAX_LOADERS)
    start_deadline_s: float = Field(default=60.0, description="all loaders ready within this, else failed")
    expected_s: float = Field(description="the plan's estimate of the whole case")
    loader: LoaderKind = Field(default="lambda", description="what its loaders run as")
    limit_s: float = Field(description="how long a loader may take in all")
    base: str | None = Field(default=None, description="the scenario with whose rate its own is compared")

    @property
    def nodes(self) -> int:
        """Broker nodes of its lane; 0 of a managed service."""
        return nodes_of(self.target, self.machines)
