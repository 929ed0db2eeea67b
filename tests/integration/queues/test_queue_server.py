"""SQS behind the front, with a server that stands for it: calls are held to roles, and handed on."""

from __future__ import annotations

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws.strict import front
from local.aws.strict.permissions.authorization import Authorization
from local.aws.strict.queue_server import QueueServer
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server
from tests.unit.local.strict.test_strict_queue_server import ROLES


@pytest.fixture(scope="module")
def moto():
    with moto_server() as made:
        yield made


def client(endpoint, role):
    keys = {"aws_access_key_id": role, "aws_secret_access_key": "x", "region_name": REGION}
    config = Config(retries={"total_max_attempts": 1}, proxies={})
    return boto3.client("sqs", endpoint_url=endpoint, config=config, **keys)


def test_calls_reach_the_server_if_the_role_allows_them(moto, sqs_endpoint):
    """The server is another process, which the front's own SQS knows nothing of."""
    layers = [Authorization(ROLES), QueueServer(sqs_endpoint, ROLES, REGION)]
    with Swaps() as swaps:
        front.install(swaps, layers)
        queue = client(sqs_endpoint, "local").create_queue(QueueName="be-front")["QueueUrl"]
        client(sqs_endpoint, "local").send_message(QueueUrl=queue, MessageBody="straight")
        at_front = moto.aws.endpoint
        names = ["ApproximateNumberOfMessages"]
        depth = client(at_front, "watch").get_queue_attributes(QueueUrl=queue, AttributeNames=names)
        assert depth["Attributes"] == {"ApproximateNumberOfMessages": "1"}
        with pytest.raises(ClientError, match="not authorized to perform: sqs:receivemessage"):
            client(at_front, "watch").receive_message(QueueUrl=queue)
        found = client(at_front, "loader").receive_message(QueueUrl=queue)
        assert [each["Body"] for each in found["Messages"]] == ["straight"]
        client(at_front, "local").delete_queue(QueueUrl=queue)
