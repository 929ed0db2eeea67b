"""Calls in requests to the simulated AWS: who makes one, which operation it is, and what that needs.

Read off the requests themselves, in front of the simulation: a client that signs its own calls is seen, too.
What calls need follows the Service Authorization Reference; of EC2, S3, Lambda and Amazon MQ see the modules
beside this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs

from moto.athena.models import athena_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ecs.models import ecs_backends

from local.aws.strict.requests import ec2_calls, mq_calls, rest_calls
from local.aws.strict.requests.needed import (
    HERE,
    Found,
    Parameters,
    Signature,
    UnreadableCallError,
)

#: operations that need another action than their own
ACTIONS = {
    "monitoring:GetMetricData": "cloudwatch:GetMetricData",
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
}
CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/")


def signature(environ: Mapping[str, Any]) -> Signature | None:
    """As the request has it; None where nobody has signed it."""
    signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return Signature(signed[1], signed[3], signed[2]) if signed else None


def operation(by: Signature, environ: dict[str, Any], body: bytes) -> str:
    """``service:Operation``, as the service's API reference calls it.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    if by.service in REST:
        return f"{by.service}:{REST[by.service](environ, body, by)[0]}"
    if target := environ.get("HTTP_X_AMZ_TARGET"):
        return f"{by.service}:{target.rpartition('.')[2]}"
    action = parse_qs(body.decode()).get("Action")
    if action is None:
        raise UnreadableCallError(f"{by.service} {environ['PATH_INFO']}: {HERE}")
    return f"{by.service}:{action[0]}"


#: services whose operations are methods and paths
REST: dict[str, Callable[[dict[str, Any], bytes, Signature], rest_calls.Read]] = {
    "lambda": lambda environ, _, by: rest_calls.lambda_(environ, by),
    "mq": mq_calls.read,
    "s3": lambda environ, _, by: rest_calls.s3(environ, by),
}


def needed(operation: str, environ: dict[str, Any], body: bytes, given: Parameters, by: Signature) -> Found:
    """What the request asks for, as calls.

    :raises UnreadableCallError: it is of a kind that is not known here
    """
    service, _, name = operation.partition(":")
    action = ACTIONS.get(operation, operation)
    if service in REST:
        yield from REST[service](environ, body, by)[1]
    elif service == "ec2":
        yield from ec2_calls.needed(name, given, by)
    elif service == "ecs":
        yield from _ecs(name, given, by)
    elif operation in NAMELESS:
        yield by.needs(action, "*")
    elif service in NAMED:
        yield by.needs(action, NAMED[service](given, by))
        yield from (by.needs(*each) for each in _beside(operation, given, by))
    else:
        raise UnreadableCallError(f"{operation}: {HERE}")


def _beside(operation: str, given: Parameters, by: Signature) -> Iterator[tuple[str, str]]:
    """What a call needs beside its own action."""
    if operation == "sqs:CreateQueue" and (given.get("tags") or given.get("Tag.1.Key")):
        # Amazon SQS API Reference, CreateQueue: tags take the permission sqs:TagQueue as well
        yield "sqs:TagQueue", _queue(given, by)
    if operation == "athena:GetQueryResults":
        # Amazon Athena API Reference, GetQueryResults: takes access to where the answer is, in S3
        location = _query(given, by).config["OutputLocation"]
        yield "s3:GetObject", f"arn:aws:s3:::{location.removeprefix('s3://')}"
    if operation == "athena:StartQueryExecution":
        yield from _as_who_asks(given, by)


