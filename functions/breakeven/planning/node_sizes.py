"""Machines and number of a target's brokers, as its suite gives them, and refusals of what cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.errors import InputError
from breakeven.pricing.prices.broker_types import BrokerType, broker_types, form_of_nodes
from breakeven.pricing.prices.instance_types import current_type, machine
from breakeven.targets.catalog import record_of
from breakeven.targets.record import ManagedBroker, Nodes
from breakeven.terms import TargetName, VolumeType
from breakeven.words import plural
from breakeven.workload.case import Case
from breakeven.workload.ebs_volumes import NO_BOOT, VOLUMES
from breakeven.workload.machines import Machines
from breakeven.workload.suite import NodeSize, Suite

USUAL_VOLUME: VolumeType = "gp3"
#: types of volume whose IOPS are bought, and how many of them unless a suite says otherwise
PROVISIONED, USUAL_IOPS = ("io2",), 3000
#: of Amazon MQ's types that run RabbitMQ 4, all of which are Graviton's
ARCHITECTURE = "arm64"


def machines_of(suite: Suite, target: TargetName) -> Machines | None:
    """What each node of the target is; None where a lane of it has no brokers.

    :raises InputError: the instance type is not known
    """
    record = record_of(target)
    size = size_of(suite, target)
    if record.broker:
        return _managed(record.broker, size)
    nodes = record.nodes
    if not nodes:
        return None
    instance_type = current_type(size.instance_type or nodes.instance_type)
    found = machine(instance_type)
    return Machines(
        instance_type=instance_type,
        architecture=str(found.architecture),
        vcpu=found.vcpu,
        volume_gb=size.volume_gb or nodes.volume_gb,
        volume_type=size.volume_type or USUAL_VOLUME,
        volume_iops=(size.volume_iops or USUAL_IOPS) if size.volume_type in PROVISIONED else None,
        nodes=node_count(suite, target),
        zone_count=size.zones,
        debian=nodes.debian,
    )


def size_of(suite: Suite, target: TargetName) -> NodeSize:
    """What the suite says of the target's machines; nothing where it names none."""
    return suite.machines.get(target.kind, {}).get(target.size) or NodeSize()


def node_count(suite: Suite, target: TargetName) -> int:
    """Broker nodes of the target; 0 of a managed service."""
    return size_of(suite, target).nodes or record_of(target).node_count


def even_clusters(cases: Sequence[Case]) -> list[str]:
    """What is to be said of quorum clusters of an even number of nodes: they run, and survive no more.

    RabbitMQ's clustering guide recommends odd numbers of nodes, and quorum queues work while most of their
    members are there.
    """
    counts = {case.target: case.nodes for case in cases if record_of(case.target).group_size}
    return [
        f"{target} has {nodes} nodes: most of them must be up, so that {nodes} survive the loss of "
        f"{plural((nodes - 1) // 2, 'node')}, as {nodes - 1} do. RabbitMQ's makers recommend an odd number."
        for target, nodes in counts.items()
        if nodes % 2 == 0
    ]


def zones_asked(cases: Sequence[Case]) -> list[str]:
    """What is to be said of sizes whose nodes are to be in a given number of zones."""
    asked = {case.target: case.machines for case in cases if case.machines and case.machines.zone_count}
    return [
        f"{target}: its {plural(each.nodes, 'node')} are launched in {plural(each.zone_count or 0, 'zone')}."
        for target, each in asked.items()
    ]


def passed_types(suite: Suite, cases: Sequence[Case]) -> list[str]:
    """What is to be said of types whose generation has passed: what is taken in their place."""
    asked = {case.target: size_of(suite, case.target).instance_type for case in cases}
    taken = {case.target: case.machines.instance_type for case in cases if case.machines}
    return [
        f"{target}: nodes are {taken[target]} and not {wanted}, which is of a generation that has passed. "
        f"What a source measured on {wanted} was on other machines."
        for target, wanted in asked.items()
        if wanted and taken.get(target) == current_type(wanted) != wanted
    ]


def _managed(broker: ManagedBroker, size: NodeSize) -> Machines:
    found = broker_types()[size.instance_type or broker.instance_type]
    return Machines(
        instance_type=found.broker_type,
        service="amazonmq",
        architecture=ARCHITECTURE,
        vcpu=found.vcpu,
        volume_gb=found.disk_gb(form_of_nodes(broker.nodes)),
        nodes=broker.nodes,
    )


