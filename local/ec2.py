"""Instances of the simulated EC2 stand for processes here: launching and terminating reach ``Machines``."""

from __future__ import annotations

from typing import Any

from moto.ec2.models.instances import InstanceBackend

from local.machines import Launch, Machines
from local.swaps import Swaps


def install(swaps: Swaps, machines: Machines) -> None:
    """Tell ``machines`` of every RunInstances and TerminateInstances call that succeeds."""

    def run_instances(self: Any, *args: Any, **kwargs: Any) -> Any:
        reservation = original_run(self, *args, **kwargs)
        instances = reservation.instances
        # all instances of a call carry the same tags, its launch template's among them
        tags = {tag["key"]: tag["value"] for tag in instances[0].get_tags()}
        machines.launch(Launch(instance_ids=tuple(instance.id for instance in instances), tags=tags))
        return reservation

    def terminate_instances(self: Any, instance_ids: list[str]) -> Any:
        terminated = original_terminate(self, instance_ids)
        machines.terminate(tuple(instance_ids))
        return terminated

    original_run = swaps.attribute(InstanceBackend, "run_instances", run_instances)
    original_terminate = swaps.attribute(InstanceBackend, "terminate_instances", terminate_instances)
