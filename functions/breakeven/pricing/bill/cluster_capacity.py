"""Capacity of one cluster all month, capped by what its machine sustains.

CPU credits count on the assumption that the CPU is what limits a node, and is used in proportion to its rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import number
from breakeven.pricing.cluster_form import ClusterForm
from breakeven.pricing.cluster_traffic import hop_share, leader_sends
from breakeven.pricing.prices.broker_types import broker_types
from breakeven.pricing.prices.instance_types import Machine, machines

BITS_PER_BYTE = 8
UNKNOWN = "not known"
CREDITS = "CPU credits"
#: a part in 10^12 above a full cluster is the arithmetic's, as in the queries
FULL = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class Capacity:
    """Messages a second of one cluster. ``limit`` says what binds: capacity, network, CPU credits, not known.

    :param stated: as given or measured, while there are credits; None: not known
    :param network: the most that the busiest node's network baseline sustains; None: not known, see notes
    :param notes: what could not be taken into account, and why
    :param credit_share: of ``stated``, what CPU credits sustain; 1 where they are no limit
    """

    stated: float | None
    network: float | None
    utilisation: float
    peak_factor: float
    notes: tuple[str, ...]
    nodes_down: int | None = None
    credit_share: float = 1.0

    @property
    def credits(self) -> float | None:
        """What CPU credits sustain; None where they are no limit, or the capacity is not known."""
        return None if self.stated is None or self.credit_share == 1 else self.stated * self.credit_share

    @property
    def sustained(self) -> float | None:
        """The lesser of those that are known."""
        known = (self.stated, self.network, self.credits)
        return min((rate for rate in known if rate is not None), default=None)

    @property
    def limit(self) -> str:
        if self.sustained is None:
            return UNKNOWN
        if self.sustained == self.network:
            return "network"
        return "capacity" if self.credits is None else CREDITS

    @property
    def mean_msg_per_s(self) -> float | None:
        """The monthly mean that one cluster carries, its peaks and its headroom left to it."""
        return None if self.sustained is None else self.sustained * self.utilisation / self.peak_factor

    def needed(self, msg_per_s: float) -> float:
        """The capacity that a single cluster needs for this monthly mean."""
        return msg_per_s * self.peak_factor / self.utilisation / self.credit_share

    def clusters(self, msg_per_s: float) -> int:
        """How many the monthly mean takes; one where no capacity is known."""
        return clusters_of(self.mean_msg_per_s, msg_per_s)

    def needed_each(self, msg_per_s: float) -> float:
        """What each of them must carry then."""
        return self.needed(msg_per_s) / self.clusters(msg_per_s)

    def describe(self) -> str:
        """In words, for formulas and reports."""
        if self.stated is None and self.network is None:
            return "not known"
        network = "" if self.network is None else f"the network baseline carries {self.network:,.0f} msg/s"
        if self.stated is None:
            return f"not known; {network} at most"
        stated = f"{number(self.stated)} msg/s {_with(self.nodes_down)}"
        binds = {CREDITS: f"CPU credits sustain {self.credits or 0.0:,.0f} msg/s", "network": network}
        return f"{stated}, but {binds[self.limit]}" if self.limit in binds else stated


def clusters_of(mean: float | None, msg_per_s: float) -> int:
    """How many a monthly mean takes, as the queries count them.

    :param mean: messages a second that one is priced to carry; None: one, whatever the traffic
    """
    return 1 if mean is None else max(1, ceil(msg_per_s / mean * FULL))


def capacity_of(inputs: Inputs) -> Capacity:
    """The capacity that a question's cluster is priced with.

    Of the machine's baselines only the network's is known for most types; it caps the rate by the bytes that
    the queue's leader sends: each message once to a consumer, and for its copies (``cluster_traffic``).

    :raises InputError: the instance type is none that is known
    """
    known = machines().get(inputs.instance)
    reasons = dict(known.reasons) if known else {}
    baseline = known.network_baseline_mbps if known else None
    hop = hop_share(inputs.nodes, inputs.leader_hop_share)
    network = (
        None if baseline is None else _carried(baseline, leader_sends(inputs, hop, inputs.message_bytes))
    )
    names = {
        "network_baseline_mbps": "network",
        "ebs_baseline_mibps": "volume",
        "cpu_credit_baseline": "CPU credit",
    }
    notes = [
        f"{inputs.instance}: the capacity is not limited by the {name} baseline, which is not known: "
        f"{reasons[field]}"
        for field, name in names.items()
        if field in reasons and not (field == "cpu_credit_baseline" and known and not known.burstable)
    ]
    if known is None:
        notes.append(f"{inputs.instance}: none of its baselines is known, so nothing caps its capacity")
    share, note = _credits(inputs, known)
    return Capacity(
        inputs.capacity_msg_per_s,
        network,
        inputs.utilisation,
        inputs.peak_factor,
        (*notes, *note),
        0 if inputs.nodes == 1 else inputs.capacity_nodes_down,
        share,
    )


def amazon_mq_capacity(inputs: Inputs) -> Capacity:
    """The capacity that the brokers of Amazon MQ beside a question are priced with.

    With all of them up: no call of the service stops one of its brokers. Their network baseline caps it as
    an instance's does.
    """
    broker = broker_types()[inputs.amazon_mq] if inputs.amazon_mq else None
    brokers = brokers_of(inputs.deployment)
    form = ClusterForm(deployment="single" if brokers == 1 else "trio")
    sent = leader_sends(form, hop_share(brokers, inputs.leader_hop_share), inputs.message_bytes)
    network = _carried(broker.network_baseline_mbps, sent) if broker else None
    stated = inputs.amazon_mq_capacity_msg_per_s
    return Capacity(stated, network, inputs.utilisation, inputs.peak_factor, (), nodes_down=0)


def _carried(baseline_mbps: float, sent_bytes: float) -> float:
    """Messages a second of which the leader's node sends so many bytes each."""
    return baseline_mbps * 1e6 / BITS_PER_BYTE / sent_bytes


def _credits(inputs: Inputs, known: Machine | None) -> tuple[float, tuple[str, ...]]:
    """What of a burstable type's CPU is there all month, and what is to be said of that."""
    share = known.cpu_credit_baseline if known else None
    if share is None:
        return 1.0, ()
    assumed = "taking CPU to be what limits a node, in proportion to its rate"
    what = f"{inputs.instance}: its CPU credits sustain {share:.0%} of each vCPU"
    if inputs.cpu_credits == "standard":
        return share, (f"{what}, and so of a cluster's capacity ({assumed})",)
    return 1.0, (
        f"{what}; what full clusters use above that on the average of a month is billed ({assumed})",
    )


def surplus_share(inputs: Inputs) -> float:
    """Of each vCPU, what a full cluster uses above its credits as a mean: none but a burstable type's.

    A cluster's mean is at most the utilisation over the peak factor, of what it carries at full CPU.
    """
    known = machines().get(inputs.instance)
    share = known.cpu_credit_baseline if known else None
    if share is None or inputs.cpu_credits == "standard":
        return 0.0
    return max(0.0, inputs.utilisation / inputs.peak_factor - share)


def _with(nodes_down: int | None) -> str:
    if nodes_down == 0:
        return "with all nodes up"
    return "with one node down" if nodes_down in {None, 1} else f"with {nodes_down} nodes down"