def _as_who_asks(given: Parameters, by: Signature) -> Iterator[tuple[str, str]]:
    """What Athena does as whoever starts a query; which tables and rows it reads is not looked for here. What
    is denied is denied to the call: Athena would start a query that fails.

    Amazon Athena User Guide, "Configure access to databases and tables in the AWS Glue Data Catalog" (the
    default database, whichever one is asked for) and "Control access to Amazon S3 from Athena"; AWS Step
    Functions Developer Guide, "IAM policies for calling Amazon Athena" (the catalogue).
    """
    context = given.get("QueryExecutionContext", {})
    catalogue = context.get("Catalog", "AwsDataCatalog")
    yield "athena:GetDataCatalog", by.arn("athena", f"datacatalog/{catalogue}")
    databases = dict.fromkeys(("default", context.get("Database", "default")))
    for name in ("catalog", *(f"database/{database}" for database in databases)):
        yield "glue:GetDatabase", by.arn("glue", name)
    groups = athena_backends[DEFAULT_ACCOUNT_ID][by.region].work_groups
    group = groups.get(given.get("WorkGroup", "primary"))  # Athena itself tells of one that is not there
    result = (group.configuration or {}).get("ResultConfiguration", {}) if group else {}
    if location := result.get("OutputLocation"):
        bucket, _, prefix = str(location).removeprefix("s3://").partition("/")
        for action in ("s3:GetBucketLocation", "s3:ListBucket"):
            yield action, f"arn:aws:s3:::{bucket}"
        yield "s3:PutObject", f"arn:aws:s3:::{bucket}/{prefix}answer.csv"


def _query(given: Parameters, by: Signature) -> Any:
    return athena_backends[DEFAULT_ACCOUNT_ID][by.region].executions[given["QueryExecutionId"]]


def _workgroup(given: Parameters, by: Signature) -> str:
    name = given.get("WorkGroup") or _query(given, by).workgroup.name
    return by.arn("athena", f"workgroup/{name}")


def _queue(given: Parameters, by: Signature) -> str:
    return by.arn("sqs", given.get("QueueName") or given["QueueUrl"].rpartition("/")[2])


def _project(given: Parameters, by: Signature) -> str:
    """A build's id begins with its project's name."""
    name = str(given.get("projectName") or given.get("id") or given["ids"][0]).partition(":")[0]
    return by.arn("codebuild", f"project/{name}")


def _quota(given: Parameters, by: Signature) -> str:
    return by.arn("servicequotas", f"{given['ServiceCode']}/{given['QuotaCode']}")


#: what AWS knows no resource of
NAMELESS = {
    "freetier:GetAccountPlanState",
    "monitoring:GetMetricData",
    "pricing:GetProducts",
    "sqs:ListQueues",
}
#: service -> the ARN of what a call is about
NAMED: dict[str, Callable[[Parameters, Signature], str]] = {
    "athena": _workgroup,
    "codebuild": _project,
    "dynamodb": lambda given, by: by.arn("dynamodb", f"table/{given['TableName']}"),
    "ecr": lambda given, by: by.arn("ecr", f"repository/{given.get('repositoryName', '*')}"),
    "servicequotas": _quota,
    "sns": lambda given, _: given["TopicArn"],
    "sqs": _queue,
    "states": lambda given, _: given.get("executionArn") or given.get("stateMachineArn") or "*",
}


def _ecs(operation: str, given: Parameters, by: Signature) -> Found:
    """What calls of ECS need.

    Source: Amazon ECS Developer Guide, "Grant permission to tag resources on creation" and "IAM roles".
    """
    action = f"ecs:{operation}"
    if "cluster" not in given:
        yield by.needs(action, str(given.get("taskDefinition", "*")))
        return
    cluster = str(given["cluster"]).rpartition("/")[2]
    within = (("ecs:cluster", by.arn("ecs", f"cluster/{cluster}")),)
    if operation == "RunTask":
        yield from _start(given, by, cluster, within)
    elif operation == "ListTasks":
        yield by.needs(action, "*", within)
    else:
        for task in given.get("tasks") or [given["task"]]:
            arn = task if str(task).startswith("arn:") else by.arn("ecs", f"task/{cluster}/{task}")
            yield by.needs(action, arn, within)


def _start(given: Parameters, by: Signature, cluster: str, within: tuple[tuple[str, str], ...]) -> Found:
    backend = ecs_backends[DEFAULT_ACCOUNT_ID][by.region]
    definition = backend.describe_task_definition(given["taskDefinition"])
    yield by.needs("ecs:RunTask", str(definition.arn), within)
    if given.get("tags") or given.get("propagateTags"):
        made = by.arn("ecs", f"task/{cluster}/*")
        yield by.needs("ecs:TagResource", made, (("ecs:CreateAction", "RunTask"), *within))
    for role in (definition.task_role_arn, definition.execution_role_arn):
        if role:
            yield by.passes_role(str(role), "ecs-tasks.amazonaws.com")
