"""A lane's beginning: its nodes have registered, and its target is fit for cases."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

from breakeven.brokers.access import Node
from breakeven.errors import CaseError
from breakeven.results import layout
from breakeven.results.items import lane_item
from breakeven.steps.lane.warm_up_record import BROKEN_OFF, WarmUp
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.terms import TargetName
from breakeven.workload.machines import Machines, nodes_of

#: how long nodes may take from launch to registered; EC2 boot and cluster forming take about two minutes
REGISTER_TIMEOUT_S = 480.0
POLL_S = 0.5


def establish(
    services: Services,
    run_id: str,
    target: TargetName,
    machines: Machines | None = None,
    *,
    warms_up: bool = False,
) -> None:
    """Wait for the nodes, put in place what cases need, and record what the target says of itself.

    :param machines: what they run on; None: as many as the target has unless a suite says otherwise
    :param warms_up: a warm-up follows; it is recorded as broken off until it has come to its end
    :raises CaseError: nodes that do not register in time, or never become healthy; or the run goes on with
        another whose settled cases another server answered
    """
    if record_of(target).nodes:
        _gather_nodes(services, run_id, target, nodes_of(target, machines))
    description = services.target(run_id, target).establish()
    state, item = services.state(run_id), lane_item(target)
    _check_server(target, description.server, state.update(item, status="ready").get("server"))
    warm_up = {"warm_up": WarmUp(reason=BROKEN_OFF).model_dump_json()} if warms_up else {}
    state.update(item, **asdict(description), **warm_up)


def _check_server(target: TargetName, server: str, earlier: str | None) -> None:
    """A report says one server of a target, and compares its cases as figures of that.

    :param earlier: of the cases that are taken over from another run, or of an attempt of this one
    """
    if earlier not in (None, server):
        raise CaseError(
            f"{target}: {server}, but the cases that the run has already were measured on {earlier}: "
            "resume it with that server, or start a new run"
        )


def _gather_nodes(services: Services, run_id: str, target: TargetName, wanted: int) -> None:
    deadline = time.monotonic() + REGISTER_TIMEOUT_S
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
    complete = access.model_copy(update={"nodes": nodes, "tls": _have_tls(target, nodes)})
    services.keep_access(run_id, target, complete)
    # for whoever stops and starts nodes and may not read the lane's secrets: node by node, in the same order
    services.state(run_id).update(
        lane_item(target),
        nodes_on=[_instance(key) for key in registered],
        packages=nodes[0].packages,
        surveys=json.dumps([{"node": node.name, **asdict(node.survey)} for node in nodes if node.survey]),
    )


def _have_tls(target: TargetName, nodes: Sequence[Node]) -> bool:
    """Images of EC2's nodes have no plain listener; servers that stand for nodes may have no other.

    :raises CaseError: nodes of one cluster differ, so that some of the figures would be those of plain AMQP
    """
    without = [node.name for node in nodes if not node.certificate]
    if without and len(without) < len(nodes):
        raise CaseError(f"{target}: {', '.join(without)} registered no certificate, and the other nodes did")
    return not without


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
