"""Limits that the services' models do not carry: of sizes, counts and names, each where AWS documents it.

A layer refuses what is over one of them, as the service does, before it is carried out. Those of state
machines at work are in ``patches/state_patches.py``, of a function's process in
``functions/lambda_worker.py``, of a template and what it declares in ``permissions/template_checks.py``.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.refusals import Refusal

KIB, MIB = 1024, 1024**2
#: EC2 API reference, RunInstances: of user data before it is encoded
USER_DATA_BYTES = 16 * KIB


def check_limits(request: Request, pass_on: PassOn) -> Answer:
    """A layer: refuses what is over a limit of the service."""
    check = CHECKS.get(request.operation or "")
    for refusal in check(request) if check else ():
        return refusal.answer(request.service or "")
    return pass_on(request)


def _objects(request: Request) -> Iterator[Refusal]:
    """S3 user guide, "Naming Amazon S3 objects": a key has 1,024 bytes of UTF-8 at most; "Working with object
    metadata": user-defined metadata 2 KB, names and values together.
    """
    key = request.environ["PATH_INFO"].lstrip("/").partition("/")[2]
    if len(key.encode("latin-1")) > KIB:  # WSGI's text has a character for each byte
        yield Refusal("KeyTooLongError", "Your key is too long")
    prefix = "HTTP_X_AMZ_META_"
    meta = {name: value for name, value in request.environ.items() if name.startswith(prefix)}
    size = sum(len(name) - len(prefix) + len(str(value).encode()) for name, value in meta.items())
    if size > 2 * KIB:
        message = "Your metadata headers exceed the maximum allowed metadata size"
        yield Refusal("MetadataTooLarge", message)


def _items(request: Request) -> Iterator[Refusal]:
    """DynamoDB developer guide, "Quotas in Amazon DynamoDB": expressions have 4 KB at most, operators and
    functions 300, an item 400 KB with the names of its attributes. An update adds to what is there: what it
    brings is held to the limit, which is less than DynamoDB does.
    """
    given = request.parameters
    for name in ("UpdateExpression", "ConditionExpression", "KeyConditionExpression", "FilterExpression"):
        if len(str(given.get(name, "")).encode()) > 4 * KIB:
            message = f"Invalid {name}: Expression size has exceeded the maximum allowed size"
            yield Refusal("ValidationException", message)
    for name in ("Item", "ExpressionAttributeValues"):
        if _size(given.get(name, {})) > 400 * KIB:
            yield Refusal("ValidationException", "Item size has exceeded the maximum allowed size")


def _size(value: Any) -> int:
    """Bytes of an item's attributes, of their names and values; of types and brackets none."""
    if isinstance(value, Mapping):
        return sum(len(name.encode()) + _size(each) for name, each in value.items())
    if isinstance(value, list):
        return sum(map(_size, value))
    return len(str(value).encode())


#: white space, brackets, wildcards, what is special and control characters
UNNAMED = re.compile(r'[\s<>{}\[\]?*"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f\ufffe\uffff]')


def _executions(request: Request) -> Iterator[Refusal]:
    """Step Functions API reference, StartExecution, ``name``; guide, "Service quotas": input of 256 KiB."""
    given = request.parameters
    if UNNAMED.search(str(given.get("name", ""))):
        yield Refusal("InvalidName", f"Invalid Name: '{given['name']}'")
    if len(str(given.get("input", "")).encode()) > 256 * KIB:
        yield Refusal("InvalidExecutionInput", "Input exceeds 262144 bytes")


def _invocations(request: Request) -> Iterator[Refusal]:
    """Lambda guide, "Lambda quotas", invocation payload: 6 MB of a synchronous call. Of an asynchronous one
    AWS' pages differ: 256 KB in earlier issues of the guide and in InvokeAsync, 1 MB in today's API reference
    of Invoke. The stricter is held, which nothing of ours comes near.
    """
    asynchronous = request.environ.get("HTTP_X_AMZ_INVOCATION_TYPE") == "Event"
    most, kind = (256 * KIB, "Event") if asynchronous else (6 * MIB, "RequestResponse")
    if len(request.body) > most:
        message = (
            f"{len(request.body)} byte payload is too large for the {kind} invocation type (limit {most})"
        )
        yield Refusal("RequestTooLargeException", message, 413)


