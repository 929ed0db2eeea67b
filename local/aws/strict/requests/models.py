"""The services' own models, and what they make of a request: its parameters under their own names.

The models are botocore's, which AWS makes of what its API references are made of; moto has read them, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from botocore.exceptions import UnknownServiceError
from moto.core.model import OperationModel, ServiceModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.utils import get_service_model

#: signing names that are not the names of the models
MODELS = {"monitoring": "cloudwatch", "states": "stepfunctions", "servicequotas": "service-quotas"}
#: whose requests are told by method and path
REST = {"rest-json", "rest-xml"}


@cache
def model_of(service: str) -> ServiceModel | None:
    """By its signing name. EC2's takes half a second."""
    try:
        return get_service_model(MODELS.get(service, service))
    except UnknownServiceError:
        return None


@cache
def operation_model(operation: str) -> OperationModel | None:
    """Of ``service:Operation``; None where no model knows it, and where method and path say it."""
    service, _, name = operation.partition(":")
    model = model_of(service)
    if model is None or model.protocol in REST or name not in model.operation_names:
        return None
    return model.operation_model(name)


def parameters(operation: str, environ: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Of a request that is one for ``service:Operation``; none where ``operation_model`` knows none."""
    model = operation_model(operation)
    if model is None:
        return {}
    if "HTTP_X_AMZ_TARGET" in environ:
        return PROTOCOL_PARSERS["json"](model).parse({"body": body})
    given: dict[str, Any] = dict(parse_qsl(body.decode(), keep_blank_values=True))
    if model.service_model.protocol == "json":
        return given  # in SQS's older protocol, which its model has forgotten
    return PROTOCOL_PARSERS[model.service_model.protocol](model).parse({"values": given})
