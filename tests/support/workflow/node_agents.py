"""Instances of the simulated EC2 that stand for real nodes, each with the agent that a node on EC2 has.

An agent calls S3 in the role of its node, which the template has; what it does to its broker is done to a
process of this machine, in the place of a unit of systemd. Samples are of this machine, whichever node's.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import floor
from typing import Any

import boto3
from botocore.config import Config
from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends

from breakeven.agent.bucket import Bucket, NodeOrders, Samples
from breakeven.agent.host_meter import HostMeter
from breakeven.agent.node_orders import NodeOrder
from breakeven.agent.order_agent import FaultAgent
from breakeven.results import layout
from local.aws.strict.permissions.roles import Roles
from local.aws.swaps import Swaps
from local.servers.brokers import BrokerCluster
from tests.support.workflow.workflow_runs import Machines

#: the key that nodes sign with, and how the name of their role begins in the stack
NODE, ROLE = "node", "BrokersNodeRole"


@contextmanager
def nodes_have_their_role() -> Iterator[None]:
    """What nodes sign is held against the policies of their role."""

    def arn(original: Any, self: Roles, caller: str) -> str:
        return role_of_nodes() if caller == NODE else str(original(self, caller))

    with Swaps() as swaps:
        swaps.wrap(Roles, "_arn", arn)
        yield


def role_of_nodes() -> str:
    roles = iam_backends[DEFAULT_ACCOUNT_ID]["aws"].roles.values()
    (found,) = [str(role.arn) for role in roles if ROLE in role.name]
    return found


class MachinesWithAgents(Machines):
    """``failures``: what agents have said of nodes that did not come back."""

    def __init__(self, cluster: BrokerCluster) -> None:
        super().__init__(cluster.access)
        self._cluster = cluster
        self._agents: list[FaultAgent[NodeOrder]] = []
        self._ended = threading.Event()
        self.failures: list[tuple[str, str]] = []

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        super().terminate(instance_ids)
        self.end()

    def end(self) -> None:
        self._ended.set()
        for agent in self._agents:
            agent.end()

    def _register(self, run_id: str, target: str, ids: tuple[str, ...]) -> None:
        for node in self.access.nodes:
            self._begin(run_id, target, node.name)
        super()._register(run_id, target, ids)

    def _begin(self, run_id: str, target: str, node: str) -> None:
        bucket = Bucket(self._s3(), self.bucket)
        orders = NodeOrders(bucket, layout.faults_prefix(run_id, target), node)
        agent = FaultAgent(orders, self._cluster, lambda *noted: self.failures.append(noted))
        self._agents.append(agent)
        agent.start()
        samples = Samples(bucket, f"{layout.samples_prefix(run_id, target)}{node}/")
        threading.Thread(target=self._sample, args=(samples,), name="samples", daemon=True).start()

    def _s3(self) -> Any:
        assert self.plane
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.plane.endpoint,
            region_name="us-east-1",
            aws_access_key_id=NODE,
            aws_secret_access_key="node",
            aws_session_token=os.environ["AWS_SESSION_TOKEN"],
            config=Config(proxies={}),
        )

    def _sample(self, samples: Samples) -> None:
        meter = HostMeter()
        meter.look(time.time())
        while not self._ended.wait(1.0 - time.time() % 1.0):
            samples.add(meter.look(float(floor(time.time() + 0.5))))
