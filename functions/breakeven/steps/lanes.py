"""Lanes: wait until a target's brokers are fit for cases, let them go. ``launching`` launches them."""

from __future__ import annotations

import time
from dataclasses import asdict

from breakeven.brokers.access import Node
from breakeven.errors import CaseError
from breakeven.installation import TARGET_TAG
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.aws_clients import Ec2
from breakeven.steps.instances import Instance, our_instances
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.workload.case import TargetName

#: how long nodes may take from launch to registered; EC2 boot and cluster forming take about two minutes
REGISTER_TIMEOUT_S = 480.0
POLL_S = 0.5
#: how long EC2 may not know an instance that it has launched: seconds, as a rule ("Eventual consistency in
#: the Amazon EC2 API", Amazon EC2 Developer Guide)
KNOWN_WITHIN_S = 20.0


def establish(services: Services, run_id: str, target: TargetName) -> None:
    """Wait for the nodes, put in place what cases need, and record what the target says of itself.

    :raises CaseError: nodes that do not register in time, or never become healthy
    """
    if record_of(target).nodes:
        _gather_nodes(services, run_id, target)
    description = services.target(run_id, target).establish()
    services.state(run_id).update(lane_item(target), status="ready", **asdict(description))


def _gather_nodes(services: Services, run_id: str, target: TargetName) -> None:
    wanted, deadline = record_of(target).node_count, time.monotonic() + REGISTER_TIMEOUT_S
    while len(registered := _registrations(services, run_id, target)) < wanted:
        if time.monotonic() > deadline:
            raise CaseError(
                f"{len(registered)} of {wanted} broker nodes registered in {REGISTER_TIMEOUT_S:.0f} s"
            )
        time.sleep(POLL_S)
    nodes = tuple(Node.model_validate_json(services.store.get_bytes(key)) for key in registered)
    access = services.access(run_id, target)
    if access is None:  # brokers were launched, so their credentials exist
        raise CaseError(f"{target}: the lane's credentials are gone")
    tls = any(node.certificate for node in nodes)
    complete = access.model_copy(update={"nodes": nodes, "tls": tls})
    services.store.put_secret(layout.access_key(run_id, target), complete.model_dump_json())
    # for whoever stops and starts nodes and may not read the lane's secrets: node by node, in the same order
    services.state(run_id).update(
        lane_item(target), nodes_on=[_instance(key) for key in registered], packages=nodes[0].packages
    )


def _registrations(services: Services, run_id: str, target: TargetName) -> list[str]:
    raise_if_a_node_failed(services, run_id, target)
    keys = services.store.keys(layout.nodes_prefix(run_id, target))
    return sorted(key for key in keys if key.endswith(layout.REGISTERED))


def _instance(registration: str) -> str:
    """The instance whose node left the registration of that key."""
    return registration.rpartition("/")[2].removesuffix(layout.REGISTERED)


def raise_if_a_node_failed(services: Services, run_id: str, target: TargetName) -> None:
    """:raises CaseError: a node of the lane says why it could not start"""
    keys = sorted(services.store.keys(layout.nodes_prefix(run_id, target)))
    failures = [key for key in keys if key.endswith(".failed")]
    if failures:
        raise CaseError(f"a broker node could not start: {services.store.get_bytes(failures[0]).decode()}")


def fail_leg(services: Services, run_id: str, target: TargetName, where: str, reason: str) -> None:
    """Record on the lane and the run where a leg broke."""
    state = services.state(run_id)
    state.update(lane_item(target), status="failed", failed_at=where, reason=reason)
    state.update(RUN, leg_failed_at=where, leg_failed_reason=reason)


def release_lane(services: Services, ec2: Ec2, run_id: str, target: TargetName | None = None) -> list[str]:
    """Terminate the nodes of a lane (of the whole run without ``target``) and delete its secrets.

    Instances are found by tag, so that one whose launch was never recorded is found too. One that is on
    record and that EC2 does not know is waited for: it may have been launched a moment ago. Returns the
    instances terminated.
    """
    ids = _all_launched(services, ec2, run_id, target)
    if ids:
        ec2.terminate_instances(InstanceIds=ids)
    services.store.delete_all(layout.secrets_prefix(run_id, target))
    if target:
        services.state(run_id).update(lane_item(target), status="released", released=ids)
    return ids


def instances_of(ec2: Ec2, run_id: str, target: TargetName | None = None) -> list[str]:
    """The nodes of a lane (of the whole run without ``target``) that are there, and not on their way out."""
    return [each.id for each in _launched(ec2, run_id, target) if each.stands]


def _all_launched(services: Services, ec2: Ec2, run_id: str, target: TargetName | None) -> list[str]:
    recorded = services.state(run_id).get(lane_item(target)).get("instance_ids", []) if target else []
    deadline = time.monotonic() + KNOWN_WITHIN_S
    while True:
        found = {each.id: each for each in _launched(ec2, run_id, target)}
        if set(recorded) <= found.keys() or time.monotonic() > deadline:
            return [each.id for each in found.values() if each.stands]
        time.sleep(POLL_S)


def _launched(ec2: Ec2, run_id: str, target: TargetName | None) -> list[Instance]:
    return our_instances(ec2, run_id, {TARGET_TAG: target} if target else None)
