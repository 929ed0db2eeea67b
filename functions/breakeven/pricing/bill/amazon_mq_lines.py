"""The bill of Amazon MQ for RabbitMQ: brokers, their disks, traffic, people."""

from __future__ import annotations

from dataclasses import replace

from breakeven.pricing.bill.amazon_mq import brokers_of, disk_gb, form_of
from breakeven.pricing.bill.broker_lines import (
    OF_CLIENTS,
    Crossing,
    across_zones,
    client_share,
    people,
    sent_words,
)
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import BYTES_PER_GB, Line, number
from breakeven.pricing.cluster_traffic import CLIENT_BYTES, HOP_BYTES, MEMBER_BYTES, hop_share
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.broker_types import BrokerType, Form, broker_types

#: of what a cluster's brokers send one another, which no source that was read gives a price
BETWEEN_BROKERS = ("amazonmq", "inter_node_gb")
LINE = "traffic between brokers"


def amazon_mq_lines(inputs: Inputs, broker: BrokerType, book: PriceBook) -> list[Line]:
    """One broker for ``single``, the service's cluster of three for the others, in as many as it takes.

    The price list has a cluster's hour as a whole, and the disks of its brokers apart. Traffic between its
    brokers is priced where the book has a price of it, which no book that is shipped has, or where the
    question says at what share of the price across zones.
    """
    form, brokers = form_of(inputs.deployment), brokers_of(inputs.deployment)
    share, disk = client_share(inputs, brokers), disk_gb(inputs, broker, form)
    hours, factor = inputs.hours_per_month, inputs.amazon_mq_price_factor
    hourly = f"{form} of {broker.broker_type} x {number(hours)} h"
    stored = f"{brokers} x {number(disk)} GB, all of each broker's disk"
    item = f"{form}.{broker.broker_type}"
    return [
        Line("brokers", hourly, "amazonmq", item, per_cluster=hours, factor=factor),
        Line("storage", stored, "amazonmq", "storage_gb_month", per_cluster=brokers * disk, factor=factor),
        across_zones(inputs, [Crossing(OF_CLIENTS, 2 * share, CLIENT_BYTES)]),
        *_between_brokers(inputs, book),
        people(inputs, inputs.amazon_mq_hours),
    ]


def priced_types(form: Form, book: PriceBook) -> list[str]:
    """Broker types whose price in this form the book knows."""
    priced = set(book.items("amazonmq"))
    return [name for name in broker_types() if f"{form}.{name}" in priced]


def between_brokers(inputs: Inputs) -> list[Crossing]:
    """How often a cluster's brokers send a message to one another: its copies, and to the leader to be
    published. Each has a member of the queue, which delivers.
    """
    brokers = brokers_of(inputs.deployment)
    if brokers == 1:
        return []
    hop = hop_share(brokers, inputs.leader_hop_share)
    return [Crossing("copies", brokers - 1, MEMBER_BYTES), Crossing("hops to the leader", hop, HOP_BYTES)]


def _between_brokers(inputs: Inputs, book: PriceBook) -> list[Line]:
    """At the book's own price where it has one; else at the share of the price across zones that is asked."""
    service, item = BETWEEN_BROKERS
    sent = between_brokers(inputs)
    if item in book.items(service):
        gb = sum(each.sent(inputs.message_bytes) for each in sent) / BYTES_PER_GB
        return [Line(LINE, f"({sent_words(inputs, sent)}) / 2^30", service, item, per_message=gb)]
    if not (sent and inputs.amazon_mq_inter_node):
        return []
    return [replace(across_zones(inputs, sent), line=LINE, factor=inputs.amazon_mq_inter_node)]
