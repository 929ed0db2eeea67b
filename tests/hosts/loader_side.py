"""What is seen from the loaders' part of the network: a program that reads a question and prints the answer.

It runs where its host is, with this checkout's own clients and checks.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from breakeven.brokers.access import Access
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import SoleLoader
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.reconciliation import account
from breakeven.targets.catalog import TRIO
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_cluster import CLUSTER_PARAMETER
from breakeven.targets.rabbitmq.rabbitmq_health import cluster_problem, listener_problem
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.targets.target import open_target
from tests.support.cases import case_with, workload_with

SOON_S = 2.0
#: service -> a call that asks for nothing that must be there
CALLS = {
    "s3": "list_buckets",
    "dynamodb": "list_tables",
    "sqs": "list_queues",
    "sts": "get_caller_identity",
}


def opens(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), SOON_S).close()
    except OSError:
        return False
    return True


def calls(service: str, region: str) -> bool:
    """Whether the service answers, by its own name and over TLS."""
    once = Config(connect_timeout=SOON_S, read_timeout=30, retries={"total_max_attempts": 1})
    client = boto3.client(service, region_name=region, config=once)
    try:
        getattr(client, CALLS[service])()
    except ClientError:
        return True
    except BotoCoreError:
        return False
    return True


def cluster(access: Access, size: int) -> dict[str, Any]:
    management = Management(access)
    return {
        "problem": cluster_problem(access, size) or listener_problem(access),
        "version": management.overview()["rabbitmq_version"],
        "note": management.global_parameter(CLUSTER_PARAMETER),
    }


def mirrors(access: Access) -> str | None:
    target = RabbitMQMirroredPair(access)
    target.establish()
    return target.problem()


def publish(access: Access, queue: str, count: int, kind: str, size: int = 9) -> int:
    """Durable messages with confirms into a queue of that kind, which is made; how many were confirmed.

    :param size: of each, bytes
    """
    with open_channel(access, access.nodes) as channel:
        channel.queue_declare(queue, durable=True, arguments={"x-queue-type": kind})
        channel.confirm_delivery()
        for _ in range(count):
            channel.basic_publish("", queue, b"m" * size, mandatory=True)
    return count


def consume(access: Access, queue: str) -> int:
    """How many messages are got, each acknowledged."""
    got = 0
    with open_channel(access, access.nodes) as channel:
        while channel.basic_get(queue, auto_ack=True)[0] is not None:
            got += 1
    return got


def lacking(access: Access) -> str | None:
    """What the trio lacks: a node, or a queue's member that is in sync."""
    return open_target(TRIO, access).lacking()


def loaded(access: Access, measure_s: float, rate: float) -> dict[str, Any]:
    """The ledger of a case of that length and rate (msg/s), with confirms, on two queues of the trio."""
    target = open_target(TRIO, access)
    target.establish()
    load = {
        "producers": 2,
        "consumers": 2,
        "queues": 2,
        "rate": rate,
        "warmup_s": 1,
        "measure_s": measure_s,
        "drain_s": 120,
    }
    workload = workload_with(client="native", consume="push", prefetch=50, window=50, group_size=3, **load)
    case = case_with(workload, case_id="rolled", target=TRIO, limit_s=900.0)
    queues = target.prepare(case, attempt=1).queues
    client = target.client(case.workload)
    result = run_loader(Assignment(case, 1, 0, queues), client, SoleLoader(), lambda _: None)
    client.close()
    ledger = account([result], QueueCount(target.depth(queues)))
    target.release(queues)
    counts = {name: getattr(ledger, name) for name in ("confirmed", "lost", "left", "complete")}
    return {**counts, "measured_until_s": result.stages["drain"]}


def answer(question: dict[str, Any]) -> Any:
    what, given = question.pop("what"), question
    if "access" in given:
        given["access"] = Access.model_validate(given["access"])
    known = {
        each.__name__: each for each in (opens, calls, cluster, mirrors, publish, consume, lacking, loaded)
    }
    return known[what](**given)


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))))
