"""Each request's parameters against the service's own model: what is required, lengths, ranges and patterns.

The models are botocore's, which AWS makes of what its API references are made of ("Length Constraints",
"Valid Range", "Pattern", "Valid Values" of each parameter). boto3 itself looks at types, at what is required
and at least lengths, and sends the rest; moto looks at very little. What the models do not carry stands in
``service_limits.py``, and so does what S3 and Lambda take, whose requests are methods and paths.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from botocore.exceptions import UnknownServiceError
from botocore.model import ListShape, MapShape, OperationModel, ServiceModel, Shape, StructureShape
from moto.core.utils import get_service_model

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.invalid import EC2, QUERY, invalid

#: signing names that are not the names of the models
MODELS = {"monitoring": "cloudwatch", "states": "stepfunctions", "servicequotas": "service-quotas"}
#: what is said of a request that is not taken, where it is not ValidationException
CODES = {
    "athena": "InvalidRequestException",
    "codebuild": "InvalidInputException",
    "ec2": "InvalidParameterValue",
    "ecr": "InvalidParameterException",
    "ecs": "InvalidParameterException",
    "sns": "InvalidParameter",
}
#: whose requests are told by method and path
REST = {"rest-json", "rest-xml"}


@dataclass(frozen=True, slots=True)
class Operation:
    """``given``: parameters under the names that they have on the wire."""

    model: OperationModel
    given: Mapping[str, Any]


def check_shapes(request: Request, pass_on: PassOn) -> Answer:
    """A layer: refuses what the service's model does not allow, before it is carried out."""
    found = operation_of(request)
    if found is not None:
        for fault in faults(found):
            protocol = str(found.model.service_model.protocol)
            return invalid(protocol, CODES.get(request.service or "", "ValidationException"), fault)
    return pass_on(request)


def operation_of(request: Request) -> Operation | None:
    """What the request asks for; None where method and path tell that, and where no model knows it."""
    service = _service(MODELS.get(request.service, request.service)) if request.service else None
    if service is None or service.protocol in REST:
        return None
    if target := request.environ.get("HTTP_X_AMZ_TARGET"):
        name, given = target.rpartition(".")[2], json.loads(request.body or b"{}")
    else:
        given = dict(parse_qsl(request.body.decode(), keep_blank_values=True))
        name = given.pop("Action", "")
    if name not in _operations(service):
        return None
    if service.protocol in {QUERY, EC2}:
        given = _nested(given)
    return Operation(service.operation_model(name), given)


def faults(operation: Operation) -> Iterator[str]:
    """What the model does not allow, in words that name the field."""
    if operation.model.input_shape is not None:
        protocol = str(operation.model.service_model.protocol)
        yield from _structure(operation.model.input_shape, operation.given, "", protocol)


def _structure(shape: StructureShape, given: Mapping[str, Any], where: str, protocol: str) -> Iterator[str]:
    required = set(shape.required_members)
    for name, member in shape.members.items():
        value = given.get(_on_the_wire(member, name, protocol))
        path = f"{where}.{name}" if where else name
        if value is not None:
            yield from _value(member, value, path, protocol)
        elif name in required:
            yield _fault(path, None, "Member must not be null")


def _value(shape: Shape, value: Any, where: str, protocol: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        if isinstance(value, Mapping):
            yield from _structure(shape, value, where, protocol)
    elif isinstance(shape, ListShape):
        items = _items(value)
        yield from _bounds(shape, len(items), where, "length")
        for number, item in enumerate(items, 1):
            yield from _value(shape.member, item, f"{where}.{number}.member", protocol)
    elif isinstance(shape, MapShape):
        if protocol not in {QUERY, EC2} and isinstance(value, Mapping):
            yield from _bounds(shape, len(value), where, "length")
            for key, item in value.items():
                yield from _value(shape.key, key, where, protocol)
                yield from _value(shape.value, item, f"{where}.{key}", protocol)
    elif shape.type_name == "string":
        yield from _text(shape, str(value), where)
    elif shape.type_name in {"integer", "long", "float", "double"}:
        yield from _bounds(shape, float(value), where, "value")


def _text(shape: Shape, value: str, where: str) -> Iterator[str]:
    yield from _bounds(shape, len(value), where, "length")
    allowed = shape.metadata.get("enum")
    if allowed and value not in allowed:
        yield _fault(where, value, f"Member must satisfy enum value set: [{', '.join(allowed)}]")
    pattern = _pattern(shape.metadata.get("pattern"))
    if pattern and not pattern.fullmatch(value):
        yield _fault(where, value, f"Member must satisfy regular expression pattern: {pattern.pattern}")


def _bounds(shape: Shape, size: float, where: str, of: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield _fault(where, f"{size:g}", f"Member must have {of} greater than or equal to {least}")
    if most is not None and size > most:
        yield _fault(where, f"{size:g}", f"Member must have {of} less than or equal to {most}")


def _fault(where: str, value: str | None, constraint: str) -> str:
    shown = "null" if value is None else f"'{value:.100}'"
    return (
        f"1 validation error detected: Value {shown} at '{where}' failed to satisfy constraint: {constraint}"
    )


def _on_the_wire(member: Shape, name: str, protocol: str) -> str:
    found = member.serialization.get("name", name)
    if protocol == EC2:
        found = member.serialization.get("queryName", found[:1].upper() + found[1:])
    elif protocol == QUERY and isinstance(member, ListShape) and member.serialization.get("flattened"):
        found = member.member.serialization.get("name", found)
    return str(found)


def _nested(flat: Mapping[str, str]) -> dict[str, Any]:
    """Parameters of the query protocols, ``A.1.B=x`` or ``A.member.1.B=x``, as they are nested."""
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = [part for part in name.split(".") if part != "member"]
        place = nested
        for part in parents:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            place = inner
        place[last] = value
    return nested


def _items(value: Any) -> Sequence[Any]:
    """Of a list; those of the query protocols are numbered."""
    return list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []


@cache
def _service(name: str) -> ServiceModel | None:
    """The model that moto has read, too: EC2's takes half a second."""
    try:
        return get_service_model(name)
    except UnknownServiceError:
        return None


@cache
def _operations(service: ServiceModel) -> frozenset[str]:
    return frozenset(service.operation_names)


@cache
def _pattern(pattern: str | None) -> re.Pattern[str] | None:
    """None where there is none, or one of Java's that Python cannot read (classes such as ``\\p{L}``)."""
    if pattern is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(pattern)
    except re.error:
        return None