def _mail(request: Request) -> Iterator[Refusal]:
    """SNS API reference, Publish: a message has 256 KiB at most; a subject up to 100 printable ASCII
    characters, which begin with a letter, a digit or punctuation.
    """
    given = request.parameters
    if len(str(given.get("Message", "")).encode()) > 256 * KIB:
        yield Refusal("InvalidParameter", "Invalid parameter: Message too long")
    subject = given.get("Subject")
    if subject is not None and not re.fullmatch(r"[!-~][ -~]{0,99}", subject):
        yield Refusal("InvalidParameter", "Invalid parameter: Subject")


def _tasks(request: Request) -> Iterator[Refusal]:
    """ECS API reference, RunTask: ``count`` up to 10; TaskOverride: 8,192 characters of JSON in all."""
    given = request.parameters
    if int(given.get("count", 1)) > 10:
        yield Refusal("InvalidParameterException", "count cannot be greater than 10")
    if len(json.dumps(given.get("overrides", {}), separators=(",", ":"))) > 8192:
        message = "Container Overrides length must be at most 8192"
        yield Refusal("InvalidParameterException", message)


def _machines(request: Request) -> Iterator[Refusal]:
    """EC2 API reference, RunInstances: user data, and a client token of 64 ASCII
    characters (guide, "Ensuring idempotency").
    """
    given = request.parameters
    yield from _tags(request)
    if len(base64.b64decode(given.get("UserData", ""))) > USER_DATA_BYTES:
        yield Refusal("InvalidParameterValue", f"User data is limited to {USER_DATA_BYTES} bytes")
    token = str(given.get("ClientToken", ""))
    if len(token) > 64 or not token.isascii():
        yield Refusal("InvalidParameterValue", "Client token must be at most 64 ASCII characters")


#: letters and digits, spaces and () [] . / - ' @ _
IMAGE_NAME = re.compile(r"[A-Za-z0-9 ()\[\]./\-'@_]*")


def _images(request: Request) -> Iterator[Refusal]:
    """EC2 API reference, CreateImage, ``Name``: its characters; how many, the model says."""
    yield from _tags(request)
    name = str(request.parameters.get("Name", ""))
    if not IMAGE_NAME.fullmatch(name):
        message = "AMI names must be between 3 and 128 characters long, of letters, numbers and some others"
        yield Refusal("InvalidAMIName.Malformed", message)


def _tags(request: Request) -> Iterator[Refusal]:
    """EC2 user guide, "Tag your Amazon EC2 resources": 50 tags a resource, keys of 128 characters, values of
    256; keys do not begin with ``aws:``.
    """
    given = request.parameters
    for specification in [given, *given.get("TagSpecifications", [])]:
        tags = specification.get("Tags", [])
        if len(tags) > 50:
            yield Refusal("TagLimitExceeded", "The maximum number of Tags for a resource has been reached.")
        for tag in tags:
            key, value = tag.get("Key", ""), tag.get("Value", "")
            if not 1 <= len(key) <= 128 or key.startswith("aws:"):
                yield Refusal("InvalidParameterValue", f"Tag key {key:.130} is not allowed")
            if len(value) > 256:
                yield Refusal("InvalidParameterValue", "Tag value exceeds the maximum length of 256")


#: operation -> what it is held to; each has a test of its own
CHECKS: Mapping[str, Callable[[Request], Iterator[Refusal]]] = {
    "dynamodb:PutItem": _items,
    "dynamodb:Query": _items,
    "dynamodb:UpdateItem": _items,
    "ec2:CreateImage": _images,
    "ec2:CreateTags": _tags,
    "ec2:CreateVpcEndpoint": _machines,
    "ec2:RunInstances": _machines,
    "ecs:RunTask": _tasks,
    "lambda:Invoke": _invocations,
    "s3:CopyObject": _objects,
    "s3:GetObject": _objects,
    "s3:PutObject": _objects,
    "sns:Publish": _mail,
    "states:StartExecution": _executions,
}
