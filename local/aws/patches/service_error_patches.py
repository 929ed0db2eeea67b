"""What moto's states call the errors of the services that they call; see ``moto_patches.py``."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError
from moto.stepfunctions.parser.api import HistoryEventType, LambdaFunctionFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import CustomErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_dynamodb as dynamodb_tasks,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_lambda as lambda_tasks,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.state_task_lambda import StateTaskLambda
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails

from local.aws.boto import Aws
from local.aws.swaps import Swaps
from local.aws.tasks.job_tasks import service_model

#: service -> what the names of its errors begin with, what those are called that its model has no name for,
#: and what the service calls itself
NAMES = {
    "dynamodb": ("DynamoDB", "AmazonDynamoDBException", "AmazonDynamoDBv2"),
    "lambda": ("Lambda", "AWSLambdaException", "AWSLambda"),
}


def service_errors_have_their_names(swaps: Swaps, _: Aws) -> None:
    """Symptom: what Lambda itself refuses is an error "Exception"; what DynamoDB's model has no name for, as
    AccessDeniedException, is one that no state machine on AWS sees.

    Mend: Lambda.TooManyRequestsException and the like, and the services' general errors for the others.
    Sources: AWS Step Functions Developer Guide, "Handling errors" and "Best practices", transient Lambda
    service exceptions; of the others https://github.com/awslabs/aws-deployment-framework/issues/460.
    """

    def of_lambda(error: ClientError) -> tuple[str, str]:
        return named("lambda", error)

    def of_dynamodb(error: ClientError) -> tuple[str, str]:
        return named("dynamodb", error)

    def from_error(self: Any, env: Any, ex: Exception) -> Any:
        if not isinstance(ex, ClientError):
            return original(self, env, ex)
        error, why = of_lambda(ex)
        details = LambdaFunctionFailedEventDetails(error=error, cause=why)
        return FailureEvent(
            env=env,
            error_name=CustomErrorName(error),
            event_type=HistoryEventType.LambdaFunctionFailed,
            event_details=EventDetails(lambdaFunctionFailedEventDetails=details),
        )

    cause = "_error_cause_from_client_error"
    swaps.attribute(lambda_tasks.StateTaskServiceLambda, cause, staticmethod(of_lambda))
    swaps.attribute(dynamodb_tasks.StateTaskServiceDynamoDB, cause, staticmethod(of_dynamodb))
    original = swaps.attribute(StateTaskLambda, "_from_error", from_error)


def named(service: str, error: ClientError) -> tuple[str, str]:
    """The name that a state's Retry and Catch know an error by, and its cause."""
    prefix, other, itself = NAMES[service]
    said, code = error.response["ResponseMetadata"], error.response["Error"]["Code"]
    modelled = {shape.name for shape in service_model(service).error_shapes}
    cause = (
        f"{error.response['Error']['Message']} (Service: {itself}; Status Code: {said['HTTPStatusCode']}; "
        f"Error Code: {code}; Request ID: {said.get('RequestId')}; Proxy: null)"
    )
    return f"{prefix}.{code if code in modelled else other}", cause
