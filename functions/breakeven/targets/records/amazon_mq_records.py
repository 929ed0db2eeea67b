"""The records of Amazon MQ's brokers, which differ from nodes of one's own in what the service does."""

from __future__ import annotations

from dataclasses import replace

from breakeven.targets.record import Guarantees, Look, ManagedBroker
from breakeven.targets.records.cloudwatch_metrics import AMAZON_MQ_METRICS
from breakeven.targets.records.instrument_record import NOT_COMPARED
from breakeven.targets.records.rabbitmq_records import MAJORITY, QUORUM_TRIO, SINGLE_NODE
from breakeven.terms import TargetName

#: of Amazon MQ's brokers, unless a suite names another: the smallest that its maker recommends for
#: production, of those that run RabbitMQ 4
AMAZON_MQ_TYPE, AMAZON_MQ_RELEASE = "mq.m7g.large", "4.2"
#: bytes of a message that a broker of 4.2 takes unless it is configured otherwise, whatever its size. Source:
#: Amazon MQ Developer Guide, "Default resource limits"
AMAZON_MQ_MAX_MESSAGE_BYTES = 524_288
_MANAGED_RELEASE = "{server}, updated by the service in its maintenance windows"
AMAZON_MQ_CLUSTER = replace(
    QUORUM_TRIO,
    name=TargetName("amazon-mq-cluster"),
    label="Amazon MQ cluster",
    short_label="Amazon MQ cluster",
    service="Amazon MQ",
    opened_by="breakeven.targets.rabbitmq.amazon_mq_target:AmazonMqCluster",
    nodes=None,
    broker=ManagedBroker(3, AMAZON_MQ_TYPE, "CLUSTER_MULTI_AZ", "trio", AMAZON_MQ_RELEASE),
    max_message_bytes=AMAZON_MQ_MAX_MESSAGE_BYTES,
    rates={
        where: replace(rates, source=f"assumed to be a quorum trio's of one's own: {rates.source}")
        for where, rates in QUORUM_TRIO.rates.items()
    },
    # until a broker is RUNNING: "about 15 minutes" (Amazon MQ Developer Guide, "Getting started: Creating and
    # connecting to a RabbitMQ broker"), and up to 25 by what its users tell
    open_lane_s={"aws": 1260, "local": 0},
    look=Look("#7a3e9d", "#c7a8d9", "X", shades=("#4a148c", "#9c27b0", "#ad1457", "#6d4c41")),
    guarantees=Guarantees(
        zones="three in the region, by the service",
        copies="three, one on each node, confirmed by most of them",
        encryption="TLS; at rest by the service's own key",
        partition=MAJORITY,
        release=_MANAGED_RELEASE,
    ),
    guarantees_locally=NOT_COMPARED,
    service_metrics=AMAZON_MQ_METRICS,
)
AMAZON_MQ_SINGLE = replace(
    AMAZON_MQ_CLUSTER,
    name=TargetName("amazon-mq-single"),
    label="Amazon MQ single broker",
    short_label="Amazon MQ single",
    opened_by="breakeven.targets.rabbitmq.amazon_mq_target:AmazonMqSingle",
    broker=ManagedBroker(1, AMAZON_MQ_TYPE, "SINGLE_INSTANCE", "single", AMAZON_MQ_RELEASE),
    group_size=None,
    rates={
        where: replace(rates, source=f"assumed to be a single node's of one's own: {rates.source}")
        for where, rates in SINGLE_NODE.rates.items()
    },
    look=Look("#b0569a", "#dcb3d3", "v"),
    guarantees=replace(
        AMAZON_MQ_CLUSTER.guarantees,
        zones="one: there is one broker",
        copies="one, on a volume that the service keeps in several places of its zone",
        partition="cannot happen: there is one broker, and while it is replaced there is no queue",
    ),
)
