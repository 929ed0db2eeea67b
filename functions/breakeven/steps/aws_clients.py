"""Protocols of boto3's clients: of each service, the part that steps call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from botocore.exceptions import ClientError

#: what AWS answers when something was deleted already: by a retry, or by another that is at it just now
GONE = {
    "AWS.SimpleQueueService.NonExistentQueue",
    "ClusterNotFoundException",
    "InvalidAMIID.NotFound",
    "InvalidAMIID.Unavailable",
    "InvalidInstanceID.NotFound",
    "InvalidNetworkInterfaceID.NotFound",
    "InvalidSnapshot.NotFound",
    "InvalidVolume.NotFound",
    "InvalidVpcEndpointId.NotFound",
    "QueueDoesNotExist",
}


class Ec2(Protocol):
    def create_image(self, **kwargs: Any) -> Any: ...
    def create_vpc_endpoint(self, **kwargs: Any) -> Any: ...
    def delete_network_interface(self, **kwargs: Any) -> Any: ...
    def delete_snapshot(self, **kwargs: Any) -> Any: ...
    def delete_volume(self, **kwargs: Any) -> Any: ...
    def delete_vpc_endpoints(self, **kwargs: Any) -> Any: ...
    def deregister_image(self, **kwargs: Any) -> Any: ...
    def get_console_output(self, **kwargs: Any) -> Any: ...
    def get_paginator(self, operation_name: Any) -> Any: ...
    def run_instances(self, **kwargs: Any) -> Any: ...
    def start_instances(self, **kwargs: Any) -> Any: ...
    def stop_instances(self, **kwargs: Any) -> Any: ...
    def terminate_instances(self, **kwargs: Any) -> Any: ...


class Ecr(Protocol):
    def describe_images(self, **kwargs: Any) -> Any: ...


class Ecs(Protocol):
    def describe_tasks(self, **kwargs: Any) -> Any: ...
    def get_paginator(self, operation_name: Any) -> Any: ...
    def stop_task(self, **kwargs: Any) -> Any: ...


class Lambda(Protocol):
    def get_function_configuration(self, **kwargs: Any) -> Any: ...
    def invoke(self, **kwargs: Any) -> Any: ...


class Sqs(Protocol):
    def delete_queue(self, **kwargs: Any) -> Any: ...
    def get_paginator(self, operation_name: Any) -> Any: ...
    def list_queue_tags(self, **kwargs: Any) -> Any: ...


class StepFunctions(Protocol):
    def describe_execution(self, **kwargs: Any) -> Any: ...
    def start_execution(self, **kwargs: Any) -> Any: ...


def described(ec2: Ec2, kind: str, **asked: Any) -> Iterator[Mapping[str, Any]]:
    """What EC2 describes of a kind, such as ``vpc_endpoints``, page after page."""
    listed = "".join(word.capitalize() for word in kind.split("_"))
    for page in ec2.get_paginator(f"describe_{kind}").paginate(**asked):
        yield from page[listed]


@contextmanager
def well_if_gone() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise
