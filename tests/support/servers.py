"""Real servers for the whole session, started when a test first asks for one.

* ``rabbitmq_pair``: Access with two nodes, a cluster of our own
* ``rabbitmq_trio``, ``rabbitmq_two``, ``rabbitmq_node``: clusters whose nodes tests may stop and kill
* ``sqs_endpoint``: URL of a running SQS server (ElasticMQ where there is Java)
* ``sqs_environment``: for one test, the environment that points boto3 to it
* ``closing``: a client that it is given is closed when the test ends
* ``queue_case``: makes a Case of a target with some of the workload's fields given

Tests leave each as they found it. Files of tests that share one are run one after the other: see
``tests/support/workers.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.clients.base import Client
from breakeven.installation import RUN_TAG, TARGET_TAG
from breakeven.targets.catalog import PAIR, TRIO
from breakeven.workload.case import Case
from local.aws.ec2 import Launch
from local.children import Children
from local.servers.broker_machines import BrokerMachines
from local.servers.brokers import BrokerCluster
from local.servers.sqs_server import SqsServer
from tests.support.canaries import arguments
from tests.support.cases import case_with, workload_with
from tests.support.loaders.real_nodes import some_nodes
from tests.support.workflow.processes import eventually, processes_of

INSTANCES = ("i-1", "i-2")
CREDENTIALS = Access(username="breakeven-test", password="-not_a-guess~1")
C = TypeVar("C", bound=Client)


@pytest.fixture(scope="session")
def children() -> Iterator[Children]:
    """Everything that the session starts."""
    with Children() as started:
        yield started


@pytest.fixture(scope="session")
def pair_arguments() -> set[bytes]:
    """What processes were called with while the pair was started, once it was."""
    return set()


@pytest.fixture(scope="session")
def rabbitmq_pair(
    children: Children, tmp_path_factory: pytest.TempPathFactory, pair_arguments: set[bytes]
) -> Iterator[Access]:
    """Two clustered nodes, started as a lane of the workflow has them started; nothing of them is left."""
    workdir = tmp_path_factory.mktemp("brokers")
    nodes: dict[str, Node] = {}
    failures: list[str] = []
    machines = BrokerMachines(
        children,
        workdir,
        register=lambda run, target, instance, node: nodes.update({f"{run}/{target}/{instance}": node}),
        access_for=lambda run, target: CREDENTIALS,
        failed=lambda run, target, instance, reason: failures.append(reason),
    )
    with arguments() as seen:
        machines.launch(Launch(INSTANCES, {RUN_TAG: "run", TARGET_TAG: "target"}))
        assert eventually(lambda: len(nodes) == len(INSTANCES) or failures, seconds=300)
    pair_arguments |= seen
    assert not failures
    assert sorted(nodes) == ["run/target/i-1", "run/target/i-2"]
    yield CREDENTIALS.model_copy(update={"nodes": tuple(nodes[name] for name in sorted(nodes))})
    assert processes_of(workdir), "the helper that looks for processes finds them while they run"
    machines.terminate(INSTANCES)
    machines.terminate(INSTANCES)
    assert eventually(lambda: not processes_of(workdir)), processes_of(workdir)
    assert list(workdir.iterdir()) == []


@pytest.fixture(scope="session")
def rabbitmq_trio(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerCluster]:
    with some_nodes(children, tmp_path_factory.mktemp("trio"), CREDENTIALS, 3, TRIO) as nodes:
        yield nodes


@pytest.fixture(scope="session")
def rabbitmq_two(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerCluster]:
    with some_nodes(children, tmp_path_factory.mktemp("two"), CREDENTIALS, 2, PAIR) as nodes:
        yield nodes


@pytest.fixture(scope="session")
def rabbitmq_node(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerCluster]:
    with some_nodes(children, tmp_path_factory.mktemp("node"), CREDENTIALS, 1) as node:
        yield node


@pytest.fixture(scope="session")
def sqs_server(children: Children, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqsServer]:
    workdir = tmp_path_factory.mktemp("sqs")
    # other tests of this machine must not hold it up: what it answers late is not there when a fault is due
    server = SqsServer(children, workdir, niceness=0)
    server.start()
    yield server
    server.stop()
    assert eventually(lambda: not processes_of(workdir)), processes_of(workdir)
    assert list(workdir.iterdir()) == []


@pytest.fixture(scope="session")
def sqs_endpoint(sqs_server: SqsServer) -> str:
    return sqs_server.endpoint


@pytest.fixture
def sqs_environment(sqs_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", sqs_endpoint)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    return sqs_endpoint


@pytest.fixture
def closing() -> Iterator[Callable[[C], C]]:
    """``closing(client)``: the client, which is closed when the test ends, also where it fails: one that a
    failed test left open would be in the broker's lists for as long as the session takes.
    """
    with ExitStack() as clients:

        def given(client: C) -> C:
            clients.callback(client.close)
            return client

        yield given


@pytest.fixture(scope="session")
def queue_case() -> Callable[..., Case]:
    """``queue_case(target, **fields of the workload)``: a case like no other, so its queues are its own."""
    numbers = itertools.count()

    def make(target: Any, **fields: Any) -> Case:
        client = "boto3" if target == "sqs-standard" else "pika"
        workload = workload_with(**{"drain_s": 10, "client": client, **fields})
        return case_with(workload, case_id=f"case-{next(numbers)}", target=target)

    return make
