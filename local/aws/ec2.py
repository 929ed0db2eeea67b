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

    def run(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        token = kwargs.get("client_token")
        if token in launched:
            return launched[token]  # moto keeps tokens, and launches again
        reservation = original(self, *args, **kwargs)
        if token not in {None, NO_TOKEN}:
            launched[token] = reservation
        instances = reservation.instances
        # all instances of a call carry the same tags, its launch template's among them
        tags = {tag["key"]: tag["value"] for tag in instances[0].get_tags()}
        if IMAGE_TAG in tags:
            for instance in instances:
                builders.launch(instance, lambda instance_id: stop(self, [instance_id]))
            return reservation
        lanes.add(tuple(instance.id for instance in instances), tags)
        return reservation

    def passed_on(original: Any, self: Any, instance_ids: list[str]) -> Any:
        answer = original(self, instance_ids)
        getattr(machines, original.__name__.partition("_")[0])(tuple(instance_ids))
        return answer

    stop = vars(InstanceBackend)["stop_instances"]
    swaps.wrap(InstanceBackend, "run_instances", run)
    for name in ("terminate_instances", "stop_instances", "start_instances"):
        swaps.wrap(InstanceBackend, name, passed_on)
