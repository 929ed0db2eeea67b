"""Record of a target: all that is known before anything runs; ``targets.catalog`` has one of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from breakeven.terms import Debian, Environment, Groups


@dataclass(frozen=True, slots=True)
class Rates:
    """Messages a second: of one worker, and the most that all of them reach together. Assumptions.

    ``consume`` is receive and settle. ``unconfirmed`` is the most without publisher confirms, where the
    target has such a thing. ``bytes_per_s`` bounds both directions; None where nothing is known.
    """

    produce_each: float
    produce_most: float
    consume_each: float
    consume_most: float
    unconfirmed: float | None
    bytes_per_s: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Nodes:
    """Brokers that a lane launches: how many, and what each runs on; ``volume_gb`` of gp3.

    ``count``: the fewest, and as many as there are unless a suite says otherwise; ``most``: that it may say;
    None: no other number. ``deployment``: what pricing calls such a cluster. ``debian``: the release whose
    RabbitMQ it is: 3.10 in Debian 12, 4.0 in 13.
    """

    count: int
    instance_type: str
    volume_gb: int
    deployment: Literal["single", "pair", "trio"]
    debian: Debian
    most: int | None = None

    @property
    def counts(self) -> range:
        """How many a suite may ask for."""
        return range(self.count, (self.most or self.count) + 1)


@dataclass(frozen=True, slots=True)
class ManagedBroker:
    """A broker that Amazon MQ creates for a lane: nobody launches or stops a node of it.

    ``mode``: what its API calls the deployment; ``nodes`` are those of it. ``deployment``: the form of one's
    own that pricing compares it with. ``release``: RabbitMQ's, as its API takes it, without a patch version.
    """

    nodes: int
    instance_type: str
    mode: Literal["SINGLE_INSTANCE", "CLUSTER_MULTI_AZ"]
    deployment: Literal["single", "trio"]
    release: str


@dataclass(frozen=True, slots=True)
class Waits:
    """How long after the last message a drain goes on, seconds.

    ``unknown``: for a send without an answer. ``hidden``: for a confirmed one that a receive whose answer was
    lost may hide.
    """

    unknown: float
    hidden: float = 0.0

    def beyond(self, in_hand_s: float) -> Waits:
        """Where consumers may have messages in hand for so long: what is hidden is hidden until then, too."""
        if not self.hidden:
            return self
        return Waits(self.unknown + in_hand_s, self.hidden + in_hand_s)


@dataclass(frozen=True, slots=True)
class MostInHand:
    """How long a consumer may have a message in hand, seconds, before ``then`` happens; with its source."""

    seconds: float
    then: str
    source: str


@dataclass(frozen=True, slots=True)
class Look:
    """How charts draw it. ``marker`` is matplotlib's; ``pale``: what was published of it, and history.

    ``shades``: of its sizes, where a suite has several; none: all have its colour.
    """

    colour: str
    pale: str
    marker: str
    shades: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What differs between targets however alike their settings, in the words that a buyer would ask in.

    In braces stands what the run knows: ``{zones}`` of its nodes, how many ``{nodes}``, on how many of them
    queues are ``{mirrored}``, ``{handling}`` of partitions, in parentheses, and ``{server}``, its release
    with what support that has.
    """

    zones: str
    copies: str
    encryption: str
    partition: str
    release: str


@dataclass(frozen=True, slots=True)
class Removed:
    """``what`` its queues need is no longer there from ``series``.0 on; ``remedy``: what to run instead."""

    series: int
    what: str
    remedy: str


#: of what a service's metric is: a broker as a whole, a node of it, or a case's queue
Part = Literal["broker", "node", "queue"]


@dataclass(frozen=True, slots=True)
class ServiceMetric:
    """A figure that a service publishes of itself each minute. ``name`` is CloudWatch's, ``label`` ours.

    ``statistic``: of what was published within a minute; ``unit``: CloudWatch's name of it. ``worst``: the
    minute that readers are shown beside the mean.
    """

    name: str
    label: str
    statistic: Literal["Average", "Maximum", "Sum"]
    unit: Literal["Percent", "Bytes", "Count", "Seconds"]
    worst: Literal["highest", "lowest"] = "highest"


