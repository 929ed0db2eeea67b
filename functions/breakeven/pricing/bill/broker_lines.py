"""The bill of a cluster of our own: hours, volumes, traffic across zones, people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from breakeven.pricing.bill.cluster_capacity import surplus_share
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import BYTES_PER_GB, Line, OwnPrice, number
from breakeven.pricing.cluster_traffic import (
    CLIENT_BYTES,
    HOP_BYTES,
    copy_bytes,
    hop_share,
    hops,
    replicated,
)
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.instance_types import vcpus
from breakeven.words import plural

FREE_IOPS = 3000.0  # of a gp3 volume
FREE_MIBPS = 125.0
#: how the books name what a commitment changes: the service of the instance's price
SERVICES = {
    "on-demand": "ec2",
    "1y-standard": "ec2_1y_standard",
    "1y-convertible": "ec2_1y_convertible",
    "3y-standard": "ec2_3y_standard",
    "3y-convertible": "ec2_3y_convertible",
}
PEOPLE, SURPLUS = "people", "surplus CPU credits"
OF_CLIENTS = "clients in another zone"


def broker_lines(inputs: Inputs, book: PriceBook) -> list[Line]:
    """Every line of the self-hosted bill, in the order in which it is read."""
    nodes, hours = inputs.nodes, inputs.hours_per_month
    reserved = "" if inputs.commitment == "on-demand" else f", reserved {inputs.commitment}, no upfront"
    instances = Line(
        "instances",
        f"{nodes} x {inputs.instance} x {number(hours)} h{reserved}",
        SERVICES[inputs.commitment],
        inputs.instance,
        per_cluster=nodes * hours,
        factor=inputs.instance_price_factor,
    )
    return [
        instances,
        _surplus_credits(inputs),
        *_volumes(inputs, book),
        _traffic(inputs),
        *_monitoring(inputs),
        people(inputs, inputs.hours),
    ]


def _surplus_credits(inputs: Inputs) -> Line:
    """What a burstable type's CPU is used above its credits, at most: by clusters that are full."""
    share, vcpu = surplus_share(inputs), vcpus(inputs.instance)
    hours = inputs.nodes * vcpu * share * inputs.hours_per_month
    formula = (
        f"{inputs.nodes} x {vcpu} vCPUs x {number(inputs.hours_per_month)} h x {number(share)} "
        "(mean use of a full cluster above its credits)"
    )
    family = inputs.instance.partition(".")[0]
    return Line(SURPLUS, formula, "ec2_credits", family, per_cluster=hours)


def people(inputs: Inputs, asked: float | None) -> Line:
    """Hours of work, at the asker's own price; none where they are not known, or to be solved for."""
    hours = asked or 0.0
    given = OwnPrice("hour", inputs.hour_rate, "given with the question, or assumed")
    return Line(PEOPLE, f"{number(hours)} h a month", PEOPLE, "hour", fixed=hours, own=given)


def crossings_per_message(inputs: Inputs) -> float:
    """How often a message goes from one zone to another."""
    return sum(each.times for each in _crossings(inputs))


def zone_bytes_per_message(inputs: Inputs, message_bytes: int) -> float:
    """Bytes that cross zones for such a message; all else is as in the inputs."""
    return sum(each.sent(message_bytes) for each in _crossings(inputs))


class Crossing(NamedTuple):
    """What crosses zones ``times`` a message, and the bytes that go beside its body (``cluster_traffic``)."""

    what: str
    times: float
    beside: int

    def sent(self, message_bytes: int) -> float:
        """Bytes a message."""
        return self.times * (message_bytes + self.beside)


def _crossings(inputs: Inputs) -> list[Crossing]:
    """For its copies, on any of the nodes; publish and deliver by the share of clients in another zone than
    the node they speak to; and where that node passes one on to the queue's leader elsewhere, or has it from
    there.
    """
    apart = apart_share(inputs.nodes, inputs.zones)
    hop = hop_share(inputs.nodes, inputs.leader_hop_share)
    return [
        Crossing("copies", replicated(inputs, hop) * apart, copy_bytes(inputs)),
        Crossing(OF_CLIENTS, 2 * client_share(inputs, inputs.zones), CLIENT_BYTES),
        Crossing("hops to or from the leader", hops(inputs, hop) * apart, HOP_BYTES),
    ]


