"""Clusters of our own: side by side, with a node killed or paused, and left behind by a killed run.

The second pair belongs to a run of its own, in a process that these tests kill at the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from breakeven.brokers.access import Access
from breakeven.clients import connections
from breakeven.clients.base import ConnectionLost, Outcome
from breakeven.errors import BreakevenError
from breakeven.installation import RUN_TAG, TARGET_TAG
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from local.aws.ec2 import Launch
from local.servers import broker_releases
from local.servers.broker_machines import BrokerMachines
from local.servers.brokers import BrokerCluster
from tests.support.loaders.messages import PATIENCE_S
from tests.support.loaders.real_nodes import process_ids, some_nodes
from tests.support.workflow.processes import eventually, processes_of

ROOT = Path(__file__).parents[3]
TARGET = "rabbitmq-mirrored-pair"
CREDENTIALS = Access(username="breakeven", password="secret-of-the-second")
FIRST, SECOND = "rabbit1@localhost", "rabbit2@localhost"

OTHER_RUN = """
import json, sys, time
from pathlib import Path
from breakeven.brokers.access import Access
from local.servers.brokers import BrokerCluster
from local.children import Children

cluster = BrokerCluster(Children(), Path(sys.argv[1]), Access.model_validate_json(sys.stdin.read()))
access = cluster.start()
pids = {name: process.pid for name, process in cluster._processes.items()}
print(json.dumps([access.model_dump(), pids]), flush=True)
time.sleep(600)
"""


@dataclass(frozen=True)
class OtherRun:
    process: subprocess.Popen
    workdir: Path
    access: Access
    pids: dict[str, int]

    def signal(self, node: str, number: signal.Signals) -> None:
        os.killpg(self.pids[node], number)

    @contextmanager
    def paused(self, node: str) -> Iterator[None]:
        self.signal(node, signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(node, signal.SIGCONT)


@pytest.fixture(scope="module")
def other_run(tmp_path_factory) -> Iterator[OtherRun]:
    workdir = tmp_path_factory.mktemp("other")
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER_RUN, str(workdir)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(CREDENTIALS.model_dump_json().encode())
    process.stdin.close()
    access, pids = json.loads(process.stdout.readline())
    yield OtherRun(process, workdir, Access.model_validate(access), pids)
    process.kill()
    process.wait()
    process.stdout.close()


def test_two_pairs_run_side_by_side(rabbitmq_pair, other_run):
    for access in (rabbitmq_pair, other_run.access):
        for node in access.nodes:
            nodes = Management(access.model_copy(update={"nodes": (node,)})).nodes()
            assert [(one["name"], one["running"]) for one in nodes] == [(FIRST, True), (SECOND, True)]
    ports = [
        port
        for access in (rabbitmq_pair, other_run.access)
        for node in access.nodes
        for port in (node.amqp_port, node.management_port)
    ]
    assert len(set(ports)) == 8


def test_the_first_node_registers_with_its_volume_and_the_way_to_the_other(rabbitmq_pair):
    first, second = rabbitmq_pair.nodes
    assert first.survey.error is None
    assert 0 < first.survey.sync.p50_ms <= first.survey.sync.p99_ms
    assert [link.peer for link in first.survey.links] == [second.name]
    assert second.survey is None, "of the same disk"


def test_nodes_listen_to_nobody_but_this_machine(other_run):
    sockets = _listening()
    leaders = set(other_run.pids.values())
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    addresses = {
        sockets[inode]
        for pid in pids
        if _group(pid) in leaders
        for inode in _socket_inodes(pid)
        if inode in sockets
    }
    loopback = {address for address in addresses if address.startswith("0100007F:")}
    assert len(loopback) == 7, "the port mapper's, and three of each node"
    ipv6 = {address.partition(":")[0] for address in addresses - loopback}
    assert ipv6 <= {"00000000000000000000000001000000"}, "::1, where the port mapper listens too"


def test_secrets_are_for_the_present_user_only(other_run):
    (folder,) = other_run.workdir.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "home" / ".erlang.cookie").stat().st_mode & 0o777 == 0o400
    assert (folder / "node1" / "rabbitmq.conf").stat().st_mode & 0o777 == 0o600
    assert all(CREDENTIALS.password not in said for said in processes_of(folder))


@pytest.mark.parametrize("kind", ["pika", "native"])
def test_a_paused_mirror_makes_a_confirm_late_and_the_connection_lost(
    other_run, queue_case, closing, monkeypatch, kind
):
    target = RabbitMQMirroredPair(other_run.access)
    target.establish()
    case = queue_case(TARGET, client=kind)
    queues = target.prepare(case, attempt=1).queues
    client = closing(target.client(case.workload))
    sender = client.sender(queues[0])
    monkeypatch.setattr(connections, "CALL_TIMEOUT_S", 1.0)
    with other_run.paused(SECOND):
        sender.submit([1], [b"x" * 16])
        assert not sender.poll(0.1).sequence, "no answer yet"
        with pytest.raises(ConnectionLost, match="no answer within 1 s to a publish"):
            sender.poll(30.0)
        sender.close()


def test_a_killed_node_surfaces_and_its_mirror_has_everything(other_run, queue_case, closing):
    target = RabbitMQMirroredPair(other_run.access)
    target.establish()
    case = queue_case(TARGET, queues=1, consume="push")
    (queue,) = target.prepare(case, attempt=1).queues
    client = closing(target.client(case.workload))
    on_first, receiver_on_second = client.sender(queue), client.receiver(queue)
    on_first.submit(range(50), [b"%016d" % number for number in range(50)])
    confirmed = set()
    while len(confirmed) < 50:
        answers = on_first.poll(PATIENCE_S)
        assert set(answers.outcome) == {Outcome.CONFIRMED}
        confirmed |= set(answers.sequence)
    other_run.signal(FIRST, signal.SIGKILL)
    with pytest.raises(ConnectionLost):
        _keep_sending(on_first)
    received: set[bytes] = set()
    assert eventually(lambda: len(received) >= 50 or _receive(receiver_on_second, received))
    assert {b"%016d" % number for number in confirmed} <= received
    assert target.mirrors((queue,)) == {queue: 0}, "read from the broker as it is now"
    client.sender(queue).close()  # the turn of the node that is left
    with pytest.raises(ConnectionLost, match=str(other_run.access.nodes[0].amqp_port)):
        client.sender(queue)


def test_a_killed_run_leaves_no_broker(other_run):
    """The last of the other run: its process is killed, and so are one node and the port mapper with it."""
    assert processes_of(other_run.workdir)
    other_run.process.kill()
    other_run.process.wait()
    assert eventually(lambda: not processes_of(other_run.workdir))
    assert eventually(lambda: not list(other_run.workdir.iterdir()))


def test_a_node_that_ends_is_reported_with_its_last_words(children, tmp_path, monkeypatch):
    script = tmp_path / "rabbitmq-server"
    script.write_text("#!/bin/sh\necho no such luck\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr(broker_releases, "SERVER", script)
    cluster = BrokerCluster(children, tmp_path / "work", CREDENTIALS)
    with pytest.raises(
        BreakevenError, match=r"node rabbit\d@localhost ended while it was starting:\nno such luck"
    ):
        cluster.start()
    assert list((tmp_path / "work").iterdir()) == []
    assert not processes_of(tmp_path / "work")


@pytest.mark.installed
def test_a_node_that_finds_no_port_mapper_starts_none(children, tmp_path):
    """As it does once a minute; one that it started would be nobody's, and outlive the run."""
    looked = tmp_path / "looked"
    with some_nodes(children, tmp_path / "nodes", CREDENTIALS, 1) as cluster:
        look = f'rabbit_nodes_common:ensure_epmd(), file:write_file("{looked}", <<>>)'
        gone = 'gen_tcp:connect({127,0,0,1}, list_to_integer(os:getenv("ERL_EPMD_PORT")), [])'
        again = "gen_tcp:close(At), timer:sleep(50), Wait()"
        wait = f"fun Wait() -> case {gone} of {{ok, At}} -> {again}; _ -> {look} end end"
        cluster.evaluate(FIRST, f"spawn({wait}), ok.", within_s=60)
        os.kill(process_ids(cluster)["epmd"], signal.SIGKILL)
        assert eventually(looked.exists)
        assert [said for said in processes_of(tmp_path) if "epmd" in said.split(" ")[0]] == []


