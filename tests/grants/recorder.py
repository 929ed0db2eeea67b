"""What calls reach the simulated AWS: who made them, for what, and on what, as IAM names it.

Read off the requests themselves, in front of the simulation: a client that signs its own calls is seen, too.
"""

from __future__ import annotations

import io
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, unquote

from moto.athena.models import athena_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.server import DomainDispatcherApplication

from local.swaps import Swaps
from tests.grants.policies import Call

REGION = "us-east-1"
#: JSON protocols: what goes before the operation in the target's header -> the actions' service
TARGETS = {
    "AmazonAthena": "athena",
    "AmazonEC2ContainerRegistry_V20150921": "ecr",
    "AmazonEC2ContainerServiceV20141113": "ecs",
    "AmazonSQS": "sqs",
    "AWSPriceListService": "pricing",
    "AWSStepFunctions": "states",
    "CodeBuild_20161006": "codebuild",
    "DynamoDB_20120810": "dynamodb",
    "ServiceQuotasV20190624": "servicequotas",
}
#: operations that need another action than their own
ACTIONS = {"sqs:SendMessageBatch": "sqs:SendMessage", "sqs:DeleteMessageBatch": "sqs:DeleteMessage"}
CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/[^/]+/([^/]+)/")


class UnreadableCallError(Exception):
    """A request of a kind that is not told here."""


@contextmanager
def recorded() -> Iterator[set[Call]]:
    """The calls that are made until it is left; requests that cannot be read raise where it is left."""
    calls: set[Call] = set()
    unreadable: list[Exception] = []
    lock = threading.Lock()

    def serve(self: Any, environ: dict[str, Any], start_response: Any) -> Any:
        try:
            found = list(read(environ))
        except Exception as error:
            unreadable.append(error)
            found = []
        with lock:
            calls.update(found)
        return original(self, environ, start_response)

    with Swaps() as swaps:
        original = swaps.attribute(DomainDispatcherApplication, "__call__", serve)
        yield calls
    if unreadable:
        raise ExceptionGroup("requests that cannot be read", unreadable[:10])