@dataclass(frozen=True, slots=True)
class ServiceMetrics:
    """What CloudWatch has of a service. ``metrics`` are read of each of the parts that ``dimensions`` has.

    ``dimensions``: by which CloudWatch knows a part, in the order in which ``steps.run.read_metrics`` names
    it. ``late``: how late figures come, and what else to know of them, in sentences.
    """

    namespace: str
    dimensions: Mapping[Part, tuple[str, ...]]
    metrics: tuple[ServiceMetric, ...]
    late: str
    source: str


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """One target. ``name`` is what suites call it, where ``is_compared``: others serve the project itself.

    ``label`` and ``short_label`` name it in reports and on terminals, ``service`` in sentences about what it
    takes. ``opened_by``: ``module:class``. ``nodes``: brokers that a lane launches; ``broker``: one that it
    has created for it; neither of a service that is there without being asked for.

    ``local_provenance``: what its figures are where a run is made on one machine. ``reference_client``: what
    an application would use; None where there is no such thing. ``endpoint``: the end of the name of the
    interface endpoint by which a task reaches it; None where it needs none.

    ``pushes``: can it hand out messages unasked? ``window_is_connections``: is a window so many connections
    of each worker, as one call waits for its answer? ``has_capacity``: is there a rate that it cannot hold,
    and not a quota? ``request_price``: the item of a price book's ``sqs`` by which each request is paid for;
    None: requests cost nothing.

    ``batches``: has it calls for several messages? ``most_in_hand``: None: messages may be in hand for ever.

    ``look``: how charts draw it. ``guarantees``: what differs from other targets, on AWS;
    ``guarantees_locally``: where a run is made on one machine. ``software``: what a run's manifest calls the
    server; None where it names none.

    ``service_metrics``: what CloudWatch has of it; None of what is no service of AWS.

    ``removed_in``: of releases that it cannot run on. ``group_size``: the members of a quorum queue's group,
    unless a suite says otherwise; None: its queues have none. ``groups``: the same of message groups, within
    which a queue keeps the order.

    ``open_loop``: settings of an open loop, where a suite gives none. ``fixed``: what it does whatever a
    suite asks. ``rates`` and ``open_lane_s`` (seconds until a lane of it can be used) are assumed.
    """

    name: str
    label: str
    short_label: str
    service: str
    opened_by: str
    max_message_bytes: int
    waits: Waits
    rates: Mapping[Environment, Rates]
    open_lane_s: Mapping[Environment, float]
    look: Look
    guarantees: Guarantees
    guarantees_locally: Guarantees
    local_provenance: Literal["measured", "emulated"] = "measured"
    nodes: Nodes | None = None
    broker: ManagedBroker | None = None
    reference_client: Literal["boto3", "pika"] | None = None
    endpoint: str | None = None
    software: Literal["rabbitmq", "sqs"] | None = None
    service_metrics: ServiceMetrics | None = None
    removed_in: Removed | None = None
    group_size: int | None = None
    groups: Groups | None = None
    is_compared: bool = True
    pushes: bool = True
    window_is_connections: bool = False
    has_capacity: bool = True
    batches: bool = False
    most_in_hand: MostInHand | None = None
    request_price: str | None = None
    open_loop: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_brokers(self) -> bool:
        """Whether a lane of it has brokers of its own, in the VPC, and credentials for them."""
        return self.nodes is not None or self.broker is not None

    @property
    def node_count(self) -> int:
        """Broker nodes of a lane, unless a suite says otherwise; 0 of a service without any."""
        if self.broker:
            return self.broker.nodes
        return self.own_nodes

    @property
    def own_nodes(self) -> int:
        """Those that the lane has launched, and may stop, likewise."""
        return self.nodes.count if self.nodes else 0

    @property
    def has_classic_queues(self) -> bool:
        """Whether its queues, on nodes of one's own, are classic ones, mirrored or not."""
        return self.nodes is not None and self.group_size is None

    @property
    def has_mirrors(self) -> bool:
        """Whether its queues are classic ones with mirrors on other nodes, as many as a case may say."""
        return self.has_classic_queues and self.own_nodes > 1

    @property
    def deployment(self) -> Literal["single", "pair", "trio"] | None:
        """The form of brokers of one's own that it is, or is compared with; None without brokers."""
        form = self.nodes or self.broker
        return form.deployment if form else None

    def presumed_provenance(self, environment: Environment | str) -> Literal["measured", "emulated"]:
        """What its figures would be, where it never came to say so itself."""
        return self.local_provenance if environment == "local" else "measured"
