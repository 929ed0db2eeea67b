"""Needs of loaders that are tasks: endpoints, which their run makes, an image, and their inputs.

Tasks are in isolated subnets. What they call there has a gateway, or an interface endpoint that is made for
the run and deleted after it (``resources``), as it is paid for by the hour.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.installation import RUN_TAG, installation
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import GOING, Ec2, Ecr, described
from breakeven.steps.instances import tagging, tags_of
from breakeven.steps.services import Services
from breakeven.workload.case import Case

#: how long endpoints may take until they answer, one that an earlier run has deleted until it is gone
ENDPOINTS_TIMEOUT_S = 480.0
POLL_S = 2.0
AVAILABLE, FAILED = "available", ("rejected", "failed", "expired")
#: what EC2 says where the VPC has the service's name already, by an endpoint that is on its way out, too
TAKEN = "conflicting DNS domain"
#: in the run's record: whether its tasks can be started
READY, MAKING = "ready", "making"
#: variables that name the image
REPOSITORY, TAG = "BREAKEVEN_IMAGE_REPOSITORY", "BREAKEVEN_IMAGE_TAG"
#: how much longer a task's state waits than its loader may take: what starts and stops it takes minutes
STATE_GRACE_S = 300


@dataclass(frozen=True, slots=True)
class Place:
    """Where tasks run; ``group`` lets them reach endpoints."""

    vpc: str
    subnets: Sequence[str]
    group: str
    region: str


def establish_tasks(
    services: Services,
    ec2: Ec2,
    place: Place,
    run_id: str,
    names: Sequence[str],
    *,
    image_built: bool,
) -> None:
    """Make the endpoints, and wait until they answer, unless an image is to be built meanwhile.

    Called again, it makes none twice.

    :param names: ends of the services' names, such as ``ecr.api``
    :raises CaseError: they are not there in time, or one cannot be had
    """
    services.state(run_id).update(RUN, tasks=MAKING)
    deadline = time.monotonic() + ENDPOINTS_TIMEOUT_S
    for name in names:
        _make(ec2, place, run_id, name, deadline)
    if not image_built:
        return
    while waiting := [name for name in names if not _answers(ec2, place, run_id, name)]:
        if time.monotonic() > deadline:
            raise CaseError(f"endpoints not available in {ENDPOINTS_TIMEOUT_S:.0f} s: {', '.join(waiting)}")
        time.sleep(POLL_S)
    services.state(run_id).update(RUN, tasks=READY)


def _make(ec2: Ec2, place: Place, run_id: str, name: str, deadline: float) -> None:
    """The endpoint, unless there is one: the run's own, or one that belongs to the network."""
    while not _found(ec2, place, run_id, name):
        try:
            ec2.create_vpc_endpoint(**_wanted(place, run_id, name))
        except ClientError as error:
            if TAKEN not in error.response["Error"].get("Message", "") or time.monotonic() > deadline:
                raise CaseError(f"endpoint of {name}: {error}") from error
            time.sleep(POLL_S)
        else:
            return


def _wanted(place: Place, run_id: str, name: str) -> dict[str, Any]:
    return {
        "VpcEndpointType": "Interface",
        "VpcId": place.vpc,
        "ServiceName": _service(place, name),
        "SubnetIds": list(place.subnets),
        "SecurityGroupIds": [place.group],
        "PrivateDnsEnabled": True,
        # a call whose answer got lost makes no second one
        "ClientToken": hashlib.sha256(f"{run_id}/{place.group}/{name}".encode()).hexdigest(),
        "TagSpecifications": tagging(["vpc-endpoint"], installation().tags({RUN_TAG: run_id})),
    }


def _answers(ec2: Ec2, place: Place, run_id: str, name: str) -> bool:
    """:raises CaseError: the endpoint will never answer"""
    states = [str(each["State"]).lower() for each in _found(ec2, place, run_id, name)]
    if failed := [state for state in states if state in FAILED]:
        raise CaseError(f"endpoint of {name}: it is {failed[0]}")
    return AVAILABLE in states


def _found(ec2: Ec2, place: Place, run_id: str, name: str) -> list[Mapping[str, Any]]:
    """The run's own endpoint of the service, and one that no run has made: the network's.

    Another run's goes with that run, so that this one cannot count on it.
    """
    wanted = {"vpc-id": place.vpc, "service-name": _service(place, name), "vpc-endpoint-type": "Interface"}
    filters = [{"Name": key, "Values": [value]} for key, value in wanted.items()]
    return [
        each
        for each in described(ec2, "vpc_endpoints", Filters=filters)
        if str(each["State"]).lower() not in GOING
        and tags_of(each.get("Tags", [])).get(RUN_TAG) in (None, run_id)
        if each.get("PrivateDnsEnabled", True)
    ]


def _service(place: Place, name: str) -> str:
    return f"com.amazonaws.{place.region}.{name}"


@dataclass(frozen=True, slots=True)
class Image:
    """``tag`` is the digest of all that the image is made of: other code is another image."""

    repository: str
    tag: str


def image_of(environment: Mapping[str, str]) -> Image:
    """As the stack has set the function's environment.

    :raises KeyError: it has not
    """
    return Image(environment[REPOSITORY], environment[TAG])


def is_built(ecr: Ecr, image: Image) -> bool:
    """Whether it is there to be pulled."""
    with SuppressCodes("ImageNotFoundException"):
        found = ecr.describe_images(repositoryName=image.repository, imageIds=[{"imageTag": image.tag}])
        return bool(found["imageDetails"])
    return False


def check_ready(services: Services, run_id: str) -> None:
    """:raises CaseError: what the run's tasks need was never made"""
    if services.state(run_id).get(RUN).get("tasks") != READY:
        raise CaseError("its loaders are tasks, whose endpoints or image could not be created")


def write_inputs(services: Services, case: Case, attempt: int) -> None:
    """Leave for each task what a function would get as its event: an override holds no more than a key."""
    for loader in range(case.loaders):
        key = layout.task_input_key(case.run_id, case.case_id, attempt, loader)
        event = {"run_id": case.run_id, "target": case.target, "case_id": case.case_id, "attempt": attempt}
        services.store.put_json(key, {**event, "loader": loader})


def task_limit_s(case: Case) -> int:
    """Seconds after which a task's state does not wait for it any more."""
    return round(case.limit_s + case.start_deadline_s) + STATE_GRACE_S
