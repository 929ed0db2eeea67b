"""The targets: one record of each, and what a name in a suite means.

Adding a target is a record here and the class that it names. A name is that of a record, or of a record on
machines that a suite has named: ``rabbitmq-mirrored-pair_large``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from math import inf

from breakeven.targets.record import (
    Guarantees,
    Look,
    ManagedBroker,
    MostInHand,
    Nodes,
    Rates,
    Removed,
    TargetRecord,
    Waits,
)
from breakeven.terms import MAX_NODES, SQS_HIDDEN_S, SQS_MAX_MESSAGE_BYTES, TargetName

SQS, PAIR = TargetName("sqs-standard"), TargetName("rabbitmq-mirrored-pair")
FIFO = TargetName("sqs-fifo")
TRIO, SINGLE = TargetName("rabbitmq-quorum-trio"), TargetName("rabbitmq-single")
#: on AWS only: the service creates a lane's broker, and deletes it
MQ_CLUSTER, MQ_SINGLE = TargetName("amazon-mq-cluster"), TargetName("amazon-mq-single")
#: the project's own target, which proves the measuring: measured, never compared, never priced
INSTRUMENT = TargetName("instrument")
#: of every broker node, unless a suite names another; a deployment may have chosen another
INSTANCE_TYPE = os.environ.get("BREAKEVEN_INSTANCE_TYPE", "m7g.large")
#: of Amazon MQ's brokers, unless a suite names another: the smallest that its maker recommends for
#: production, of those that run RabbitMQ 4
AMAZON_MQ_TYPE, AMAZON_MQ_RELEASE = "mq.m7g.large", "4.2"
#: bytes of a message that a broker of 4.2 takes unless it is configured otherwise, whatever its size. Source:
#: Amazon MQ Developer Guide, "Default resource limits"
AMAZON_MQ_MAX_MESSAGE_BYTES = 524_288
#: where the root of every image of ours is
ROOT_DEVICE = "/dev/xvda"
#: milliseconds of a call to SQS; a fast one, so that what is billed by the request is not estimated too low
SQS_CALL_MS = 10.0

#: blue and vermilion are told apart in every common colour blindness; marks differ as well
SQS_LOOK = Look("#0b5fa5", "#86b3d9", "s")
RABBITMQ_LOOK = Look(
    "#c2410c", "#e3a583", "o", shades=("#7c2d12", "#ea580c", "#a16207", "#be123c", "#57534e")
)
#: of what has no record
OTHER_LOOK = Look("#5b6675", "#aab1bb", "o")

_SQS = TargetRecord(
    name=SQS,
    label="SQS standard",
    short_label="SQS",
    service="Amazon SQS",
    opened_by="breakeven.targets.sqs_standard:SqsStandard",
    local_provenance="emulated",
    reference_client="boto3",
    endpoint="sqs",
    max_message_bytes=SQS_MAX_MESSAGE_BYTES,
    pushes=False,
    window_is_connections=True,
    has_capacity=False,
    batches=True,
    request_price="standard_request",
    open_loop={"consume": "get", "prefetch": 1, "window": 10},
    # it answers a send when the message is stored, and an unknown queue is an error
    fixed={"confirms": True, "persistent": True, "mandatory": True},
    # the least visibility timeout of a queue of ours, and 60 s, since an empty receive proves nothing. A
    # receive whose answer was lost hides its message for that timeout (Amazon SQS Developer Guide, "Amazon
    # SQS visibility timeout"), and short polls may miss it for a while
    waits=Waits(unknown=SQS_HIDDEN_S + 60.0, hidden=SQS_HIDDEN_S + 5.0),
    most_in_hand=MostInHand(
        12 * 3600.0 - SQS_HIDDEN_S,
        "a message is handed out again",
        "Amazon SQS Developer Guide, 'Amazon SQS visibility timeout': at most 12 hours from its receipt",
    ),
    rates={
        "aws": Rates(
            produce_each=1000 / SQS_CALL_MS,
            produce_most=inf,
            consume_each=1000 / (2 * SQS_CALL_MS),
            consume_most=inf,
            unconfirmed=None,
            bytes_per_s=None,
            source="assumed: 10 ms a call from a function of the same region, and no limit of the service's: "
            "its guide reckons with 20 ms, a measurement of 2022 had 16 ms for a send and a receive together",
        ),
        "local": Rates(
            produce_each=500,
            produce_most=1600,
            consume_each=330,
            consume_most=1100,
            unconfirmed=None,
            bytes_per_s=4.5e6,
            source="the native client against ElasticMQ on 2 shared cores, 2026-11-23: 507 sent, and 334 "
            "received and deleted at the same time, by one thread; 1,690 and 1,170 apart by five; 70 of 64K",
        ),
    },
    open_lane_s={"aws": 5, "local": 5},
    look=SQS_LOOK,
    software="sqs",
    guarantees=Guarantees(
        zones="several in the region, by the service",
        copies="several, by the service",
        encryption="TLS; at rest by default (SSE-SQS)",
        partition="hidden by the service",
        release="managed; no releases",
    ),
    guarantees_locally=Guarantees(
        zones="one process on this machine; the service: several",
        copies="one, in memory; the service: several",
        encryption="none here; the service: TLS and at rest",
        partition="cannot happen here; the service hides it",
        release="{server}, a stand-in",
    ),
)

#: a message group's calls of a kind, a second. Source: Amazon SQS Developer Guide, "High throughput for FIFO
#: queues": each partition supports 300 without batches, a group is in one, and several may share it
_GROUP_CALLS_PER_S = 300
_FIFO = replace(
    _SQS,
    name=FIFO,
    label="SQS FIFO",
    short_label="SQS FIFO",
    opened_by="breakeven.targets.sqs_fifo:SqsFifo",
    request_price="fifo_request",
    groups="producer",
    # a producer's messages are in order only if one call waits for the one before
    open_loop={"consume": "get", "prefetch": 1, "window": 1},
    rates={
        "aws": replace(
            _SQS.rates["aws"],
            produce_each=min(1000 / SQS_CALL_MS, _GROUP_CALLS_PER_S),
            produce_most=2400,
            consume_most=2400,
            source="assumed: 10 ms a call as of a standard queue, and the quota of high-throughput mode in "
            "the regions that have least; us-east-1, us-west-2 and eu-west-1 have 70,000 calls a second",
        ),
        "local": _SQS.rates["local"],
    },
    look=Look("#0e7490", "#8fc7d4", "P"),
)

_SPLIT = "the cluster may split in two and lose what one side took{handling}"

_MIRRORED_PAIR = TargetRecord(
    name=PAIR,
    label="RabbitMQ mirrored pair",
    short_label="RabbitMQ pair",
    service="RabbitMQ",
    opened_by="breakeven.targets.rabbitmq_mirrored_pair:RabbitMQMirroredPair",
    nodes=Nodes(2, INSTANCE_TYPE, volume_gb=20, deployment="pair", debian="12", most=MAX_NODES),
    reference_client="pika",
    # the broker's max_message_size, 128 MiB unless it is configured. Source: RabbitMQ 3.10's configuration
    # reference (rabbitmq.conf.example, max_message_size)
    max_message_bytes=134_217_728,
    open_loop={"consume": "push", "prefetch": 200, "window": 200},
    fixed={"wait_s": 0.0},  # basic.get never waits
    # an empty queue is empty; what was sent without an answer may be held up in a broker for some seconds
    waits=Waits(unknown=10.0),
    most_in_hand=MostInHand(
        1800.0,
        "the broker closes the channel of a consumer that has not acknowledged a message",
        "RabbitMQ documentation, 'Delivery Acknowledgement Timeout': consumer_timeout, 30 minutes by default",
    ),
    rates={
        "aws": Rates(
            produce_each=1875 / 5,
            produce_most=6000,
            consume_each=1293 / 5,
            consume_most=6000,
            unconfirmed=12_000,
            # 937 Mbit/s of an m7g.large; the master sends every message to its mirror and to a consumer
            bytes_per_s=937e6 / 8 / 2,
            source="2012 article: load-unload with 5 threads, whose round trips are the same today; the most "
            "assumed of an m7g.large, as two nodes on 2 shared cores carry 5,700 confirmed in windows and "
            "12,100 of one node's, 2026-11-22",
        ),
        "local": Rates(
            produce_each=700,
            produce_most=1500,
            consume_each=700,
            consume_most=1500,
            unconfirmed=3000,
            bytes_per_s=40e6,
            source="two nodes on 2 shared cores, 2026-11-22: 733 published, confirmed and consumed by one "
            "thread, 1,740 by forty, 644 of 64 KiB; unconfirmed assumed",
        ),
    },
    open_lane_s={"aws": 240, "local": 25},
    look=RABBITMQ_LOOK,
    software="rabbitmq",
    guarantees=Guarantees(
        zones="{zones}",
        copies="{nodes}, mirrored (ha-mode all)",
        encryption="TLS; volumes encrypted",
        partition=_SPLIT,
        release="{server}; mirrored queues ended with 3.x",
    ),
    guarantees_locally=Guarantees(
        zones="none: {nodes} nodes on one machine",
        copies="{nodes}, mirrored (ha-mode all)",
        encryption="none: plain AMQP on loopback",
        partition=_SPLIT,
        release="{server}; mirrored queues ended with 3.x",
    ),
    removed_in=Removed(4, "mirrored queues", f"run it on 3.x, or {TRIO} in its place"),
)

_MAJORITY = "the side with most of a queue's members goes on, the other waits{handling}"
_QUORUM_TRIO = replace(
    _MIRRORED_PAIR,
    name=TRIO,
    label="RabbitMQ quorum trio",
    short_label="RabbitMQ trio",
    opened_by="breakeven.targets.rabbitmq_quorum_trio:RabbitMQQuorumTrio",
    nodes=Nodes(3, INSTANCE_TYPE, volume_gb=20, deployment="trio", debian="13", most=MAX_NODES),
    group_size=3,
    rates={
        # a leader sends every message to two followers and to a consumer
        where: replace(
            rates,
            bytes_per_s=rates.bytes_per_s and rates.bytes_per_s * 2 / 3,
            source=f"assumed to be the mirrored pair's: {rates.source}",
        )
        for where, rates in _MIRRORED_PAIR.rates.items()
    },
    open_lane_s={"aws": 270, "local": 40},
    look=Look("#15803d", "#8cc9a1", "D", shades=("#14532d", "#22a152", "#4d7c0f", "#0f766e", "#3f6212")),
    guarantees=Guarantees(
        zones="{zones}",
        copies="one on each member of a queue's group, confirmed by most of them",
        encryption=_MIRRORED_PAIR.guarantees.encryption,
        partition=_MAJORITY,
        release="{server}",
    ),
    guarantees_locally=Guarantees(
        zones="none: {nodes} nodes on one machine",
        copies="one on each member of a queue's group, confirmed by most of them",
        encryption=_MIRRORED_PAIR.guarantees_locally.encryption,
        partition=_MAJORITY,
        release="{server}",
    ),
    removed_in=None,
)

_ONE_NODE = Guarantees(
    zones="one: there is one node",
    copies="one, on the node's disk",
    encryption=_MIRRORED_PAIR.guarantees.encryption,
    partition="cannot happen: there is one node, and while it is down there is no queue",
    release="{server}",
)
_SINGLE = replace(
    _MIRRORED_PAIR,
    name=SINGLE,
    label="RabbitMQ single node",
    short_label="RabbitMQ single",
    opened_by="breakeven.targets.rabbitmq_single:RabbitMQSingle",
    nodes=Nodes(1, INSTANCE_TYPE, volume_gb=20, deployment="single", debian="12"),
    rates={
        where: replace(rates, source=f"assumed to be the mirrored pair's: {rates.source}")
        for where, rates in _MIRRORED_PAIR.rates.items()
    },
    open_lane_s={"aws": 180, "local": 15},
    look=Look("#7e22ce", "#c9a3ea", "^"),
    removed_in=None,
    guarantees=_ONE_NODE,
    guarantees_locally=replace(_ONE_NODE, encryption=_MIRRORED_PAIR.guarantees_locally.encryption),
)

_NOT_COMPARED = Guarantees(*("not compared",) * 5)
_MANAGED_RELEASE = "{server}, updated by the service in its maintenance windows"
_MQ_CLUSTER = replace(
    _QUORUM_TRIO,
    name=MQ_CLUSTER,
    label="Amazon MQ cluster",
    short_label="Amazon MQ cluster",
    service="Amazon MQ",
    opened_by="breakeven.targets.amazon_mq_target:AmazonMqCluster",
    nodes=None,
    broker=ManagedBroker(3, AMAZON_MQ_TYPE, "CLUSTER_MULTI_AZ", "trio", AMAZON_MQ_RELEASE),
    max_message_bytes=AMAZON_MQ_MAX_MESSAGE_BYTES,
    rates={
        where: replace(rates, source=f"assumed to be a quorum trio's of one's own: {rates.source}")
        for where, rates in _QUORUM_TRIO.rates.items()
    },
    # until a broker is RUNNING: "about 15 minutes" (Amazon MQ Developer Guide, "Getting started: Creating and
    # connecting to a RabbitMQ broker"), and up to 25 by what its users tell
    open_lane_s={"aws": 1260, "local": 0},
    look=Look("#7a3e9d", "#c7a8d9", "X", shades=("#4a148c", "#9c27b0", "#ad1457", "#6d4c41")),
    guarantees=Guarantees(
        zones="three in the region, by the service",
        copies="three, one on each node, confirmed by most of them",
        encryption="TLS; at rest by the service's own key",
        partition=_MAJORITY,
        release=_MANAGED_RELEASE,
    ),
    guarantees_locally=_NOT_COMPARED,
)
_MQ_SINGLE = replace(
    _MQ_CLUSTER,
    name=MQ_SINGLE,
    label="Amazon MQ single broker",
    short_label="Amazon MQ single",
    opened_by="breakeven.targets.amazon_mq_target:AmazonMqSingle",
    broker=ManagedBroker(1, AMAZON_MQ_TYPE, "SINGLE_INSTANCE", "single", AMAZON_MQ_RELEASE),
    group_size=None,
    rates={
        where: replace(rates, source=f"assumed to be a single node's of one's own: {rates.source}")
        for where, rates in _SINGLE.rates.items()
    },
    look=Look("#b0569a", "#dcb3d3", "v"),
    guarantees=replace(
        _MQ_CLUSTER.guarantees,
        zones="one: there is one broker",
        copies="one, on a volume that the service keeps in several places of its zone",
        partition="cannot happen: there is one broker, and while it is replaced there is no queue",
    ),
)

_INSTRUMENT_RATES = Rates(
    produce_each=450,
    produce_most=5000,
    consume_each=400,
    consume_most=5000,
    unconfirmed=None,
    bytes_per_s=None,
    source="the mean of the programmed latencies, 1.9 ms, and some of the loader's own time",
)
_INSTRUMENT = TargetRecord(
    name=INSTRUMENT,
    label="the instrument",
    short_label="the instrument",
    service="the instrument",
    opened_by="breakeven.targets.instrument:InstrumentTarget",
    is_compared=False,
    max_message_bytes=SQS_MAX_MESSAGE_BYTES,  # what of SQS's is asked of it must fit there too
    waits=Waits(unknown=3.0),
    rates={"aws": _INSTRUMENT_RATES, "local": _INSTRUMENT_RATES},
    open_lane_s={"aws": 5, "local": 1},
    look=OTHER_LOOK,
    guarantees=_NOT_COMPARED,
    guarantees_locally=_NOT_COMPARED,
)

#: by name, in the order in which reports show them
CATALOG: dict[str, TargetRecord] = {
    record.name: record
    for record in (
        *(_SQS, _FIFO, _QUORUM_TRIO, _MIRRORED_PAIR, _SINGLE),
        *(_MQ_CLUSTER, _MQ_SINGLE, _INSTRUMENT),
    )
}


def record_of(target: str) -> TargetRecord:
    """What is known of a target, whatever machines it is on.

    :raises KeyError: nothing
    """
    if record := CATALOG.get(TargetName(target).kind):
        return record
    raise KeyError(target)


def compared() -> list[str]:
    """Names of the targets that a suite may compare."""
    return [name for name, record in CATALOG.items() if record.is_compared]


def priced_target(form: str) -> str:
    """The target of a form of cluster (``pair``) or of queue (``standard``) that pricing knows."""
    measured = {str(nodes.deployment): name for name, nodes in clusters().items()}
    return ({"fifo": FIFO} | measured).get(form, SQS)


def managed_target(form: str) -> str:
    """The target that is Amazon MQ's broker beside a form of cluster of one's own."""
    return MQ_SINGLE if form == "single" else MQ_CLUSTER


def clusters() -> dict[str, Nodes]:
    """The targets whose brokers a lane launches, by name, and what they are launched on."""
    return {name: record.nodes for name, record in CATALOG.items() if record.nodes}
