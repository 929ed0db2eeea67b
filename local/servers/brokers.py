"""Real RabbitMQ nodes, clustered, as ordinary processes of the present user.

They run from a package's own scripts, this machine's or those of a private root, and share nothing with a
RabbitMQ that this machine may have already: own names, ports, port mapper (epmd), cookie, configuration,
data and logs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from breakeven.brokers.access import Access, Node
from breakeven.clients.amqp.encoding import PROTOCOL_HEADER
from breakeven.errors import BreakevenError
from breakeven.targets.rabbitmq.rabbitmq_cluster import CLUSTER_PARAMETER, ClusterSettings
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from local.children import SERVER_NICENESS, Children, how_busy, last_lines
from local.ports import LOOPBACK, PortTaken, answers, free_ports, is_port_taken, start_on_free_ports
from local.servers.broker_files import NodePlan, environment, mapper_environment, write_cookie, write_node
from local.servers.broker_releases import CONTROL, OWN, Release

#: seconds; on two cores with much else to do, nodes were seen not to be ready after 90
START_DEADLINE_S = 180.0
#: the data is thrown away, so nothing is gained by waiting for an orderly end (6 s)
STOP_GRACE_S = 1.5
#: of a node that is stopped to be started again, as a machine that is shut down gives it
SHUTDOWN_GRACE_S = 20.0
LOOK_EVERY_S = 0.2
#: characters of what a command said, its last ones, that an error repeats
SAID = 300


class BrokerCluster:
    """One cluster on this machine. ``access`` tells where its nodes answer once ``start`` has returned."""

    def __init__(
        self,
        children: Children,
        workdir: Path,
        credentials: Access,
        settings: ClusterSettings | None = None,
        logs: Path | None = None,
        release: Release = OWN,
    ) -> None:
        """
        :param workdir: where the nodes' folders are made, and removed again by ``stop``
        :param credentials: the user, password and virtual host that the nodes are to have
        :param logs: a folder to which their logs are copied before that
        :param release: the RabbitMQ that they run
        """
        self._children, self._workdir = children, workdir
        self._credentials, self._settings = credentials, settings or ClusterSettings()
        self._folder: Path | None = None
        self._logs, self._release = logs, release
        self._stopped = False
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._starts: dict[str, tuple[NodePlan, dict[str, str]]] = {}  # by node: its plan and environment
        self._shut_down: set[str] = set()  # nodes that are to be down
        self.access = credentials

    def start(self) -> Access:
        """Start the nodes and wait until each takes AMQP connections and sees all the others.

        :raises BreakevenError: RabbitMQ is missing, or a node ended or was not ready in time
        """
        start_on_free_ports(self._start, self._clear)
        return self.access

    def stop(self) -> None:
        """End the nodes and their port mapper, remove their folders. Idempotent; also ends a start."""
        self._stopped = True
        self._clear()

    def signal(self, node: str, number: signal.Signals) -> None:
        """Send a signal to all of one node, such as SIGKILL for a crash. One that is gone is well."""
        if self.runs(node):
            with suppress(ProcessLookupError):
                os.killpg(self._processes[node].pid, number)

    def runs(self, node: str) -> bool:
        """Is its process there? One that is paused is."""
        process = self._processes.get(node)
        return process is not None and process.poll() is None

    def shut_down(self, node: str) -> bool:
        """End a node in an orderly way, and keep its data. One that is down is well.

        :return: False: it had not ended after ``SHUTDOWN_GRACE_S``, and was killed
        """
        self._shut_down.add(node)
        return not self._children.stop_together([self._processes[node]], SHUTDOWN_GRACE_S)

    def restart(self, node: str, away: Callable[[], Collection[str]] = tuple) -> None:
        """Start a node again, on the data it had, and wait until it sees all others running.

        One that still runs is ended first. A start that ``shut_down`` cuts off has not failed.

        :param away: the nodes that it need not see, asked as long as it waits
        :raises BreakevenError: it ended, or was not ready in time, or the cluster was stopped
        """
        self._shut_down.discard(node)
        if (before := self._processes.get(node)) is not None:
            self._children.stop_together([before], STOP_GRACE_S)
        plan, env = self._starts[node]
        if not self._stopped:
            self._start_node(plan, env)
        if self._stopped:  # meanwhile, when nobody could know of this process
            self._clear()
        try:
            self._wait(
                [plan], lambda at: answers(at.amqp_port, PROTOCOL_HEADER) and self._is_ready(at, away())
            )
        except BreakevenError:
            if node not in self._shut_down:
                raise

    def evaluate(self, node: str, expression: str, within_s: float) -> str:
        """What an Erlang expression gives in a node, by ``rabbitmqctl eval``.

        :raises BreakevenError: the node does not answer in time, or the expression fails
        """
        plan, env = self._starts[node]
        command = [str(CONTROL), "--quiet", "--node", node, "eval", expression]
        process = self._children.spawn(
            self._release.command(plan.folder.parent, *command),
            env=env,
            cwd=plan.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            name=f"rabbitmqctl on {node}",
        )
        with process:
            try:
                said = process.communicate(timeout=within_s)[0].decode(errors="replace").strip()
            except subprocess.TimeoutExpired:
                raise BreakevenError(f"rabbitmqctl has no answer of {node} in {within_s:g} s") from None
            finally:
                self._children.stop_together([process], 0.0)
        if process.returncode:
            raise BreakevenError(f"rabbitmqctl on {node}: {said[-SAID:]}")
        return said

    def keep_logs(self) -> None:
        """Copy the nodes' logs as they are now, where they are wanted."""
        for plan, _ in self._starts.values():
            if self._logs and plan.log.exists():
                self._logs.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(plan.log, self._logs / plan.log.name)

    def _clear(self) -> None:
        processes, self._processes = self._processes, {}
        self._children.stop_together(list(processes.values()), STOP_GRACE_S)
        folder, self._folder = self._folder, None
        if folder is not None:
            self.keep_logs()
            self._children.remove_dir(folder)

    def _start(self) -> None:
        folder = self._folder = self._children.make_dir(self._workdir, "rabbitmq-")
        epmd_port, *ports = free_ports(1 + 3 * self._settings.nodes)
        plans = _plans(folder, self._settings.nodes, ports)
        home = folder / "home"
        write_cookie(home, secrets.token_hex(32))
        self._start_port_mapper(folder, home, epmd_port)
        self.access = self._credentials.model_copy(update={"nodes": tuple(plan.node for plan in plans)})
        for plan in plans:
            write_node(plan, plans[0].node.name, self._credentials, self._settings)
            env = environment(plan, home, epmd_port)
            self._starts[plan.node.name] = (plan, env)
            self._start_node(plan, env)
            # A node that knocks while another is half up now and then dies of what it is told.
            self._wait([plan], lambda node: answers(node.amqp_port, PROTOCOL_HEADER))
        self._wait(plans, self._is_ready)
        # A note for the target: the management API tells it late, or not at all.
        Management(self.access).set_global_parameter(CLUSTER_PARAMETER, self._settings.note())

    def _start_port_mapper(self, folder: Path, home: Path, port: int) -> None:
        """Nodes would start one themselves that outlives them; ours is a child like any other."""
        process = self._children.spawn(
            self._release.command(folder, "epmd", "-port", str(port), "-address", LOOPBACK),
            env=mapper_environment(home),
            cwd=home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            name="Erlang port mapper",
        )
        self._processes["epmd"] = process
        deadline = time.monotonic() + START_DEADLINE_S
        while not answers(port):
            if process.poll() is not None:
                raise PortTaken(
                    f"the Erlang port mapper ended at once (port {port}, exit {process.returncode})"
                )
            if time.monotonic() > deadline:
                raise BreakevenError(f"the Erlang port mapper does not answer on port {port}")
            time.sleep(0.05)

    def _start_node(self, plan: NodePlan, env: dict[str, str]) -> None:
        with plan.output.open("wb") as output:
            self._processes[plan.node.name] = self._children.spawn(
                self._release.server(plan.folder.parent),
                env=env,
                cwd=plan.folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                niceness=SERVER_NICENESS,
                name=f"RabbitMQ node {plan.node.name}",
            )

    def _wait(self, plans: list[NodePlan], is_ready: Callable[[Node], bool]) -> None:
        deadline = time.monotonic() + START_DEADLINE_S
        waiting = list(plans)
        while waiting:
            self._check_alive(plans)
            if time.monotonic() > deadline:
                late = waiting[0]
                said = f"was not ready in {START_DEADLINE_S:g} s{how_busy()}{_tail(late)}"
                raise BreakevenError(f"RabbitMQ node {late.node.name} {said}")
            waiting = [plan for plan in waiting if not is_ready(plan.node)]
            if waiting:
                time.sleep(LOOK_EVERY_S)

    def _check_alive(self, plans: list[NodePlan]) -> None:
        processes = self._processes
        for plan in plans:
            if self._stopped or plan.node.name not in processes:
                raise BreakevenError("the RabbitMQ nodes were stopped while they were starting")
            if processes[plan.node.name].poll() is not None:
                tail = _tail(plan)
                kind = PortTaken if is_port_taken(tail) else BreakevenError
                raise kind(f"RabbitMQ node {plan.node.name} ended while it was starting{tail}")

    def _is_ready(self, node: Node, away: Collection[str] = ()) -> bool:
        """The node sees itself and all others running, but for those that are away."""
        try:
            seen = Management(self.access.model_copy(update={"nodes": (node,)})).nodes()
        except ManagementError:
            return False
        running = {str(one["name"]) for one in seen if one.get("running")}
        return (self._starts.keys() - set(away)) | {node.name} <= running


def _plans(folder: Path, count: int, ports: list[int]) -> list[NodePlan]:
    """Three ports a node: AMQP, management, and the one that the other nodes use."""
    plans = []
    for number in range(1, count + 1):
        amqp, management, distribution = ports[3 * number - 3 : 3 * number]
        name = f"rabbit{number}@localhost"
        node = Node(name=name, host=LOOPBACK, amqp_port=amqp, management_port=management)
        plans.append(NodePlan(node, distribution, folder / f"node{number}"))
    return plans


def _tail(plan: NodePlan) -> str:
    said = [last_lines(path) for path in (plan.log, plan.output)]
    return ":\n" + "\n".join(filter(None, said)) if any(said) else ""
