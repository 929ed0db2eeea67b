"""Instances of the simulated EC2 stand for processes here: what is done to them reaches ``Machines``."""

from __future__ import annotations

import threading
from typing import Any

from moto.ec2.models.instances import InstanceBackend

from breakeven.installation import IMAGE_TAG, NODES_TAG, OWNER_TAG, RUN_TAG, TARGET_TAG
from local.aws.builders import Builders
from local.aws.instance_processes import Launch, Machines
from local.aws.swaps import Swaps

#: what moto puts in the place of a token that is not given
NO_TOKEN = "ABCDE"  # noqa: S105  no secret


class _LaneMachines:
    """Gathers the nodes of a lane, which are launched with a call for each zone, until all are there."""

    def __init__(self, machines: Machines) -> None:
        self._machines, self._lock = machines, threading.Lock()
        self._waiting: dict[tuple[str | None, ...], tuple[str, ...]] = {}

    def add(self, ids: tuple[str, ...], tags: dict[str, str]) -> None:
        lane = tuple(tags.get(name) for name in (OWNER_TAG, RUN_TAG, TARGET_TAG))
        with self._lock:
            ids = (*self._waiting.pop(lane, ()), *ids)
            if len(ids) < int(tags.get(NODES_TAG, 0)):
                self._waiting[lane] = ids
                return
        self._machines.launch(Launch(instance_ids=ids, tags=tags))


def install(swaps: Swaps, machines: Machines, builders: Builders) -> None:
    """Tell ``machines`` of every call that launches, stops, starts or terminates, once it has succeeded.

    Instances that images are to be made of are ``builders``' own.
    """

    launched: dict[str, Any] = {}
    lanes = _LaneMachines(machines)

    def run_instances(self: Any, *args: Any, **kwargs: Any) -> Any:
        token = kwargs.get("client_token")
        if token in launched:
            return launched[token]  # moto keeps tokens, and launches again
        reservation = original_run(self, *args, **kwargs)
        if token not in {None, NO_TOKEN}:
            launched[token] = reservation
        instances = reservation.instances
        # all instances of a call carry the same tags, its launch template's among them
        tags = {tag["key"]: tag["value"] for tag in instances[0].get_tags()}
        if IMAGE_TAG in tags:
            for instance in instances:
                builders.launch(instance, lambda instance_id: original_stop(self, [instance_id]))
            return reservation
        lanes.add(tuple(instance.id for instance in instances), tags)
        return reservation

    def terminate_instances(self: Any, instance_ids: list[str]) -> Any:
        terminated = original_terminate(self, instance_ids)
        machines.terminate(tuple(instance_ids))
        return terminated

    def stop_instances(self: Any, instance_ids: list[str]) -> Any:
        stopped = original_stop(self, instance_ids)
        machines.stop(tuple(instance_ids))
        return stopped

    def start_instances(self: Any, instance_ids: list[str]) -> Any:
        started = original_start(self, instance_ids)
        machines.start(tuple(instance_ids))
        return started

    original_run = swaps.attribute(InstanceBackend, "run_instances", run_instances)
    original_terminate = swaps.attribute(InstanceBackend, "terminate_instances", terminate_instances)
    original_stop = swaps.attribute(InstanceBackend, "stop_instances", stop_instances)
    original_start = swaps.attribute(InstanceBackend, "start_instances", start_instances)
