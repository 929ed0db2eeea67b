"""The servers that stand for SQS: started for real."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import boto3
import pytest

from breakeven.errors import BreakevenError
from local.ports import free_ports
from local.servers import sqs_server
from local.servers.sqs_server import SqsServer
from tests.support.workflow.processes import eventually, processes_of


def test_it_is_elasticmq_where_there_is_java(sqs_server, sqs_environment):
    assert sqs_server.name.startswith("ElasticMQ 1.")
    assert not sqs_server.is_fallback
    made = boto3.client("sqs").create_queue(QueueName="named")["QueueUrl"]
    assert made == f"{sqs_server.endpoint}/123456789012/named"
    boto3.client("sqs").delete_queue(QueueUrl=made)


def test_it_is_warmed_up_on_a_queue_that_is_gone_after_it(children, tmp_path, sqs_environment, sqs_server):
    before = boto3.client("sqs").list_queues().get("QueueUrls", [])
    sqs_server.warm_up(3)
    assert boto3.client("sqs").list_queues().get("QueueUrls", []) == before
    gone = SqsServer(children, tmp_path / "work")
    gone.endpoint = f"http://127.0.0.1:{free_ports(1)[0]}"
    gone.warm_up(1)  # a server that has ended meanwhile is the cases' to find


def test_it_listens_to_nobody_but_this_machine(sqs_server):
    port = sqs_server.endpoint.rpartition(":")[2]
    listening = [line.split()[1] for table in ("tcp", "tcp6") for line in _table(table)]
    addresses = {address.rpartition(":")[0] for address in listening if int(address[-4:], 16) == int(port)}
    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert addresses


def test_where_there_is_no_java_it_is_motos_and_says_so(children, tmp_path, monkeypatch):
    monkeypatch.setattr(sqs_server.shutil, "which", lambda program: None)
    server = SqsServer(children, tmp_path / "work")
    assert server.is_fallback
    assert server.name == f"moto {version('moto')} (fallback: no Java runtime)"
    endpoint = server.start()
    sqs = boto3.client(
        "sqs",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
    )
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="hello")
    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "hello"
    server.stop()
    server.stop()
    assert eventually(lambda: not processes_of(tmp_path))
    assert list((tmp_path / "work").iterdir()) == []


def test_a_server_that_ends_is_reported_with_its_last_words(children, tmp_path):
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / "elasticmq-server_2.13-9.9.9.jar").write_bytes(b"not a jar")
    server = SqsServer(children, tmp_path / "work", jars=jars)
    assert server.name == "ElasticMQ 9.9.9"
    with pytest.raises(
        BreakevenError, match=r"ElasticMQ 9.9.9 ended while it was starting:\n.*ClassNotFound|Could not"
    ):
        server.start()
    assert list((tmp_path / "work").iterdir()) == []


def _table(name: str) -> list[str]:
    """The kernel's listening sockets, in the form '  0: <address>:<port> ...'."""
    lines = Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[3] == "0A"]