def client_share(inputs: Inputs, zones: int) -> float:
    """Of a client's traffic: clients spread over the zones and speaking to any node, unless said."""
    return (zones - 1) / zones if inputs.client_zone_share is None else inputs.client_zone_share


def apart_share(nodes: int, zones: int) -> float:
    """Of the pairs of two nodes dealt over the zones in turn: how many have a zone between them."""
    if nodes < 2:
        return 0.0
    homes = [node % zones for node in range(nodes)]
    pairs = [(a, b) for index, a in enumerate(homes) for b in homes[index + 1 :]]
    return sum(a != b for a, b in pairs) / len(pairs)


def _traffic(inputs: Inputs) -> Line:
    return across_zones(inputs, _crossings(inputs))


def across_zones(inputs: Inputs, crossings: Sequence[Crossing]) -> Line:
    """Traffic is charged on both sides of each crossing."""
    each = sum(crossing.sent(inputs.message_bytes) for crossing in crossings)
    return Line(
        "traffic across zones",
        f"2 directions x ({sent_words(inputs, crossings)}) / 2^30",
        "network",
        "cross_zone_gb",
        per_message=2 * each / BYTES_PER_GB,
    )


def sent_words(inputs: Inputs, crossings: Sequence[Crossing]) -> str:
    """Such as 'copies 2 x (1024 + 250) B + clients in another zone 1.33 x (1024 + 90) B'."""
    parts = [
        f"{each.what} {number(each.times)} x ({inputs.message_bytes} + {each.beside}) B" for each in crossings
    ]
    return " + ".join(parts)


def _volumes(inputs: Inputs, book: PriceBook) -> list[Line]:
    if inputs.volume == "none":
        return []
    kind, gb, iops = inputs.volume, inputs.volume_gb, inputs.volume_iops
    lines = [_volume_line(inputs, "volumes", gb, f"{number(gb)} GB of {kind}", f"{kind}_gb_month")]
    if kind == "gp3":
        more, mibps = max(0.0, iops - FREE_IOPS), max(0.0, inputs.volume_mibps - FREE_MIBPS)
        paid = f"{number(mibps)} MiB/s above 125"
        lines += [
            _volume_line(inputs, "volume IOPS", more, f"{number(more)} above 3,000", "gp3_iops_month"),
            _volume_line(inputs, "volume throughput", mibps, paid, "gp3_mibps_month"),
        ]
    if kind == "io2" and iops:
        # The price's tiers are those of one volume, whatever the cluster's volumes have together.
        price = book.known("ebs", "io2_iops_month")
        source = f"{price.source}; mean price of a volume's IOPS through its tiers"
        own = OwnPrice(price.unit, price.cost(iops) / iops, source, derived_from=price)
        lines.append(_volume_line(inputs, "volume IOPS", iops, number(iops), "io2_iops_month", own))
    return lines


def _monitoring(inputs: Inputs) -> list[Line]:
    nodes = inputs.nodes
    parts = (
        ("metrics", inputs.node_metrics, "metric_month"),
        ("alarms", inputs.node_alarms, "alarm_month"),
        ("logs", inputs.node_logs_gb, "logs_gb"),
    )
    return [
        Line(name, f"{plural(nodes, 'node')} x {number(each)}", "cloudwatch", item, per_cluster=nodes * each)
        for name, each, item in parts
    ]


def _volume_line(
    inputs: Inputs, name: str, units: float, what: str, item: str, own: OwnPrice | None = None
) -> Line:
    """So many units of each node's volume; ``what`` says of one node which."""
    formula = f"{inputs.nodes} x {what}"
    return Line(name, formula, "ebs", item, per_cluster=inputs.nodes * units, own=own)
