"""What a request to the simulated AWS asks for: who makes it, which operation, and what that needs.

Read off the requests themselves, in front of the simulation: a client that signs its own calls is seen, too.
What calls need follows the Service Authorization Reference; of EC2, S3 and Lambda see the modules beside
this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qs

from moto.athena.models import athena_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ecs.models import ecs_backends

from local.aws.strict.requests import ec2_calls, rest_calls
from local.aws.strict.requests.needed import (
    HERE,
    Found,
    Needed,
    Parameters,
    Place,
    UnreadableCallError,
    passes_role,
)
from local.aws.strict.requests.policies import Call

#: operations that need another action than their own
ACTIONS = {"sqs:SendMessageBatch": "sqs:SendMessage", "sqs:DeleteMessageBatch": "sqs:DeleteMessage"}
CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/")


class Signature(NamedTuple):
    """``key``: the access key; ``service``: the signing name; ``region``: that it is signed for."""

    key: str
    service: str
    region: str


class Signed(Protocol):
    """A request; see ``local.aws.strict.front.Request``."""

    environ: dict[str, Any]
    body: bytes

    @property
    def signature(self) -> Signature | None: ...

    @property
    def parameters(self) -> Parameters: ...


def signature(environ: Mapping[str, Any]) -> Signature | None:
    """As the request has it; None where nobody has signed it."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return Signature(signed[1], signed[3], signed[2]) if signed else None


def operation(request: Signed) -> str:
    """``service:Operation``, as the service's API reference calls it.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    if request.signature is None:
        raise UnreadableCallError("nobody has signed it")
    service, place = request.signature.service, Place(request.signature.region)
    if service in REST:
        return f"{service}:{REST[service](request.environ, place)[0]}"
    if target := request.environ.get("HTTP_X_AMZ_TARGET"):
        return f"{service}:{target.rpartition('.')[2]}"
    action = parse_qs(request.body.decode()).get("Action")
    if action is None:
        raise UnreadableCallError(f"{service} {request.environ['PATH_INFO']}: {HERE}")
    return f"{service}:{action[0]}"


def read(request: Signed) -> Iterator[Call]:
    """The request as calls; none where nobody has signed it.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    if request.signature is None:
        return
    caller, service, region = request.signature
    if service in REST:
        found: Iterator[Needed] = iter(REST[service](request.environ, Place(region))[1])
    else:
        found = _needed(operation(request), request.parameters, Place(region))
    for each in found:
        yield Call(caller, each.action, each.resource, each.context)


#: services whose operations are methods and paths
REST: dict[str, Callable[[dict[str, Any], Place], rest_calls.Read]] = {
    "lambda": rest_calls.lambda_,
    "s3": rest_calls.s3,
}


def _needed(operation: str, given: Parameters, place: Place) -> Found:
    service, _, name = operation.partition(":")
    action = ACTIONS.get(operation, operation)
    if service == "ec2":
        yield from ec2_calls.needed(name, given, place)
    elif service == "ecs":
        yield from _ecs(name, given, place)
    elif operation in NAMELESS:
        yield Needed(action, "*")
    elif service in NAMED:
        yield Needed(action, NAMED[service](given, place))
        yield from (Needed(*each) for each in _beside(operation, given, place))
    else:
        raise UnreadableCallError(f"{operation}: {HERE}")


def _beside(operation: str, given: Parameters, place: Place) -> Iterator[tuple[str, str]]:
    """What a call needs beside its own action."""
    if operation == "sqs:CreateQueue" and (given.get("tags") or given.get("Tag.1.Key")):
        # Amazon SQS API Reference, CreateQueue: tags take the permission sqs:TagQueue as well
        yield "sqs:TagQueue", _queue(given, place)
    if operation == "athena:GetQueryResults":
        # Amazon Athena API Reference, GetQueryResults: takes access to where the answer is, in S3
        location = _query(given, place).config["OutputLocation"]
        yield "s3:GetObject", f"arn:aws:s3:::{location.removeprefix('s3://')}"
    if operation == "athena:StartQueryExecution":
        yield from _as_who_asks(given, place)


