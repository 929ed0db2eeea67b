"""What a target's brokers run on, as its suite says it, and what of that cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.errors import InputError
from breakeven.pricing.machines import machine
from breakeven.targets.kinds import KINDS, Kind
from breakeven.workload.case import OF_MACHINES, Compared, Machines, TargetName, kind_of
from breakeven.workload.model import NodeSize, Suite


def machines_of(suite: Suite, target: TargetName) -> Machines | None:
    """What each node of the target is; None where it has no nodes of ours.

    :raises InputError: the instance type is not known
    """
    name = kind_of(target)
    kind = KINDS[name]
    if not kind.brokers:
        return None
    sizes = next((sizes for named, sizes in suite.machines.items() if named == name), {})
    size = sizes.get(target.partition(OF_MACHINES)[2]) or NodeSize()
    instance_type = size.instance_type or str(kind.instance_type)
    found = machine(instance_type)
    return Machines(
        instance_type=instance_type,
        architecture=str(found.architecture),
        vcpu=found.vcpu,
        volume_gb=size.volume_gb or kind.volume_gb,
        nodes=kind.nodes,
    )


def field_of(target: TargetName, name: str) -> str:
    """The path of the place in the suite that says that of the target's machines."""
    kind, _, size = target.partition(OF_MACHINES)
    return f"machines.{kind}.{size}.{name}" if size else f"targets.{kind}"


def check_machines(suite: Suite) -> Iterator[InputError]:
    """Why brokers cannot run on the machines that are named, one fault each."""
    for kind, sizes in suite.machines.items():
        if kind not in suite.targets:
            remedy = f"{kind} is not among the targets; add it there, or remove this"
            yield InputError(suite.where, f"machines.{kind}", ", ".join(sizes), remedy)
        elif not KINDS[kind].brokers:
            remedy = "it has no machines of ours; remove it"
            yield InputError(suite.where, f"machines.{kind}", ", ".join(sizes), remedy)
        else:
            for name, size in sizes.items():
                yield from _faults(suite, kind, f"{kind}{OF_MACHINES}{name}", size)


def _faults(suite: Suite, name: Compared, target: TargetName, size: NodeSize) -> Iterator[InputError]:
    def fault(field: str, remedy: str) -> InputError:
        return InputError(suite.where, field_of(target, field), getattr(size, field), remedy)

    kind: Kind = KINDS[name]
    if size.nodes not in {None, kind.nodes}:
        yield fault("nodes", f"{name} has {kind.nodes} nodes, no more and no fewer; remove it")
    instance_type = size.instance_type or str(kind.instance_type)
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