def read(environ: dict[str, Any]) -> Iterator[Call]:
    """The request as calls; none where nobody has signed it. Its body is there to be read again."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    if not signed:
        return
    caller, service = signed.groups()
    if service == "s3":
        yield from (Call(caller, action, on) for action, on in _s3(environ))
    elif service == "lambda":
        yield from _lambda(caller, environ)
    else:
        action, given = _operation(service, environ)
        for resource, context in _resources(action, given):
            yield Call(caller, ACTIONS.get(action, action), resource, context)


def _body(environ: dict[str, Any]) -> bytes:
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def _operation(service: str, environ: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """``service:Operation`` and its parameters."""
    body = _body(environ).decode()
    if target := environ.get("HTTP_X_AMZ_TARGET"):
        prefix, _, operation = target.rpartition(".")
        return f"{TARGETS[prefix]}:{operation}", json.loads(body or "{}")
    given = dict(parse_qsl(body))
    return f"{service}:{given['Action']}", given


def _s3(environ: dict[str, Any]) -> Iterator[tuple[str, str]]:
    bucket, _, key = unquote(environ["PATH_INFO"]).lstrip("/").partition("/")
    arn, method = f"arn:aws:s3:::{bucket}", environ["REQUEST_METHOD"]
    if not key:
        reads = {"GET": "s3:ListBucket", "HEAD": "s3:ListBucket", "PUT": "s3:CreateBucket"}
        yield reads[method], arn
        return
    if source := environ.get("HTTP_X_AMZ_COPY_SOURCE"):
        yield "s3:GetObject", f"arn:aws:s3:::{unquote(source).lstrip('/')}"
    actions = {
        "GET": "s3:GetObject",
        "HEAD": "s3:GetObject",
        "PUT": "s3:PutObject",
        "DELETE": "s3:DeleteObject",
    }
    yield actions[method], f"{arn}/{key}"


def _lambda(caller: str, environ: dict[str, Any]) -> Iterator[Call]:
    if found := re.fullmatch(r"/2015-03-31/functions/(.+)/invocations", unquote(environ["PATH_INFO"])):
        yield Call(caller, "lambda:InvokeFunction", found[1])
    elif found := re.fullmatch(r"/2015-03-31/functions/(.+)/configuration", unquote(environ["PATH_INFO"])):
        yield Call(caller, "lambda:GetFunctionConfiguration", _arn("lambda", f"function:{found[1]}"))
    elif unquote(environ["PATH_INFO"]) == "/2016-08-19/account-settings":
        yield Call(caller, "lambda:GetAccountSettings", "*")


Found = Iterator[tuple[str, tuple[tuple[str, str], ...]]]


def _resources(action: str, given: Mapping[str, Any]) -> Found:
    """Each resource that the call is about, with the condition keys that AWS would know of it."""
    service, _, operation = action.partition(":")
    if service == "ec2":
        yield from _ec2(operation, given)
    elif service == "ecs":
        yield from _ecs(operation, given)
    elif action in NAMELESS:
        yield "*", ()
    elif service in NAMED:
        yield NAMED[service](given), ()
    else:
        raise UnreadableCallError(f"{action}: say in tests/grants/recorder.py what it is about")


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{DEFAULT_ACCOUNT_ID}:{resource}"


def _workgroup(given: Mapping[str, Any]) -> str:
    if name := given.get("WorkGroup"):
        return _arn("athena", f"workgroup/{name}")
    execution = athena_backends[DEFAULT_ACCOUNT_ID][REGION].executions[given["QueryExecutionId"]]
    return _arn("athena", f"workgroup/{execution.workgroup.name}")


def _queue(given: Mapping[str, Any]) -> str:
    return _arn("sqs", given.get("QueueName") or given["QueueUrl"].rpartition("/")[2])


#: what AWS knows no resource of
NAMELESS = {"pricing:GetProducts", "sqs:ListQueues"}
#: service -> the ARN of what a call is about
NAMED: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "athena": _workgroup,
    "codebuild": lambda given: _arn("codebuild", f"project/{_project(given)}"),
    "dynamodb": lambda given: _arn("dynamodb", f"table/{given['TableName']}"),
    "ecr": lambda given: _arn("ecr", f"repository/{given.get('repositoryName', '*')}"),
    "servicequotas": lambda given: _arn("servicequotas", f"{given['ServiceCode']}/{given['QuotaCode']}"),
    "sns": lambda given: given["TopicArn"],
    "sqs": _queue,
    "states": lambda given: given.get("executionArn") or given.get("stateMachineArn") or "*",
}
#: parameters of EC2 that name what a call is about -> the kind of it
IDS = {
    "InstanceId": "instance",
    "NetworkInterfaceId": "network-interface",
    "SecurityGroupId": "security-group",
    "SubnetId": "subnet",
    "VolumeId": "volume",
    "VpcEndpointId": "vpc-endpoint",
    "VpcId": "vpc",
}


def _ec2(operation: str, given: Mapping[str, Any]) -> Found:
    if operation.startswith("Describe"):
        yield "*", ()
    elif operation == "RunInstances":
        template = given.get("LaunchTemplate.LaunchTemplateId", "")
        of_template = (("ec2:LaunchTemplate", _arn("ec2", f"launch-template/{template}")),)
        for kind in ("instance", "network-interface", "volume"):
            yield _arn("ec2", f"{kind}/*"), of_template
    else:
        if operation == "CreateVpcEndpoint":
            yield _arn("ec2", "vpc-endpoint/*"), _asked_tags(given)
        named = [(IDS.get(key.partition(".")[0]), value) for key, value in given.items()]
        for kind, value in named:
            if kind:
                yield _arn("ec2", f"{kind}/{value}"), _tags(value)


def _asked_tags(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Of what is to be made."""
    keys = [key for key in given if key.startswith("TagSpecification.1.Tag.") and key.endswith(".Key")]
    return tuple((f"aws:RequestTag/{given[key]}", str(given[f"{key[:-3]}Value"])) for key in sorted(keys))


def _project(given: Mapping[str, Any]) -> str:
    """A build's id begins with its project's name."""
    return str(given.get("projectName") or given.get("id") or given["ids"][0]).partition(":")[0]


def _ecs(operation: str, given: Mapping[str, Any]) -> Found:
    if "cluster" not in given:
        yield str(given.get("taskDefinition", "*")), ()
        return
    cluster = str(given["cluster"]).rpartition("/")[2]
    within = (("ecs:cluster", _arn("ecs", f"cluster/{cluster}")),)
    if operation == "RunTask":
        yield str(given["taskDefinition"]), within
    elif operation == "ListTasks":
        yield "*", within
    else:
        for task in given.get("tasks") or [given["task"]]:
            yield str(task), within


def _tags(resource: str) -> tuple[tuple[str, str], ...]:
    found = ec2_backends[DEFAULT_ACCOUNT_ID][REGION].tags.get(resource, {})
    return tuple(sorted((f"aws:ResourceTag/{key}", value) for key, value in found.items()))