def field_of(target: TargetName, name: str) -> str:
    """The path of the place in the suite that says that of the target's machines."""
    return f"machines.{target.kind}.{target.size}.{name}" if target.size else f"targets.{target.kind}"


def check_machines(suite: Suite) -> Iterator[InputError]:
    """Why brokers cannot run on the machines that are named, one fault each."""
    for kind, sizes in suite.machines.items():
        if kind not in suite.targets:
            remedy = f"{kind} is not among the targets; add it there, or remove this"
            yield InputError(suite.where, f"machines.{kind}", ", ".join(sizes), remedy)
        elif not (record := record_of(kind)).has_brokers:
            remedy = "it has no brokers whose machines could be chosen; remove it"
            yield InputError(suite.where, f"machines.{kind}", ", ".join(sizes), remedy)
        else:
            for name, size in sizes.items():
                target = TargetName.of(kind, name)
                if record.broker:
                    yield from _managed_faults(suite, record.broker, target, size)
                if record.nodes:
                    yield from _faults(suite, record.nodes, target, size)


def _faults(suite: Suite, nodes: Nodes, target: TargetName, size: NodeSize) -> Iterator[InputError]:
    def fault(field: str, remedy: str) -> InputError:
        return InputError(suite.where, field_of(target, field), getattr(size, field), remedy)

    if size.nodes is not None and size.nodes not in nodes.counts:
        yield fault("nodes", _other_count(target.kind, nodes))
    if size.zones is not None and size.zones > (count := node_count(suite, target)):
        yield fault("zones", f"{plural(count, 'node')} can be in {plural(count, 'zone')} at most; give fewer")
    kind, gb = size.volume_type or USUAL_VOLUME, size.volume_gb or nodes.volume_gb
    limits = VOLUMES[kind]
    if not limits.boots:
        yield fault("volume_type", NO_BOOT)
    elif gb > limits.node_gb[1]:
        yield fault("volume_gb", f"{kind} has at most {limits.node_gb[1]:,} GB; give fewer, or another type")
    elif size.volume_iops is not None and size.volume_type not in PROVISIONED:
        yield fault("volume_iops", "are provisioned with io2 only; give volume_type: io2, or remove it")
    elif size.volume_iops and size.volume_iops > (most := limits.most_iops(gb)):
        yield fault(
            "volume_iops", f"at most {most:,} with so small a volume; give fewer, or a larger volume_gb"
        )
    instance_type = current_type(size.instance_type or nodes.instance_type)
    try:
        found = machine(instance_type)
    except InputError as error:
        yield fault("instance_type", error.remedy)
        return
    if found.architecture is None:
        yield fault("instance_type", "its architecture is not known here; choose another type")
    elif size.architecture not in {None, found.architecture}:
        remedy = f"{instance_type} is {found.architecture}: remove it, or name a type of that architecture"
        yield fault("architecture", remedy)


def _other_count(kind: str, nodes: Nodes) -> str:
    if nodes.most is None:
        return f"{kind} has {plural(nodes.count, 'node')}, no more and no fewer; remove it"
    return f"{kind} has {nodes.count} to {nodes.most} nodes; give as many, or remove it for {nodes.count}"


def _managed_faults(
    suite: Suite, broker: ManagedBroker, target: TargetName, size: NodeSize
) -> Iterator[InputError]:
    """What Amazon MQ does not have, and what of its brokers is not to be chosen."""

    def fault(field: str, remedy: str) -> InputError:
        return InputError(suite.where, field_of(target, field), getattr(size, field), remedy)

    for field in ("volume_gb", "volume_type", "volume_iops", "nodes", "architecture"):
        if getattr(size, field) is not None:
            yield fault(field, f"of {target.kind} Amazon MQ chooses that by the type; remove it")
    if size.zones is not None:
        yield fault("zones", f"of {target.kind} Amazon MQ chooses them itself; remove it")
    name = size.instance_type or broker.instance_type
    found = broker_types().get(name)
    if found is None or broker.release not in found.releases:
        yield fault("instance_type", _remedy(name, found, broker.release))


def _remedy(name: str, found: BrokerType | None, release: str) -> str:
    have = ", ".join(one.broker_type for one in broker_types().values() if release in one.releases)
    if found:
        return f"Amazon MQ runs RabbitMQ {release} on none of that type; it does on {have}"
    hint = f"mq.{name}" if f"mq.{name}" in broker_types() else ""
    return f"Amazon MQ has no such broker{f', did you mean {hint}' if hint else ''}; it has {have}"
