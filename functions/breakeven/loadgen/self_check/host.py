"""Facts about the machine that a loader runs on, and how much of it the loader used.

In which availability zone that is, its environment tells without any permission. A function asks Lambda's
metadata endpoint, which names the zone's id (``use1-az1``: AWS Lambda developer guide, "Using the Lambda
metadata endpoint"). A task of Fargate asks its task metadata endpoint, which names the zone as its account
does (``us-east-1a``: Amazon ECS developer guide, "Amazon ECS task metadata endpoint version 4 for tasks on
Fargate").
"""

from __future__ import annotations

import json
import os
import platform
import ssl
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from aws_lambda_powertools.utilities.metadata import LambdaMetadataError, get_lambda_metadata

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


#: names the endpoint's address, where there is one
OF_A_FUNCTION, OF_A_TASK = "AWS_LAMBDA_METADATA_API", "ECS_CONTAINER_METADATA_URI_V4"
#: both answer from the same host, in milliseconds
TIMEOUT_S = 1.0


def own_cores() -> int | None:
    """How many cores this process may use: of a host that is shared out by cpusets, fewer than it has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@cache
def facts() -> dict[str, str | int | None]:
    """``boot_id`` tells hosts apart (None where the system has none); ``cores`` this process may use;
    ``zone`` as :func:`zone` has it.
    """
    return {
        "boot_id": _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else None,
        "cores": own_cores(),
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        **zone(os.environ),
    }


def has_own_host(environment: Mapping[str, str]) -> bool:
    """Is this a function or a task, which share their host with no work that is ours?"""
    return OF_A_FUNCTION in environment or OF_A_TASK in environment


def zone(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Ask for the ``zone``, where there is somebody to ask; ``zone_unknown`` says why there is none.

    Never raises: a case is not to fail for it.
    """
    if OF_A_FUNCTION in environment:
        return _of_a_function()
    if OF_A_TASK in environment:
        return _of_a_task(environment[OF_A_TASK])
    return _zone(None, "neither a function nor a task of AWS: no metadata endpoint is named")


def _zone(name: str | None, unknown: str) -> dict[str, str | None]:
    return {"zone": name, "zone_unknown": None if name else unknown}


def _of_a_function() -> dict[str, str | None]:
    try:
        name = get_lambda_metadata(timeout=TIMEOUT_S).availability_zone_id
    except LambdaMetadataError as error:
        return _zone(None, f"Lambda's metadata endpoint: {error}")
    return _zone(name, "Lambda's metadata endpoint names no zone")


def _of_a_task(endpoint: str) -> dict[str, str | None]:
    direct = build_opener(ProxyHandler({}))
    try:
        with direct.open(f"{endpoint}/task", timeout=TIMEOUT_S) as answer:
            name = json.load(answer).get("AvailabilityZone")
    except (OSError, ValueError, AttributeError) as error:
        return _zone(None, f"the task metadata endpoint: {error}")
    return _zone(name and str(name), "the task metadata endpoint names no zone")


class CpuMeter:
    """CPU time of this process over wall time since it was made: 1.0 is one core, busy throughout."""

    def __init__(self) -> None:
        self._wall_ns, self._cpu_ns = time.monotonic_ns(), time.process_time_ns()

    def share(self) -> float:
        wall_ns = time.monotonic_ns() - self._wall_ns
        return (time.process_time_ns() - self._cpu_ns) / wall_ns if wall_ns else 0.0
