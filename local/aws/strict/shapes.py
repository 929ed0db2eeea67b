"""Each request's parameters against the service's own model: what is required, lengths, ranges and patterns.

It is what the API references call "Length Constraints", "Valid Range", "Pattern" and "Valid Values". boto3
itself looks at types, at what is required and at least lengths, and sends the rest; moto looks at little.
What the models do not carry stands in ``service_limits.py``, and so does what S3 and Lambda take, whose
requests are methods and paths.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from botocore.model import ListShape, MapShape, Shape, StructureShape

from local.aws.strict.front import Answer, PassOn, Request
from local.aws.strict.refusals import Refusal
from local.aws.strict.requests.models import operation_model

#: what is said of a request that is not taken, where it is not ValidationException
CODES = {
    "athena": "InvalidRequestException",
    "codebuild": "InvalidInputException",
    "ec2": "InvalidParameterValue",
    "ecr": "InvalidParameterException",
    "ecs": "InvalidParameterException",
    "sns": "InvalidParameter",
}


def check_shapes(request: Request, pass_on: PassOn) -> Answer:
    """A layer: refuses what the service's model does not allow, before it is carried out."""
    service, model = request.service or "", operation_model(request.operation or "")
    if model is not None and model.input_shape is not None:
        for fault in _structure(model.input_shape, request.parameters, ""):
            return Refusal(CODES.get(service, "ValidationException"), fault).answer(service)
    return pass_on(request)


def _structure(shape: StructureShape, given: Mapping[str, Any], where: str) -> Iterator[str]:
    """What the model does not allow, in words that name the field."""
    for name, member in shape.members.items():
        path = f"{where}.{name}" if where else name
        if given.get(name) is not None:
            yield from _value(member, given[name], path)
        elif name in shape.required_members:
            yield _fault(path, None, "Member must not be null")


def _value(shape: Shape, value: Any, where: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        yield from _structure(shape, value, where)
    elif isinstance(shape, ListShape):
        yield from _bounds(shape, len(value), where, "length")
        for number, item in enumerate(value, 1):
            yield from _value(shape.member, item, f"{where}.{number}.member")
    elif isinstance(shape, MapShape):
        yield from _bounds(shape, len(value), where, "length")
        for key, item in value.items():
            yield from _value(shape.key, key, where)
            yield from _value(shape.value, item, f"{where}.{key}")
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
