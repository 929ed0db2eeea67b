"""Stand-in for a lane's EC2 instances: RabbitMQ nodes of our own, or some that run already."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from breakeven.agent.node_survey import surveyed
from breakeven.agent.order_agent import FaultAgent
from breakeven.brokers.access import Access, Node
from breakeven.errors import BreakevenError
from breakeven.installation import RUN_TAG, TARGET_TAG
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from local.aws.ec2 import Launch
from local.children import Children
from local.servers.broker_releases import OWN, Release
from local.servers.broker_urls import check_reachable, parse_rabbitmq_urls
from local.servers.brokers import BrokerCluster
from local.servers.relay.client_relay import ClientRelay

#: run, target, instance, and where the node that stands for the instance answers
Register = Callable[[str, str, str, Node], None]
#: run, target -> the lane's credentials
AccessFor = Callable[[str, str], Access]
#: run, target, and the credentials that the lane is to use
GiveAccess = Callable[[str, str, Access], None]
#: run, target, instance, and why the node that was to stand for it could not start
Failed = Callable[[str, str, str, str], None]
#: run, target -> where the lane's faults are ordered; None: none of its cases has any
OrdersFor = Callable[[str, str], FaultOrders | None]
#: run, target -> has any of its cases a fault of the network between clients and nodes?
IsRelayed = Callable[[str, str], bool]


@dataclass(slots=True)
class _Lane:
    """The instances of one launch and, once it was made, the cluster that stands for them."""

    launch: Launch
    cluster: BrokerCluster | None = None
    agent: FaultAgent[FaultOrder] | None = None
    relay: ClientRelay | None = None
    ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def run_and_target(self) -> tuple[str, str]:
        return self.launch.tags[RUN_TAG], self.launch.tags[TARGET_TAG]

    def node_on(self, instance: str) -> tuple[BrokerCluster, str]:
        """The cluster, and the name of its node that stands for the instance.

        :raises BreakevenError: the cluster is not up
        """
        with self.lock:
            cluster = self.cluster
        if cluster is None or not cluster.access.nodes:
            raise BreakevenError(f"{instance} has not started yet")
        return cluster, cluster.access.nodes[self.launch.instance_ids.index(instance)].name


class BrokerMachines:
    """A cluster of our own for each launch, with a node for each of its instances."""

    def __init__(
        self,
        children: Children,
        workdir: Path,
        register: Register,
        access_for: AccessFor,
        failed: Failed,
        logs: Path | None = None,
        release_of: Callable[[str], Release] = lambda _: OWN,
        orders_for: OrdersFor = lambda run_id, target: None,
        is_relayed: IsRelayed = lambda run_id, target: False,
    ) -> None:
        """The callbacks are called from a thread of ours.

        :param register: for each node, once the whole cluster is up
        :param access_for: before the cluster starts
        :param failed: for each instance, when its cluster could not start
        :param logs: where the logs of all nodes are kept, as ``<target>/<node>.log``; None: nowhere
        :param release_of: the RabbitMQ that a target's nodes run
        :param orders_for: asked once the whole cluster is up
        :param is_relayed: likewise
        """
        self._children, self._workdir = children, workdir
        self._register, self._access_for, self._failed = register, access_for, failed
        self._lanes: dict[str, _Lane] = {}  # by instance
        self._logs, self._release_of = logs, release_of
        self._orders_for, self._is_relayed = orders_for, is_relayed

    def keep_logs(self) -> None:
        """Bring the kept logs of nodes that still run up to now."""
        for lane in {id(lane): lane for lane in list(self._lanes.values())}.values():
            if lane.cluster is not None:
                lane.cluster.keep_logs()

    def launch(self, launch: Launch) -> None:
        lane = _Lane(launch)
        self._lanes.update(dict.fromkeys(launch.instance_ids, lane))
        threading.Thread(target=self._start, args=(lane,), name="broker start", daemon=True).start()

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        """:raises BreakevenError: one of them is not up yet"""
        for instance in instance_ids:
            cluster, node = self._lanes[instance].node_on(instance)
            cluster.shut_down(node)

    def start(self, instance_ids: tuple[str, ...]) -> None:
        for instance in instance_ids:
            threading.Thread(
                target=self._restart, args=(instance,), name="broker restart", daemon=True
            ).start()

    def _restart(self, instance: str) -> None:
        lane = self._lanes[instance]
        with self._reported_to_lane(lane, [instance]):
            cluster, node = lane.node_on(instance)
            cluster.restart(node)

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        for instance in instance_ids:
            lane = self._lanes.pop(instance, None)
            if lane is None:
                continue
            with lane.lock:
                lane.ended = True
                if lane.agent is not None:
                    lane.agent.end()
                if lane.relay is not None:
                    lane.relay.stop()
            if lane.cluster is not None:
                lane.cluster.stop()

    def _start(self, lane: _Lane) -> None:
        run_id, target = lane.run_and_target
        with self._reported_to_lane(lane, lane.launch.instance_ids):
            nodes = self._surveyed(lane, self._start_cluster(lane, self._access_for(run_id, target)).nodes)
            if self._is_relayed(run_id, target):
                nodes = self._start_relay(lane, nodes)
            self._start_agent(lane)
            for instance, node in zip(lane.launch.instance_ids, nodes, strict=True):
                self._register(run_id, target, instance, node)

    @staticmethod
    def _surveyed(lane: _Lane, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The first node's survey is that of all: they share the machine's disk, and its loopback."""
        if lane.cluster is None:
            return nodes
        first, *others = nodes
        survey = surveyed(lane.cluster.evaluate, first.name)
        return first.model_copy(update={"survey": survey}), *others

    def _start_relay(self, lane: _Lane, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        relay = ClientRelay(self._children, self._workdir)
        relayed = relay.start(nodes)
        with lane.lock:
            if not lane.ended:
                lane.relay = relay
        if lane.relay is None:
            relay.stop()
        return relayed

    def _start_agent(self, lane: _Lane) -> None:
        """Before any node is registered: no case is begun until then."""
        run_id, target = lane.run_and_target
        orders, cluster = self._orders_for(run_id, target), lane.cluster
        if orders is None or cluster is None:
            return

        def failed(node: str, reason: str) -> None:
            names = [each.name for each in cluster.access.nodes]
            instance = lane.launch.instance_ids[names.index(node)]
            self._failed(run_id, target, instance, reason)

        with lane.lock:
            if not lane.ended:
                stopped, network = lambda: self._children.stopped, lane.relay
                lane.agent = FaultAgent(orders, cluster, failed, stopped, network)
                lane.agent.start()

    @contextmanager
    def _reported_to_lane(self, lane: _Lane, instances: Sequence[str]) -> Iterator[None]:
        """What goes wrong because the lane or the whole run is being ended is nobody's failure."""
        try:
            yield
        except Exception as error:
            if lane.ended or self._children.stopped:
                return
            known = isinstance(error, BreakevenError | OSError)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            for instance in instances:
                self._failed(*lane.run_and_target, instance, reason)
            if not known:
                raise

    def _start_cluster(self, lane: _Lane, credentials: Access) -> Access:
        settings = ClusterSettings(nodes=len(lane.launch.instance_ids))
        target = lane.run_and_target[1]
        logs = self._logs / target if self._logs else None
        release = self._release_of(target)
        cluster = BrokerCluster(self._children, self._workdir, credentials, settings, logs, release)
        with lane.lock:
            if lane.ended:
                raise BreakevenError("terminated before it was started")
            lane.cluster = cluster
        return cluster.start()


class ExistingBrokers:
    """The nodes of ``--rabbitmq-url``: registered for any lane, never stopped."""

    def __init__(self, urls: Sequence[str], register: Register, give_access: GiveAccess) -> None:
        """The callbacks are called from a thread of ours.

        :param give_access: before any node is registered, with the URLs' credentials and no nodes
        :raises InputError: the URLs are wrong, or the brokers do not answer or let us in
        """
        self.access = check_reachable(parse_rabbitmq_urls(urls))
        self._register, self._give_access = register, give_access

    def launch(self, launch: Launch) -> None:
        threading.Thread(target=self._introduce, args=(launch,), name="broker registration").start()

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        """:raises BreakevenError: always; a run that would do this is refused before it starts"""
        raise BreakevenError("nodes that were given by --rabbitmq-url are not ours to stop")

    def start(self, instance_ids: tuple[str, ...]) -> None:
        """They were never stopped."""

    def terminate(self, instance_ids: tuple[str, ...]) -> None:
        """They are not ours to stop."""

    def _introduce(self, launch: Launch) -> None:
        run_id, target = launch.tags[RUN_TAG], launch.tags[TARGET_TAG]
        self._give_access(run_id, target, self.access.model_copy(update={"nodes": ()}))
        for instance, node in zip(launch.instance_ids, self.access.nodes, strict=True):
            self._register(run_id, target, instance, node)
