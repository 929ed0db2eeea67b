"""Queues that an interrupted run leaves on servers that are not its own."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from breakeven.brokers.access import Access
from breakeven.errors import CaseError
from local.servers import left_queues
from local.servers.left_queues import delete_left_queues

TRIO, PAIR, SQS = "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair", "sqs-standard"
ACCESS, ADDRESS = Access(username="u", password="p"), "http://127.0.0.1:9324"


def of_case(target: str, *queues: str, **fields: Any) -> dict[str, Any]:
    return {"target": target, "queues": json.dumps(queues), "released": False, **fields}


ITEMS = {
    "run": {"status": "interrupted"},
    f"lane#{TRIO}": {"status": "ready"},
    "case#never-begun": {"target": TRIO, "status": "failed"},
    "case#ended": of_case(TRIO, "be-1-a1-q0", released=True),
    "case#under-way": of_case(TRIO, "be-2-a1-q0", "be-2-a1-q1"),
    "case#other": of_case(PAIR, "be-3-a2-q0"),
    "case#sqs": of_case(SQS, "http://x/be-4-a1-q0", "http://x/be-4-a1-q1"),
    "case#sqs-ended": of_case(SQS, "http://x/be-5-a1-q0", released=True),
}


@pytest.fixture
def deleted(monkeypatch):
    """Target or server -> the queues that were deleted there."""
    found: dict[str, list[str]] = {}

    def opened(target, access):
        assert access is ACCESS
        return SimpleNamespace(release=lambda queues: found.setdefault(target, []).extend(queues))

    def client(url):
        return SimpleNamespace(delete_queue=lambda QueueUrl: found.setdefault(url, []).append(QueueUrl))

    monkeypatch.setattr(left_queues, "open_target", opened)
    monkeypatch.setattr(left_queues, "client_of", client)
    return found


def test_of_given_nodes_those_of_cases_that_had_not_ended_go(deleted):
    delete_left_queues(ITEMS, ACCESS, None)
    assert deleted == {TRIO: ["be-2-a1-q0", "be-2-a1-q1"], PAIR: ["be-3-a2-q0"]}


def test_of_a_given_sqs_server_the_same(deleted):
    delete_left_queues(ITEMS, None, ADDRESS)
    assert deleted == {ADDRESS: ["http://x/be-4-a1-q0", "http://x/be-4-a1-q1"]}


def test_servers_of_the_runs_own_go_with_their_queues(deleted):
    delete_left_queues(ITEMS, None, None)
    assert deleted == {}


def test_a_server_that_is_gone_is_nothing_to_stop_for(monkeypatch):
    def refuse(*_, **__):
        raise CaseError("no node answers")

    def unanswered(**_):
        raise EndpointConnectionError(endpoint_url=ADDRESS)

    monkeypatch.setattr(left_queues, "open_target", refuse)
    monkeypatch.setattr(left_queues, "client_of", lambda _: SimpleNamespace(delete_queue=unanswered))
    delete_left_queues(ITEMS, ACCESS, None)
    delete_left_queues(ITEMS, None, ADDRESS)
