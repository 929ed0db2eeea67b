"""Amazon MQ for RabbitMQ as a question names it, and what the service would refuse."""

from __future__ import annotations

from pydantic import Field

from breakeven.pricing.bill.lines import MAX_MSG_PER_S
from breakeven.pricing.prices.broker_types import BROKERS, STEP_GB, USUAL, BrokerType, Form, broker_types
from breakeven.terms import Frozen


class AmazonMq(Frozen):
    """The service's brokers that are priced beside; its other fields are of no consequence without a type."""

    amazon_mq: str | None = Field(default=USUAL, description="broker type priced beside; null: none")
    amazon_mq_gb: float | None = Field(
        default=None, gt=0, le=65_536, description="disk of each of a cluster's brokers; null: its type's"
    )
    amazon_mq_inter_node: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="of the price of traffic across zones, charged between a cluster's brokers; null: not "
        "known, priced as none",
    )
    amazon_mq_hours: float | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="people's, a month, that it takes; null: no source that was read says, priced as none",
    )
    amazon_mq_price_factor: float = Field(
        default=1, gt=0, le=2, description="of the price of its brokers and their disks: 0.9 is 10% off"
    )
    amazon_mq_capacity_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="of one cluster, all brokers up; null: not known"
    )
    amazon_mq_low_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="lower end of its interval; null: not measured"
    )
    amazon_mq_high_msg_per_s: float | None = Field(
        default=None, gt=0, le=MAX_MSG_PER_S, description="upper end; null: not measured, or none was found"
    )


def form_of(deployment: str) -> Form:
    """What stands beside a form of one's own: one broker for ``single``, the cluster of three for others."""
    return "single" if deployment == "single" else "cluster"


def brokers_of(deployment: str) -> int:
    return BROKERS[form_of(deployment)]


def disk_gb(wanted: AmazonMq, broker: BrokerType, form: Form) -> float:
    """Of each broker, as chosen or as its type has it; a single broker's is none's to choose."""
    if form == "single" or wanted.amazon_mq_gb is None:
        return broker.disk_gb(form)
    return wanted.amazon_mq_gb


def amazon_mq_problem(wanted: AmazonMq, deployment: str) -> str:
    """The field that the service would refuse, and what it takes; empty where all is well."""
    if wanted.amazon_mq is None:
        return ""
    broker = broker_types().get(wanted.amazon_mq)
    if broker is None:
        return f"amazon_mq: Amazon MQ creates no such broker of RabbitMQ; {_there()}"
    return _disk_problem(wanted.amazon_mq_gb, broker, form_of(deployment))


def _there() -> str:
    """Types by family: mq.m7g in medium, large; mq.m5 in large."""
    families: dict[str, list[str]] = {}
    for name in broker_types():
        family, _, size = name.rpartition(".")
        families.setdefault(family, []).append(size)
    there = [f"{family} in {', '.join(sizes)}" for family, sizes in families.items()]
    return f"it has {'; '.join(there)}"


def _disk_problem(gb: float | None, broker: BrokerType, form: Form) -> str:
    if gb is None:
        return ""
    least, most = broker.disk_gb(form), broker.most_cluster_gb
    if form == "single" or least == most:
        which = "a single broker" if form == "single" else f"a cluster of {broker.broker_type}"
        return f"amazon_mq_gb: the disk of {which} is {least} GB and not to be chosen; leave it out"
    if least <= gb <= most and gb % STEP_GB == 0:
        return ""
    return (
        f"amazon_mq_gb: each broker of a cluster of {broker.broker_type} has {least} to {most} GB, "
        f"in steps of {STEP_GB}; give one of these"
    )
