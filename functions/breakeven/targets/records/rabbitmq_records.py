"""The records of RabbitMQ on nodes of one's own."""

from __future__ import annotations

import os
from dataclasses import replace

from breakeven.targets.record import Guarantees, Look, MostInHand, Nodes, Rates, Removed, TargetRecord, Waits
from breakeven.terms import MAX_NODES, TargetName

#: of every broker node, unless a suite names another; a deployment may have chosen another
INSTANCE_TYPE = os.environ.get("BREAKEVEN_INSTANCE_TYPE", "m7g.large")
#: where the root of every image of ours is
ROOT_DEVICE = "/dev/xvda"
RABBITMQ_LOOK = Look(
    "#c2410c", "#e3a583", "o", shades=("#7c2d12", "#ea580c", "#a16207", "#be123c", "#57534e")
)

_TRIO = TargetName("rabbitmq-quorum-trio")
_SPLIT = "the cluster may split in two and lose what one side took{handling}"

MIRRORED_PAIR = TargetRecord(
    name=TargetName("rabbitmq-mirrored-pair"),
    label="RabbitMQ mirrored pair",
    short_label="RabbitMQ pair",
    service="RabbitMQ",
    opened_by="breakeven.targets.rabbitmq.rabbitmq_mirrored_pair:RabbitMQMirroredPair",
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
        copies="{mirrored}",
        encryption="TLS; volumes encrypted",
        partition=_SPLIT,
        release="{server}; mirrored queues ended with 3.x",
    ),
    guarantees_locally=Guarantees(
        zones="none: {nodes} nodes on one machine",
        copies="{mirrored}",
        encryption="none: plain AMQP on loopback",
        partition=_SPLIT,
        release="{server}; mirrored queues ended with 3.x",
    ),
    removed_in=Removed(4, "mirrored queues", f"run it on 3.x, or {_TRIO} in its place"),
)

MAJORITY = "the side with most of a queue's members goes on, the other waits{handling}"
QUORUM_TRIO = replace(
    MIRRORED_PAIR,
    name=_TRIO,
    label="RabbitMQ quorum trio",
    short_label="RabbitMQ trio",
    opened_by="breakeven.targets.rabbitmq.rabbitmq_quorum_trio:RabbitMQQuorumTrio",
    nodes=Nodes(3, INSTANCE_TYPE, volume_gb=20, deployment="trio", debian="13", most=MAX_NODES),
    group_size=3,
    rates={
        # a leader sends every message to two followers and to a consumer
        where: replace(
            rates,
            bytes_per_s=rates.bytes_per_s and rates.bytes_per_s * 2 / 3,
            source=f"assumed to be the mirrored pair's: {rates.source}",
        )
        for where, rates in MIRRORED_PAIR.rates.items()
    },
    open_lane_s={"aws": 270, "local": 40},
    look=Look("#15803d", "#8cc9a1", "D", shades=("#14532d", "#22a152", "#4d7c0f", "#0f766e", "#3f6212")),
    guarantees=Guarantees(
        zones="{zones}",
        copies="one on each member of a queue's group, confirmed by most of them",
        encryption=MIRRORED_PAIR.guarantees.encryption,
        partition=MAJORITY,
        release="{server}",
    ),
    guarantees_locally=Guarantees(
        zones="none: {nodes} nodes on one machine",
        copies="one on each member of a queue's group, confirmed by most of them",
        encryption=MIRRORED_PAIR.guarantees_locally.encryption,
        partition=MAJORITY,
        release="{server}",
    ),
    removed_in=None,
)

_ONE_NODE = Guarantees(
    zones="one: there is one node",
    copies="one, on the node's disk",
    encryption=MIRRORED_PAIR.guarantees.encryption,
    partition="cannot happen: there is one node, and while it is down there is no queue",
    release="{server}",
)
SINGLE_NODE = replace(
    MIRRORED_PAIR,
    name=TargetName("rabbitmq-single"),
    label="RabbitMQ single node",
    short_label="RabbitMQ single",
    opened_by="breakeven.targets.rabbitmq.rabbitmq_single:RabbitMQSingle",
    nodes=Nodes(1, INSTANCE_TYPE, volume_gb=20, deployment="single", debian="12"),
    rates={
        where: replace(rates, source=f"assumed to be the mirrored pair's: {rates.source}")
        for where, rates in MIRRORED_PAIR.rates.items()
    },
    open_lane_s={"aws": 180, "local": 15},
    look=Look("#7e22ce", "#c9a3ea", "^"),
    removed_in=None,
    guarantees=_ONE_NODE,
    guarantees_locally=replace(_ONE_NODE, encryption=MIRRORED_PAIR.guarantees_locally.encryption),
)
