"""Lines of the bill for a run's lanes: brokers by the hour, volumes, images and traffic across zones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget import task_lines
from breakeven.planning.budget.durations import expected
from breakeven.planning.execution_limits import BROKER_LOOKS_EVERY_S
from breakeven.planning.machine_availability import BUILDERS, broker_item, brokers_of
from breakeven.planning.node_sizes import USUAL_VOLUME
from breakeven.pricing.bill.broker_lines import zone_bytes_per_message
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.lines import BYTES_PER_GB
from breakeven.pricing.cluster_traffic import CLIENT_BYTES
from breakeven.targets.catalog import record_of
from breakeven.terms import TargetName
from breakeven.workload.case import Case, ConnectTo
from breakeven.workload.machines import Machines, architecture_of

HOURS_PER_MONTH = 730.0
#: of the messages that a node passes to the queue's leader on another, by what clients connect to; None: what
#: pricing takes of any of the nodes
HOP_SHARES: dict[ConnectTo, float | None] = {"any": None, "leader": 0.0, "other": 1.0}


def cross_zone_gb(case: Case) -> float:
    """Traffic of a broker's case that is billed for crossing zones, both directions.

    Loaders are taken to be spread over the zones of the stack's network, and so are nodes unless the suite
    asks for fewer zones, or it is known that fewer offer their type.
    """
    record, apart = record_of(case.target), (assumed.ZONES - 1) / assumed.ZONES
    placed = case.machines.known_zones if case.machines else None
    size = case.workload.message_bytes
    if record.nodes:
        sent = zone_bytes_per_message(
            ask(
                deployment=record.nodes.deployment,
                cluster_nodes=case.nodes,
                group_size=case.workload.group_size,
                broker_zones=placed or min(case.nodes, assumed.ZONES),
                client_zone_share=apart,
                leader_hop_share=HOP_SHARES[case.workload.connect_to],
            ),
            size,
        )
    elif record.broker:
        # published and delivered; what its nodes send one another is the service's
        sent = 2 * apart * (size + CLIENT_BYTES)
    else:
        return 0.0
    messages = expected(case.workload, case.target, "aws").messages
    return 2 * messages * sent / BYTES_PER_GB


def volumes(
    machines: Mapping[TargetName, Machines], lanes: Mapping[TargetName, float]
) -> Iterator[task_lines.Quantity]:
    """Of all nodes, by type; and the IOPS that are provisioned."""
    months = {name: each.nodes * lanes[name] / 3600 / HOURS_PER_MONTH for name, each in machines.items()}
    for kind in dict.fromkeys(each.volume_type for each in machines.values()) or [USUAL_VOLUME]:
        own = {name: each for name, each in machines.items() if each.volume_type == kind}
        what = "broker volumes" if kind == USUAL_VOLUME else f"broker volumes, {kind}"
        yield (
            what,
            "ebs",
            f"{kind}_gb_month",
            sum(months[name] * each.volume_gb for name, each in own.items()),
        )
        if iops := sum(months[name] * (each.volume_iops or 0) for name, each in own.items()):
            yield f"{what}, IOPS", "ebs", f"{kind}_iops_month", iops


def of_amazon_mq(cases: Sequence[Case], lanes: dict[TargetName, float]) -> Iterator[task_lines.Quantity]:
    """Brokers and their disks, from when they are asked for: from when they are billed is not documented."""
    for target, each in brokers_of(cases).items():
        if each.service == "amazonmq":
            hours = lanes[target] / 3600
            gb_months = each.nodes * each.volume_gb * hours / HOURS_PER_MONTH
            yield f"Amazon MQ, {broker_item(each)}", "amazonmq", broker_item(each), hours
            yield f"Amazon MQ, disks of {broker_item(each)}", "amazonmq", "storage_gb_month", gb_months


def broker_looks(lanes: dict[TargetName, float]) -> int:
    """At brokers that Amazon MQ creates, after the first of each."""
    opening = [record_of(target).open_lane_s["aws"] for target in lanes if record_of(target).broker]
    return sum(ceil(seconds / BROKER_LOOKS_EVERY_S) for seconds in opening)


def baking(images: Sequence[str]) -> Iterator[task_lines.Quantity]:
    """The machines on which images of brokers are made."""
    for image in images:
        builder = BUILDERS[architecture_of(image)]
        yield f"image of {image}, baked", "ec2", builder, assumed.BUILDER_S / 3600


def broker_instances(name: str, types: Collection[str]) -> str:
    """What the line of a type is called: by the type where there are several."""
    return f"broker instances, {name}" if len(types) > 1 else "broker instances"
