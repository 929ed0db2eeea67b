"""What a request to the simulated AWS asks for: who makes it, which operation, and what IAM calls that.

Read off the requests themselves, in front of the simulation: a client that signs its own calls is seen, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qs, parse_qsl, unquote

from moto.athena.models import athena_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends

from local.strict.policies import Call

REGION = "us-east-1"
#: JSON protocols: what goes before the operation in the target's header -> the actions' service
TARGETS = {
    "AmazonAthena": "athena",
    "AmazonEC2ContainerRegistry_V20150921": "ecr",
    "AmazonEC2ContainerServiceV20141113": "ecs",
    "AmazonSQS": "sqs",
    "AWSFreeTierService": "freetier",
    "AWSPriceListService": "pricing",
    "AWSStepFunctions": "states",
    "CodeBuild_20161006": "codebuild",
    "DynamoDB_20120810": "dynamodb",
    "ServiceQuotasV20190624": "servicequotas",
}
#: operations that need another action than their own
ACTIONS = {"sqs:SendMessageBatch": "sqs:SendMessage", "sqs:DeleteMessageBatch": "sqs:DeleteMessage"}
#: what is asked of a bucket or an object by another name than its key: none of them is used
SUBRESOURCES = {"acl", "cors", "delete", "policy", "tagging", "uploadId", "uploads", "versioning", "versions"}
HERE = "say in local/strict/calls.py what it is about"
CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/[^/]+/([^/]+)/")


class UnreadableCallError(Exception):
    """A request of a kind that is not known here."""


class Signed(Protocol):
    """A request; see ``local.strict.front.Request``."""

    environ: dict[str, Any]
    body: bytes

    @property
    def signature(self) -> tuple[str, str] | None: ...


def signature(environ: Mapping[str, Any]) -> tuple[str, str] | None:
    """The access key and the service's signing name; None where nobody has signed the request."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return (signed[1], signed[2]) if signed else None


def operation(request: Signed) -> str:
    """``service:Operation``, as the service's API reference calls it.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    if request.signature is None:
        raise UnreadableCallError("nobody has signed it")
    service = request.signature[1]
    if service in REST:
        return f"{service}:{REST[service](request.environ)[0]}"
    return _operation(service, request)[0]


def read(request: Signed) -> Iterator[Call]:
    """The request as calls; none where nobody has signed it.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    if request.signature is None:
        return
    caller, service = request.signature
    if service in REST:
        for action, resource in REST[service](request.environ)[1]:
            yield Call(caller, action, resource)
        return
    action, given = _operation(service, request)
    for resource, context in _resources(action, given):
        yield Call(caller, ACTIONS.get(action, action), resource, context)


def _operation(service: str, request: Signed) -> tuple[str, dict[str, Any]]:
    """``service:Operation`` and its parameters."""
    body = request.body.decode()
    if target := request.environ.get("HTTP_X_AMZ_TARGET"):
        prefix, _, operation = target.rpartition(".")
        if prefix not in TARGETS:
            raise UnreadableCallError(f"{target}: {HERE}")
        return f"{TARGETS[prefix]}:{operation}", json.loads(body or "{}")
    given = dict(parse_qsl(body))
    if "Action" not in given:
        raise UnreadableCallError(f"{service} {request.environ['PATH_INFO']}: {HERE}")
    return f"{service}:{given['Action']}", given


def _s3(environ: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """The operation, and each action with what it is on."""
    bucket, _, key = unquote(environ["PATH_INFO"]).lstrip("/").partition("/")
    arn, method = f"arn:aws:s3:::{bucket}", environ["REQUEST_METHOD"]
    asked = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    source = environ.get("HTTP_X_AMZ_COPY_SOURCE")
    if set(asked) & SUBRESOURCES:
        raise UnreadableCallError(f"s3 {method} ?{environ['QUERY_STRING']}: {HERE}")
    of_bucket = {"GET": "ListObjectsV2", "HEAD": "HeadBucket", "PUT": "CreateBucket"}
    of_object = {"GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject", "DELETE": "DeleteObject"}
    known = of_object if key else of_bucket
    if not bucket or method not in known:
        raise UnreadableCallError(f"s3 {method} /{bucket}: {HERE}")
    name = known[method]
    if not key:
        return name, [("s3:CreateBucket" if name == "CreateBucket" else "s3:ListBucket", arn)]
    needed = [(f"s3:{name.replace('Head', 'Get')}", f"{arn}/{key}")]
    if source:
        name = "CopyObject"
        needed.insert(0, ("s3:GetObject", f"arn:aws:s3:::{unquote(source).lstrip('/')}"))
    return name, needed


def _lambda(environ: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    path = unquote(environ["PATH_INFO"])
    if found := re.fullmatch(r"/2015-03-31/functions/(.+)/invocations", path):
        return "Invoke", [("lambda:InvokeFunction", _function(found[1]))]
    found = re.fullmatch(r"/2015-03-31/functions/(.+)/configuration", path)
    if found and environ["REQUEST_METHOD"] == "GET":
        return "GetFunctionConfiguration", [("lambda:GetFunctionConfiguration", _function(found[1]))]
    if path == "/2016-08-19/account-settings":
        return "GetAccountSettings", [("lambda:GetAccountSettings", "*")]
    raise UnreadableCallError(f"lambda {environ['REQUEST_METHOD']} {path}: {HERE}")


def _function(name: str) -> str:
    """The ARN of a function that is called by its name, or by that."""
    return name if name.startswith("arn:") else _arn("lambda", f"function:{name}")


#: services whose operations are methods and paths: the operation, and each action with what it is on
REST: dict[str, Callable[[Mapping[str, Any]], tuple[str, list[tuple[str, str]]]]] = {
    "lambda": _lambda,
    "s3": _s3,
}


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
        raise UnreadableCallError(f"{action}: {HERE}")


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
NAMELESS = {"freetier:GetAccountPlanState", "pricing:GetProducts", "sqs:ListQueues"}
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
        for named_kind, value in named:
            if named_kind:
                yield _arn("ec2", f"{named_kind}/{value}"), _tags(value)


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