def test_where_rabbitmq_is_not_installed_the_remedy_is_reported(children, tmp_path, monkeypatch):
    monkeypatch.setattr(broker_releases, "SERVER", tmp_path / "none")
    with pytest.raises(BreakevenError, match="apt-get install rabbitmq-server"):
        BrokerCluster(children, tmp_path / "work", CREDENTIALS).start()


def test_a_lane_that_cannot_start_says_so_for_each_instance(children, tmp_path, monkeypatch):
    monkeypatch.setattr(broker_releases, "SERVER", tmp_path / "none")
    failures = {}
    machines = BrokerMachines(
        children,
        tmp_path / "work",
        register=lambda *args: None,
        access_for=lambda run, target: CREDENTIALS,
        failed=lambda run, target, instance, reason: failures.update({(run, target, instance): reason}),
    )
    machines.launch(Launch(("i-1", "i-2"), {RUN_TAG: "run", TARGET_TAG: TARGET}))
    assert eventually(lambda: len(failures) == 2)
    assert set(failures) == {("run", TARGET, "i-1"), ("run", TARGET, "i-2")}
    assert all("not installed" in reason for reason in failures.values())


def test_a_lane_that_is_terminated_while_it_starts_leaves_nothing(children, tmp_path):
    reported = []
    machines = BrokerMachines(
        children,
        tmp_path / "work",
        register=lambda *args: reported.append(args),
        access_for=lambda run, target: CREDENTIALS,
        failed=lambda *args: reported.append(args),
    )
    machines.launch(Launch(("i-1", "i-2"), {RUN_TAG: "run", TARGET_TAG: TARGET}))
    assert eventually(lambda: any("beam" in line for line in processes_of(tmp_path / "work")))
    machines.terminate(("i-1", "i-2"))
    assert eventually(lambda: not processes_of(tmp_path / "work"))
    assert eventually(lambda: not list((tmp_path / "work").iterdir()))
    time.sleep(0.3)
    assert reported == [], "ending a lane is nobody's failure"


def _keep_sending(sender) -> None:
    for number in range(1000, 2000):
        sender.submit([number], [b"%016d" % number])
        sender.poll(1.0)


def _receive(receiver, received: set[bytes]) -> bool:
    got = receiver.receive(1.0)
    received.update(got.stamp)
    receiver.settle(got.handle)
    return len(received) >= 50


def _group(pid: int) -> int | None:
    with suppress(OSError):
        return os.getpgid(pid)
    return None


def _listening() -> dict[str, str]:
    """Inode -> address of every listening socket, as the kernel writes it: 0100007F:1A2B."""
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    fields = [line.split() for table in tables for line in table]
    return {found[9]: found[1] for found in fields if found[3] == "0A"}


def _socket_inodes(pid: int) -> list[str]:
    inodes = []
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                inodes.append(os.readlink(link).removeprefix("socket:[").removesuffix("]"))
    return inodes
