"""One run on this machine: everything it needs is started here, and stopped here whatever happens."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from breakeven.brokers.access import Access, Node
from breakeven.clients.core.loading import SWITCH
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrders
from breakeven.results.items import RUN, suite_runs
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.run.run_input import RunInput
from breakeven.targets.catalog import clusters
from breakeven.targets.sqs.sqs_standard import FAULT_PROXY_VARIABLE, PROCESS_VARIABLE, SERVER_VARIABLE
from breakeven.targets.target import open_target
from breakeven.workload.case import Case
from local import descriptions
from local.cdk.synth import Synthesis
from local.children import Children
from local.servers.broker_releases import release_of
from local.servers.endpoints import Endpoints, software_of
from local.servers.left_queues import delete_left_queues
from local.servers.proxy.fault_proxy import FaultProxy
from local.servers.proxy.proxy_agent import ProxyAgent
from local.servers.sqs_server import SqsServer
from local.stored import earlier_reports, kept_advice, resumed_run
from local.stored.broker_logs import keep_broker_logs
from local.stored.export import Items, export_run, writing
from local.stored.settled_cases import SettledCases
from local.stored.whole_files import write_whole

if TYPE_CHECKING:
    from local.aws.control_plane import ControlPlane
    from local.aws.ec2 import Machines

STACK = "QueueBreakeven"


class Session:
    """``say`` is told in words what is being started. A context manager; leaving it stops everything."""

    def __init__(
        self,
        runs: Path,
        say: Callable[[str], None],
        endpoints: Endpoints,
        run_id: str,
        suite: str,
        cases: Sequence[Case],
    ) -> None:
        """
        :param suite: its name; where the run goes on with another, that one's
        :param cases: all of the run's, which say what servers it needs
        """
        self._runs, self._say, self._endpoints = runs, say, endpoints
        self._run_id, self._suite, self._cases = run_id, suite, cases
        #: targets that have cases with faults of calls
        self._proxied = frozenset(case.target for case in cases if case.workload.service_faults)
        self._closing = ExitStack()
        self._children = self._closing.enter_context(Children())
        self._work = self._children.make_dir(Path(tempfile.gettempdir()), "breakeven-")
        self._plane: ControlPlane | None = None
        self._execution: str | None = None
        #: the run's records, as they were last read
        self._items: Items = {}
        self._settled: SettledCases | None = None
        #: stands for SQS, where it is our own
        self._server: SqsServer | None = None
        #: before it, where calls are to meet faults
        self._proxy: FaultProxy | None = None
        #: brings the logs of brokers of our own up to date
        self._keep_logs: Callable[[], None] | None = None
        self._broker_logs = self._work / "broker-logs"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def start(self, wanted: RunInput) -> None:
        """Synthesize, start the control plane and the SQS server, deploy, and start the execution."""
        server_too = "starting the SQS server and " if self._endpoints.starts_sqs(self._cases) else ""
        self._say(f"{server_too}synthesizing the workflow")
        descriptions.read_once()
        beside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqs")
        self._closing.callback(beside.shutdown, wait=False)
        sqs = beside.submit(self._sqs)
        synthesis = Synthesis(self._children, self._work / "cdk.out")
        # takes seconds, which the two started above make use of
        from local.aws.control_plane import ControlPlane  # noqa: PLC0415

        assembly, (endpoint, server, notes) = synthesis.result(), sqs.result()
        self._start_proxy(endpoint)
        beside.submit(self._warm_up)  # over before the first case, which is planned first
        self._plane = self._control_plane(ControlPlane, assembly, endpoint, server)
        self._outputs = self._plane.deploy(STACK)
        self._plane.have_images()
        self._settled = SettledCases(self.store, self._run_id, self._runs)
        self._closing.callback(self._settled.close)
        self._start_proxy_agents()
        self._say_servers(server)
        kept_advice.bring(self.store, self._runs, self._suite)
        earlier_reports.bring(self.store, self.state_of(suite_runs(self._suite)), self._runs, self._suite)
        if wanted.resume_run_id is not None:
            resumed_run.bring(self.store, self.state_of(wanted.resume_run_id), self._runs)
        notes = [*wanted.surroundings.notes, *notes]
        noted = wanted.model_copy(
            update={"surroundings": wanted.surroundings.model_copy(update={"notes": notes})}
        )
        self._execution = self._plane.start(
            self._outputs["StateMachineArn"],
            noted.model_dump(mode="json", exclude_unset=True),
            name=self._run_id,
        )

    def _say_servers(self, sqs: str) -> None:
        servers = [f"SQS: {sqs}"] if sqs else []
        if "rabbitmq" in software_of(self._cases):
            given = self._endpoints.rabbitmq_urls
            servers.append(
                f"RabbitMQ: {'the nodes given' if given else 'nodes of our own, started when needed'}"
            )
        self._say("; ".join(servers))

    @property
    def plane(self) -> ControlPlane:
        if self._plane is None:
            raise RuntimeError("the session was not started")
        return self._plane

    @property
    def store(self) -> Store:
        return Store(self.plane.client("s3"), self._outputs["BucketName"])

    @property
    def state(self) -> RunState:
        return self.state_of(self._run_id)

    def state_of(self, run_id: str) -> RunState:
        return RunState(self.plane.resource("dynamodb").Table(self._outputs["StateTableName"]), run_id)

    def running(self) -> bool:
        return self._execution is not None and self.plane.status(self._execution) == "RUNNING"

    def records(self) -> Items:
        """The run's records. What they call settled is in ``runs/<run_id>``.

        :raises UnwritableError: that folder takes no more
        """
        self._items = self.state.items()
        if self._settled:
            self._settled.keep(self._items)
        return self._items

    def interrupt(self) -> None:
        """Stop the execution where it is, and everything that works for it."""
        if self._plane and self._execution:
            self.state.update(RUN, status="interrupted")
            self._plane.stop(self._execution)
            self._items = self.state.items()

    def export(self) -> Path:
        """What was measured, with the functions' logs, in ``runs/<run_id>``.

        :raises UnwritableError: that folder takes no more
        """
        folder = self._runs / self._run_id
        if self._plane and self._execution and self.state.get(RUN):
            export_run(self.store, self.state, self._run_id, self._runs)
            if self._keep_logs:
                self._keep_logs()
                with writing(folder):
                    keep_broker_logs(self._broker_logs, self.state.items(), folder)
            if trouble := kept_advice.keep(self.store, self._runs, self._suite):
                self._say(trouble)
        logs = self._work / "logs"
        with writing(folder):
            for log in (path for path in logs.rglob("*") if path.is_file()):
                write_whole(folder / log.relative_to(self._work), log.read_bytes())
        return folder

    def _control_plane(
        self, kind: type[ControlPlane], assembly: Path, endpoint: str | None, server: str
    ) -> ControlPlane:
        plane = kind(
            children=self._children,
            cloud_assembly=assembly,
            machines=self._machines(),
            env={
                SERVER_VARIABLE: server,
                **self._sqs_process(),
                **self._sqs_proxy(),
                **self._endpoints.own_process(),
                **switches(),
            },
            sqs_endpoint=endpoint,
            log_dir=self._work / "logs",
        )
        return self._closing.enter_context(plane)

    def _sqs(self) -> tuple[str | None, str, list[str]]:
        """Endpoint, server's name, and what the reader must be told; nothing where no case is on SQS."""
        if given := self._endpoints.sqs:
            self._closing.callback(lambda: delete_left_queues(self._items, None, given))
            return given, f"SQS-compatible server at {given}", []
        if not self._endpoints.starts_sqs(self._cases):
            return None, "", []
        server = self._server = SqsServer(self._children, self._work / "sqs")
        endpoint = server.start()
        return (
            endpoint,
            server.name,
            [f"SQS was stood in for by {server.name}."] if server.is_fallback else [],
        )

    def _sqs_process(self) -> dict[str, str]:
        """For the watch, which process stands for SQS; none where a server was given."""
        number = self._server.process_id if self._server else None
        return {PROCESS_VARIABLE: str(number)} if number else {}

    def _start_proxy(self, server: str | None) -> None:
        """Where calls are to meet faults."""
        if server and self._proxied:
            self._proxy = FaultProxy(self._children, server, self._work / "proxy")
            self._closing.callback(self._proxy.stop)
            self._proxy.start()

    def _start_proxy_agents(self) -> None:
        """One for each lane that has any; its orders begin with the execution."""
        if self._proxy is None:
            return
        for target in self._proxied:
            orders = FaultOrders(self.store, self._run_id, target)
            agent = ProxyAgent(orders, self._proxy, lambda: self._children.stopped)
            self._closing.callback(agent.end)
            agent.start()

    def _sqs_proxy(self) -> dict[str, str]:
        """For loaders of cases with faults of calls; others call the server itself."""
        return {FAULT_PROXY_VARIABLE: self._proxy.endpoint} if self._proxy else {}

    def _warm_up(self) -> None:
        if self._server is not None:
            self._server.warm_up()

    def _machines(self) -> Machines:
        from local.servers.broker_machines import BrokerMachines, ExistingBrokers  # noqa: PLC0415

        if self._endpoints.rabbitmq_urls:
            existing = ExistingBrokers(self._endpoints.rabbitmq_urls, self._register, self._give_access)
            # what a lane put in place on brokers that are not ours is taken back, whatever happens
            for kind in clusters():
                self._closing.callback(open_target(kind, existing.access).dismantle)
            self._closing.callback(lambda: delete_left_queues(self._items, existing.access, None))
            return existing
        given = (self._register, self._access, self._failed, self._broker_logs)
        asked = (self._orders_for, self._is_relayed)
        own = BrokerMachines(self._children, self._work, *given, release_of, *asked)
        self._keep_logs = own.keep_logs
        return own

    def _access(self, run_id: str, target: str) -> Access:
        return Access.model_validate(self.store.get_json(layout.access_key(run_id, target)))

    def _give_access(self, run_id: str, target: str, access: Access) -> None:
        self.store.put_secret(layout.access_key(run_id, target), access.model_dump_json())

    def _orders_for(self, run_id: str, target: str) -> FaultOrders | None:
        if not any(case.workload.node_faults for case in self._cases_of(run_id, target)):
            return None
        return FaultOrders(self.store, run_id, target)

    def _is_relayed(self, run_id: str, target: str) -> bool:
        return any(case.workload.client_faults for case in self._cases_of(run_id, target))

    def _cases_of(self, run_id: str, target: str) -> list[Case]:
        planned = self.store.get_json(layout.plan_key(run_id))["plan"]["cases"]
        return [case for case in map(Case.model_validate, planned) if case.target == target]

    def _failed(self, run_id: str, target: str, instance_id: str, reason: str) -> None:
        self.store.put_bytes(f"{layout.nodes_prefix(run_id, target)}{instance_id}.failed", reason.encode())

    def _register(self, run_id: str, target: str, instance_id: str, node: Node) -> None:
        key = f"{layout.nodes_prefix(run_id, target)}{instance_id}.json"
        self.store.put_bytes(key, node.model_dump_json().encode())


def switches() -> dict[str, str]:
    """What the caller's environment decides for loaders, whose processes see nothing else of it."""
    return {SWITCH: os.environ[SWITCH]} if SWITCH in os.environ else {}