def _as_who_asks(given: Parameters, place: Place) -> Iterator[tuple[str, str]]:
    """What Athena does as whoever starts a query; which tables and rows it reads is not looked for here. What
    is denied is denied to the call: Athena would start a query that fails.

    Amazon Athena User Guide, "Configure access to databases and tables in the AWS Glue Data Catalog" (the
    default database, whichever one is asked for) and "Control access to Amazon S3 from Athena"; AWS Step
    Functions Developer Guide, "IAM policies for calling Amazon Athena" (the catalogue).
    """
    context = given.get("QueryExecutionContext", {})
    catalogue = context.get("Catalog", "AwsDataCatalog")
    yield "athena:GetDataCatalog", place.arn("athena", f"datacatalog/{catalogue}")
    databases = dict.fromkeys(("default", context.get("Database", "default")))
    for name in ("catalog", *(f"database/{database}" for database in databases)):
        yield "glue:GetDatabase", place.arn("glue", name)
    groups = athena_backends[DEFAULT_ACCOUNT_ID][place.region].work_groups
    group = groups.get(given.get("WorkGroup", "primary"))  # Athena itself tells of one that is not there
    result = (group.configuration or {}).get("ResultConfiguration", {}) if group else {}
    if location := result.get("OutputLocation"):
        bucket, _, prefix = str(location).removeprefix("s3://").partition("/")
        for action in ("s3:GetBucketLocation", "s3:ListBucket"):
            yield action, f"arn:aws:s3:::{bucket}"
        yield "s3:PutObject", f"arn:aws:s3:::{bucket}/{prefix}answer.csv"


def _query(given: Parameters, place: Place) -> Any:
    return athena_backends[DEFAULT_ACCOUNT_ID][place.region].executions[given["QueryExecutionId"]]


def _workgroup(given: Parameters, place: Place) -> str:
    name = given.get("WorkGroup") or _query(given, place).workgroup.name
    return place.arn("athena", f"workgroup/{name}")


def _queue(given: Parameters, place: Place) -> str:
    return place.arn("sqs", given.get("QueueName") or given["QueueUrl"].rpartition("/")[2])


def _project(given: Parameters, place: Place) -> str:
    """A build's id begins with its project's name."""
    name = str(given.get("projectName") or given.get("id") or given["ids"][0]).partition(":")[0]
    return place.arn("codebuild", f"project/{name}")


def _quota(given: Parameters, place: Place) -> str:
    return place.arn("servicequotas", f"{given['ServiceCode']}/{given['QuotaCode']}")


#: what AWS knows no resource of
NAMELESS = {"freetier:GetAccountPlanState", "pricing:GetProducts", "sqs:ListQueues"}
#: service -> the ARN of what a call is about
NAMED: dict[str, Callable[[Parameters, Place], str]] = {
    "athena": _workgroup,
    "codebuild": _project,
    "dynamodb": lambda given, place: place.arn("dynamodb", f"table/{given['TableName']}"),
    "ecr": lambda given, place: place.arn("ecr", f"repository/{given.get('repositoryName', '*')}"),
    "servicequotas": _quota,
    "sns": lambda given, _: given["TopicArn"],
    "sqs": _queue,
    "states": lambda given, _: given.get("executionArn") or given.get("stateMachineArn") or "*",
}


def _ecs(operation: str, given: Parameters, place: Place) -> Found:
    """What calls of ECS need.

    Source: Amazon ECS Developer Guide, "Grant permission to tag resources on creation" and "IAM roles".
    """
    action = f"ecs:{operation}"
    if "cluster" not in given:
        yield Needed(action, str(given.get("taskDefinition", "*")))
        return
    cluster = str(given["cluster"]).rpartition("/")[2]
    within = (("ecs:cluster", place.arn("ecs", f"cluster/{cluster}")),)
    if operation == "RunTask":
        yield from _start(given, place, cluster, within)
    elif operation == "ListTasks":
        yield Needed(action, "*", within)
    else:
        for task in given.get("tasks") or [given["task"]]:
            arn = task if str(task).startswith("arn:") else place.arn("ecs", f"task/{cluster}/{task}")
            yield Needed(action, arn, within)


def _start(given: Parameters, place: Place, cluster: str, within: tuple[tuple[str, str], ...]) -> Found:
    backend = ecs_backends[DEFAULT_ACCOUNT_ID][place.region]
    definition = backend.describe_task_definition(given["taskDefinition"])
    yield Needed("ecs:RunTask", str(definition.arn), within)
    if given.get("tags") or given.get("propagateTags"):
        made = place.arn("ecs", f"task/{cluster}/*")
        yield Needed("ecs:TagResource", made, (("ecs:CreateAction", "RunTask"), *within))
    for role in (definition.task_role_arn, definition.execution_role_arn):
        if role:
            yield passes_role(str(role), "ecs-tasks.amazonaws.com")
