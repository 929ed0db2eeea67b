"""A mirrored pair whose capacity is known: a programmed broker behind both nodes, and a management API.

It carries so many messages a second with both nodes up, and fewer with one stopped. What it leaves out:
messages outlive no change of its nodes, so that nodes may be stopped and started between cases only; and its
nodes are one process, whichever of them a client is connected to.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from breakeven.brokers.access import Access, Node
from breakeven.instrument.process import HOST
from breakeven.instrument.program import Latency, Program, Step
from local.aws.ec2 import Launch
from tests.support.workflow.workflow_runs import Machines

NODES = ("rabbit@one", "rabbit@two")
RELEASE, ERLANG = "3.10.8", "25.2.3"
#: what a message takes on it beside its turn: nearly always a millisecond
LATENCY = Latency(steps=(Step(up_to=0.9, ms=1), Step(up_to=1, ms=3)))


class ProgrammedCluster:
    """``ceilings``: messages a second by how many of its nodes are stopped."""

    def __init__(self, ceilings: Mapping[int, float]) -> None:
        self._ceilings = ceilings
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.workflow.programmed_broker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._port = int(self._stdout.readline())
        self.stopped: set[str] = set()
        self.policies: dict[str, Any] = {}
        self._change()
        self._api = _Api(self)
        self._thread = threading.Thread(target=self._api.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def access(self) -> Access:
        nodes = tuple(
            Node(name=name, host=HOST, amqp_port=self._port, management_port=int(self._api.server_address[1]))
            for name in NODES
        )
        return Access(username="breakeven-test", password="-not_a-guess~1", nodes=nodes)

    def stop(self, node: str) -> None:
        self.stopped.add(node)
        self._change()

    def start(self, node: str) -> None:
        self.stopped.discard(node)
        self._change()

    def queue(self, name: str) -> dict[str, Any]:
        """Its master is on the first node that runs; its one mirror is in sync as soon as both do."""
        master = next(node for node in NODES if node not in self.stopped)
        return {"name": name, "node": master, "synchronised_slave_nodes": [] if self.stopped else NODES[1:]}

    def close(self) -> None:
        self._api.shutdown()
        self._api.server_close()
        self._thread.join(5)
        self._stdin.close()
        assert self._process.wait(10) == 0
        self._stdout.close()

    def _change(self) -> None:
        program = Program(
            protocol="amqp",
            messages=1000,
            seed=1,
            publish=LATENCY,
            deliver=LATENCY,
            messages_per_s=self._ceilings[len(self.stopped)],
        )
        self._stdin.write(program.model_dump_json().encode() + b"\n")
        self._stdin.flush()


class ProgrammedMachines(Machines):
    """Instances that stand for the nodes of a programmed cluster, in the order in which they are launched."""

    def __init__(self, cluster: ProgrammedCluster) -> None:
        super().__init__(cluster.access)
        self._cluster = cluster
        self._nodes: dict[str, str] = {}

    def launch(self, launch: Launch) -> None:
        self._nodes |= zip(launch.instance_ids, NODES, strict=True)
        super().launch(launch)

    def stop(self, instance_ids: tuple[str, ...]) -> None:
        for instance in instance_ids:
            self._cluster.stop(self._nodes[instance])

    def start(self, instance_ids: tuple[str, ...]) -> None:
        for instance in instance_ids:
            self._cluster.start(self._nodes[instance])


class _Api(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, cluster: ProgrammedCluster) -> None:
        super().__init__((HOST, 0), _Handler)
        self.cluster = cluster


class _Handler(BaseHTTPRequestHandler):
    """What a target asks of RabbitMQ's management API, and no more."""

    server: _Api

    def do_GET(self) -> None:
        found = self._found([unquote(part) for part in urlsplit(self.path).path.split("/")[2:]])
        self._answer(404 if found is None else 200, found)

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.cluster.policies[self.path.rpartition("/")[2]] = body
        self._answer(201, {})

    def do_DELETE(self) -> None:
        self._answer(204 if self.server.cluster.policies.pop(self.path.rpartition("/")[2], None) else 404, {})

    def log_message(self, *_: object) -> None:
        return

    def _found(self, path: list[str]) -> Any:
        cluster = self.server.cluster
        match path:
            case ["overview"]:
                return {"rabbitmq_version": RELEASE, "erlang_version": ERLANG}
            case ["nodes"]:
                return [{"name": name, "running": name not in cluster.stopped} for name in NODES]
            case ["queues", _]:
                return []
            case ["queues", _, queue]:
                return cluster.queue(queue)
            case ["policies", _]:
                return [{"name": name, "vhost": "/", **policy} for name, policy in cluster.policies.items()]
            case ["policies", _, name]:
                return cluster.policies.get(name)
            case ["connections"]:
                return []
        return None

    def _answer(self, status: int, body: Any) -> None:
        text = json.dumps(body).encode() if status != 204 else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def programmed_cluster(ceilings: Mapping[int, float]) -> Iterator[ProgrammedCluster]:
    cluster = ProgrammedCluster(ceilings)
    try:
        yield cluster
    finally:
        cluster.close()
