"""SQS behind the front: calls are held to roles and handed on; loaders that may do all of it go straight."""

from __future__ import annotations

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import HTTPClientError

from local.aws.strict import front
from local.aws.strict.queue_server import LOADING, VARIABLE, QueueServer
from local.aws.strict.requests.policies import statements
from local.aws.swaps import Swaps
from local.ports import free_ports
from tests.support.aws.moto_server import REGION, moto_server
from tests.support.grants.enforced import GivenRoles

OURS, ALL = "arn:aws:sqs:us-east-1:123456789012:be-*", "arn:aws:sqs:us-east-1:123456789012:*"
DIRECT = "http://127.0.0.1:9324"
#: what roles hold
HELD = {
    "loader": [(list(LOADING), OURS)],
    "of-all": [(list(LOADING), ALL)],
    "prefixed": [(list(LOADING), OURS.replace("be-*", "team-be-*"))],
    "never-deletes": [(list(LOADING[:2]), OURS)],
    "one-queue": [(list(LOADING), OURS.replace("be-*", "be-1"))],
    "watch": [("sqs:GetQueueAttributes", OURS)],
}
ROLES = GivenRoles(
    {
        name: statements([{"Statement": [{"Effect": "Allow", "Action": a, "Resource": r} for a, r in held]}])
        for name, held in HELD.items()
    }
)


@pytest.mark.parametrize(
    ("role", "declared", "straight"),
    [
        ("loader", {}, True),
        ("of-all", {}, True),
        ("prefixed", {"BREAKEVEN_QUEUE_PREFIX": "team-"}, True),
        ("loader", {"BREAKEVEN_QUEUE_PREFIX": "team-"}, False),
        ("never-deletes", {}, False),
        ("one-queue", {}, False),
        ("watch", {}, False),
        ("local", {}, False),
    ],
)
def test_who_may_load_all_queues_of_the_installation_is_given_the_server_itself(role, declared, straight):
    server = QueueServer(DIRECT, ROLES, REGION)
    assert server.variables(role, declared) == ({VARIABLE: DIRECT} if straight else {})


@pytest.fixture(scope="module")
def moto():
    with moto_server() as made:
        yield made


def client(endpoint, role):
    keys = {"aws_access_key_id": role, "aws_secret_access_key": "x", "region_name": REGION}
    config = Config(retries={"total_max_attempts": 1}, proxies={})
    return boto3.client("sqs", endpoint_url=endpoint, config=config, **keys)


def test_a_server_that_does_not_answer_is_a_connection_that_closes(moto):
    with Swaps() as swaps:
        front.install(swaps, [QueueServer(f"http://127.0.0.1:{free_ports(1)[0]}", ROLES, REGION)])
        with pytest.raises(HTTPClientError, match="closed"):
            client(moto.aws.endpoint, "local").list_queues()
