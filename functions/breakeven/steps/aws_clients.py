"""AWS as steps see it: of each service's client the part that they call, and how its answers are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from breakeven.results.state import SuppressCodes

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
    "NotFoundException",
    "QueueDoesNotExist",
}
#: of an endpoint that is deleted: it is there for a while yet, and answers nobody
GOING = ("deleting", "deleted")
#: statuses of an execution that is not over
UNDER_WAY = {"RUNNING", "PENDING_REDRIVE"}
#: of an execution that Step Functions does not know: it ended more than 90 days ago, or never was
FORGOTTEN = "FORGOTTEN"


class CloudWatch(Protocol):
    def get_metric_data(self, **kwargs: Any) -> Any: ...


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


class Mq(Protocol):
    @property
    def meta(self) -> Any: ...
    def create_broker(self, **kwargs: Any) -> Any: ...
    def delete_configuration(self, **kwargs: Any) -> Any: ...
    def list_configurations(self, **kwargs: Any) -> Any: ...
    def delete_broker(self, **kwargs: Any) -> Any: ...
    def reboot_broker(self, **kwargs: Any) -> Any: ...
    def describe_broker(self, **kwargs: Any) -> Any: ...
    def get_paginator(self, operation_name: Any) -> Any: ...


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


@dataclass(frozen=True, slots=True)
class ExecutionStatus:
    """``status`` is Step Functions' own, or ``FORGOTTEN``; error and cause are empty where there are none."""

    status: str
    error: str = ""
    cause: str = ""

    @property
    def over(self) -> bool:
        return self.status not in UNDER_WAY

    @property
    def forgotten(self) -> bool:
        return self.status == FORGOTTEN


def execution_status(step_functions: StepFunctions, execution: str) -> ExecutionStatus:
    """:param execution: its ARN"""
    with SuppressCodes("ExecutionDoesNotExist"):
        found = step_functions.describe_execution(executionArn=execution)
        return ExecutionStatus(found["status"], found.get("error") or "", found.get("cause") or "")
    return ExecutionStatus(FORGOTTEN)


def execution_arn(state_machine: str, run_id: str) -> str:
    """The execution of that state machine (its ARN) whose name is the run's id."""
    return f"{state_machine.replace(':stateMachine:', ':execution:')}:{run_id}"
