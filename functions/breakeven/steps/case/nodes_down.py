"""A case with nodes down: they are stopped before it, and started again after it however it ended.

EC2 stops and starts the instances that the nodes run on; a node comes up with its instance and joins its
cluster again. Which nodes: the last ones of the lane's, as ``Access.left`` has it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from breakeven.errors import CaseError
from breakeven.results.items import lane_item
from breakeven.steps.aws_clients import Ec2
from breakeven.steps.instances import describe_instances
from breakeven.steps.lane.establish_lane import raise_if_a_node_failed
from breakeven.steps.services import Services
from breakeven.terms import TargetName
from breakeven.workload.case import Case

#: how long an instance may take to stop; EC2 ends one that does not after some minutes
STOP_TIMEOUT_S = 270.0
#: how long nodes may take from the start of their instances until every mirror is in sync
REJOIN_TIMEOUT_S = 330.0
POLL_S = 0.5
#: of an instance that an answer of EC2 has left out
UNKNOWN = "unknown"


def stop_nodes(services: Services, ec2: Ec2, run_id: str, case_id: str) -> list[str]:
    """Stop the nodes that the case wants down, and wait until they have stopped; returns their instances.

    :raises CaseError: the lane does not know its instances, or one did not stop in time
    """
    instances = _instances_down(services, services.case(run_id, case_id))
    ec2.stop_instances(InstanceIds=instances)
    _await_states(ec2, instances, lambda states: states == {"stopped"})
    return instances


def start_nodes(services: Services, ec2: Ec2, run_id: str, case_id: str) -> list[str]:
    """Start them again, whatever became of the case; returns their instances, which need not be up yet.

    :raises CaseError: the lane does not know its instances, or one was stopping and did not end
    """
    instances = _instances_down(services, services.case(run_id, case_id))
    # EC2 starts no instance that is still stopping
    _await_states(ec2, instances, lambda states: not states & {"stopping", UNKNOWN})
    ec2.start_instances(InstanceIds=instances)
    return instances


def await_nodes(services: Services, run_id: str, target: TargetName) -> None:
    """Wait until every node of the lane runs and every mirror is in sync.

    :raises CaseError: a node says that it cannot start, or something is still missing at the deadline
    """
    found, deadline = services.target(run_id, target), time.monotonic() + REJOIN_TIMEOUT_S
    while (lacking := found.lacking()) is not None:
        raise_if_a_node_failed(services, run_id, target)
        if time.monotonic() > deadline:
            raise CaseError(
                f"{target}: {lacking}, {REJOIN_TIMEOUT_S:.0f} s after its nodes were started again"
            )
        time.sleep(POLL_S)


def _instances_down(services: Services, case: Case) -> list[str]:
    """The instances of the case's nodes that are to be down: the last ones, in the order of the nodes."""
    instances = services.state(case.run_id).get(lane_item(case.target)).get("nodes_on", [])
    down = case.workload.nodes_down
    if not 0 < down < len(instances):
        raise CaseError(f"{case.target}: cannot take {down} of {len(instances)} nodes down")
    return [str(instance) for instance in instances[-down:]]


def _await_states(ec2: Ec2, instances: list[str], is_so: Callable[[set[str]], bool]) -> None:
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while not is_so(states := _states(ec2, instances)):
        if time.monotonic() > deadline:
            raise CaseError(
                f"{', '.join(instances)}: {', '.join(sorted(states))} after {STOP_TIMEOUT_S:.0f} s"
            )
        time.sleep(POLL_S)


def _states(ec2: Ec2, instances: list[str]) -> set[str]:
    asked = {"Name": "instance-id", "Values": instances}
    found = {each.id: each.state for each in describe_instances(ec2, [asked])}
    return {found.get(instance, UNKNOWN) for instance in instances}
