"""An SQS server, plain and behind TLS, and runs of every contender on it: each on a fresh queue."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import boto3

from bench import java_sdk, ours
from bench.contender_settings import Times
from bench.contest import Run
from bench.measured import Figures
from bench.terminator import terminator
from bench.watched import watch
from breakeven.errors import BreakevenError
from breakeven.planning.workload_settings import workload_of
from breakeven.workload.case import Workload
from local.children import Children
from local.servers.sqs_server import SqsServer

Client = Literal["boto3", "native"]
WORKERS = 10
MESSAGE_BYTES = 1024
#: what each client sends for each second of a window: about as many as it can
MESSAGES_PER_S: dict[Client, int] = {"boto3": 400, "native": 4000}
REGION = "us-east-1"
LIMIT_S = 240.0


@dataclass(frozen=True, slots=True)
class Server:
    """``environment``: what SDKs find it by."""

    children: Children
    name: str
    plain: str
    endpoint: str
    environment: Mapping[str, str]


@contextmanager
def server(children: Children, workdir: Path, *, tls: bool) -> Iterator[Server]:
    # clients are compared, and the server must not be the limit
    started = SqsServer(children, workdir, is_steady=False)
    if started.is_fallback:
        raise BreakevenError(f"the SQS server is {started.name}: too slow to measure anything with")
    environment = {
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }
    with ExitStack() as stack:
        endpoint = plain = started.start()
        stack.callback(started.stop)
        if tls:
            secured = stack.enter_context(terminator(children, workdir, plain))
            endpoint = secured.endpoint
            environment["AWS_CA_BUNDLE"] = str(secured.certificate)
            environment["BENCH_TRUST_STORE"] = str(secured.trust_store)
        environment["AWS_ENDPOINT_URL_SQS"] = endpoint
        yield Server(children, started.name, plain, endpoint, environment)


def runs(at: Server, times: Times, beside: Mapping[str, Path]) -> dict[str, Run]:
    """By contender. ``beside``: the checkouts in which our loader runs, too, by contender."""
    others: dict[str, Run] = {
        name: (lambda checkout=checkout: loader_run(at, times, "native", checkout))  # type: ignore[misc]
        for name, checkout in beside.items()
    }
    return {
        ours.NAMES["boto3"]: lambda: loader_run(at, times, "boto3"),
        java_sdk.NAME: lambda: java_run(at, times),
        **others,
        ours.NAMES["native"]: lambda: loader_run(at, times, "native"),
    }


def loader_run(at: Server, times: Times, client: Client, checkout: Path | None = None) -> dict[str, Figures]:
    with _fresh_queue(at) as queue:
        asked = ours.case(client, workload(times, client), "sqs-standard")
        command = ours.command(asked, queue, None, at.environment, checkout)
        return ours.sqs_figures(watch(at.children, command, LIMIT_S))


def java_run(at: Server, times: Times) -> dict[str, Figures]:
    with _fresh_queue(at) as queue:
        given = java_sdk.arguments(at.endpoint, queue, WORKERS, MESSAGE_BYTES, times)
        return java_sdk.figures(watch(at.children, java_sdk.command(given, at.environment), LIMIT_S))


def workload(times: Times, client: Client) -> Workload:
    return workload_of(
        {
            "mode": "load-unload",
            "producers": WORKERS,
            "consumers": WORKERS,
            "message_size": MESSAGE_BYTES,
            "messages": MESSAGES_PER_S[client] * times.window_s,
            "warmup_s": 0,
            "measure_s": 1,
            "drain_s": 30,
            "client": client,
        }
    )


def command_lines(times: Times) -> dict[str, str]:
    """How each was called."""
    java = java_sdk.arguments("ENDPOINT", "QUEUE", WORKERS, MESSAGE_BYTES, times)
    said = {ours.NAMES[client]: ours.spelled(workload(times, client)) for client in MESSAGES_PER_S}
    return {**said, java_sdk.NAME: shlex.join(["java", *java])}


@contextmanager
def _fresh_queue(at: Server) -> Iterator[str]:
    sqs: Any = boto3.client(
        "sqs",
        endpoint_url=at.plain,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106
    )
    queue = sqs.create_queue(QueueName=f"bench-{time.monotonic_ns()}")["QueueUrl"]
    try:
        yield queue
    finally:
        sqs.delete_queue(QueueUrl=queue)
        sqs.close()
