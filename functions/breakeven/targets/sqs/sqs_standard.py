"""Amazon SQS standard queues, or a server that stands for them: then the figures are emulated."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from breakeven.clients.base import Client
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from breakeven.installation import RUN_TAG, installation
from breakeven.targets.target import (
    Depth,
    Description,
    NodeProcess,
    NodeSample,
    Prepared,
    Target,
    queue_names,
)
from breakeven.terms import SQS_HIDDEN_S
from breakeven.workload.case import Case, Workload

#: seconds; a queue that no clean-up found is empty after a day
RETENTION_S = 86_400
#: "you must wait at least one second after the queue is created to be able to use the queue" (SQS API
#: reference, CreateQueue). A window of a warm-up would be over by then
USABLE_AFTER_S = 1.0
#: names the server when it is not Amazon's, such as 'ElasticMQ 1.7.1'
SERVER_VARIABLE = "BREAKEVEN_SQS_SERVER"
#: its process, where it is one of this host that the run started
PROCESS_VARIABLE = "BREAKEVEN_SQS_PROCESS"
#: the URL of a proxy before that server, by which loaders of cases with faults of calls go
FAULT_PROXY_VARIABLE = "BREAKEVEN_SQS_FAULT_PROXY"
CONFIG = Config(
    connect_timeout=5,
    read_timeout=10,
    retries={"total_max_attempts": 4, "mode": "standard"},
    proxies={},
)
AMAZON_DOMAINS = ("amazonaws.com", "amazonaws.com.cn")
HIDDEN = "ApproximateNumberOfMessagesNotVisible"
#: a message is in exactly one of these states
STATES: tuple[str, ...] = (
    "ApproximateNumberOfMessages",
    HIDDEN,
    "ApproximateNumberOfMessagesDelayed",
)


class SqsStandard(Target):
    """Queues are addressed by URL. Region, endpoint and credentials come from where boto3 reads them."""

    name = "sqs-standard"
    exact_depth = False
    #: how names of its queues end
    suffix = ""
    #: of its queues, whatever the case
    attributes: Mapping[str, str] = {"MessageRetentionPeriod": str(RETENTION_S)}

    def __init__(self) -> None:
        self._sqs: Any = boto3.client("sqs", config=CONFIG)
        self._host = urlsplit(self._sqs.meta.endpoint_url).hostname or ""

    def establish(self) -> Description:
        with _as_case_error():
            self._sqs.list_queues(MaxResults=1)
        return Description(
            server=self._server(),
            provenance="measured" if is_amazon(self._host) else "emulated",
            parameters={"visibility_timeout_s": SQS_HIDDEN_S, "retention_s": RETENTION_S},
        )

    def prepare(self, case: Case, attempt: int) -> Prepared:
        ours = installation()
        with _as_case_error():
            made = [
                self._sqs.create_queue(
                    QueueName=f"{ours.queue_prefix}{name}{self.suffix}",
                    Attributes={**self.attributes, "VisibilityTimeout": str(visibility_s(case.workload))},
                    tags=ours.tags({RUN_TAG: case.run_id}),
                )
                for name in queue_names(case, attempt)
            ]
        if is_amazon(self._host):
            time.sleep(USABLE_AFTER_S)
        return Prepared(tuple(queue["QueueUrl"] for queue in made), mirrors=None)

    def client(self, workload: Workload) -> Client:
        return make_client(workload, None, fault_proxy() if workload.service_faults else None)

    def depth(self, queues: tuple[str, ...]) -> int:
        """Visible, in flight and delayed. Amazon calls its figures approximate: they may take a minute after
        the last message was sent to be right (SQS API reference, GetQueueAttributes).
        """
        return self.depths(queues).total

    def depths(self, queues: tuple[str, ...]) -> Depth:
        """Delayed ones are counted as ready: none of ours are delayed."""
        with _as_case_error():
            counts = [self._counts(queue) for queue in queues]
        total = sum(sum(count.values()) for count in counts)
        hidden = sum(count[HIDDEN] for count in counts)
        return Depth(total, total - hidden, hidden)

    def samples(self) -> list[NodeSample]:
        """The server's process, where it is the run's own."""
        if is_amazon(self._host):
            return [NodeSample(self.name, no_process="Amazon SQS shows no host")]
        number = os.environ.get(PROCESS_VARIABLE)
        return [
            NodeSample(
                f"{self._server()} (emulated)",
                process=NodeProcess(int(number)) if number else None,
                no_process="" if number else "the server was given, and its process is not known",
            )
        ]

    def release(self, queues: tuple[str, ...]) -> None:
        with _as_case_error():
            for queue in queues:
                try:
                    self._sqs.delete_queue(QueueUrl=queue)
                except self._sqs.exceptions.QueueDoesNotExist:
                    continue

    def _counts(self, queue: str) -> dict[str, int]:
        reply = self._sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=STATES)
        return {state: int(reply["Attributes"][state]) for state in STATES}

    def _server(self) -> str:
        return "Amazon SQS" if is_amazon(self._host) else os.environ.get(SERVER_VARIABLE) or self._host


def fault_proxy() -> str:
    """Where calls are to go that may meet a fault. Raises CaseError: nowhere, and none would."""
    if not (endpoint := os.environ.get(FAULT_PROXY_VARIABLE)):
        raise CaseError("faults of calls need a proxy before the SQS server, and none was started")
    return endpoint


def visibility_s(workload: Workload) -> int:
    """For how long a message is hidden once it is received: nobody else may have it before it is deleted, and
    after that a FIFO queue refuses its deletion.
    """
    return SQS_HIDDEN_S + math.ceil(workload.in_hand_s)


def is_amazon(host: str) -> bool:
    """Is it the service itself, and not a server that stands for it?"""
    return any(host.endswith(f".{domain}") for domain in AMAZON_DOMAINS)


@contextmanager
def _as_case_error() -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise CaseError(f"SQS: {error}") from error
