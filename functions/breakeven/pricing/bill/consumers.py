"""Consumers as a question names them, and what Fargate and Lambda's event source mappings would refuse."""

from __future__ import annotations

from math import ceil
from typing import Literal

from pydantic import Field

from breakeven.terms import SQS_MAX_BATCH, Frozen

Queue = Literal["sqs", "self-hosted", "amazon-mq"]

#: vCPU -> GB that go with it ("Amazon ECS task definition parameters for Fargate", ECS Developer Guide)
FARGATE_GB: dict[float, tuple[float, ...]] = {
    0.25: (0.5, 1, 2),
    0.5: tuple(map(float, range(1, 5))),
    1: tuple(map(float, range(2, 9))),
    2: tuple(map(float, range(4, 17))),
    4: tuple(map(float, range(8, 31))),
    8: tuple(map(float, range(16, 61, 4))),
    16: tuple(map(float, range(32, 121, 8))),
}
#: more than ten messages need a window, and a FIFO queue has neither; two pollers of a
#: mapping's own at least ("Creating and configuring an Amazon SQS event source mapping", AWS Lambda Developer
#: Guide)
BATCH_WITHOUT_WINDOW, LEAST_PROVISIONED = 10, 2
#: of a synchronous invocation's payload ("Lambda quotas", the same guide)
PAYLOAD_BYTES = 6 * 1024 * 1024
LONGEST_MS = 900_000.0


class Consumers(Frozen):
    """What takes the messages; every field but the first is of no consequence where nothing does."""

    consumer: Literal["containers", "lambda"] | None = Field(default=None, description="null: queue only")
    consumer_queues: int = Field(default=1, ge=1, le=10_000, description="that consumers poll")
    containers: int = Field(default=2, ge=1, le=10_000, description="at every rate")
    container_vcpu: float = Field(default=0.25, gt=0, le=16)
    container_gb: float = Field(default=0.5, gt=0, le=120)
    poll_wait_s: int = Field(default=20, ge=1, le=20, description="of a container's receive, at most")
    lambda_batch: int = Field(default=10, ge=1, le=10_000, description="messages of an invocation, at most")
    lambda_window_s: int | None = Field(
        default=None, ge=0, le=300, description="for which a batch is gathered; null: 0 on SQS, else 0.5"
    )
    lambda_ms: float = Field(default=10, ge=0.001, le=900_000, description="of a function's time, a message")
    lambda_memory_mb: int = Field(default=512, ge=128, le=10_240)
    lambda_pollers: int = Field(default=0, ge=0, le=10_000, description="provisioned for each queue of SQS")
    lambda_receives: float | None = Field(
        default=None,
        ge=1,
        le=SQS_MAX_BATCH,
        description="messages that a receive of Lambda brings, on average; null: not known",
    )
    lambda_polls_per_s: float | None = Field(
        default=None,
        ge=0,
        le=100_000,
        description="receives of Lambda a second that find a queue empty; null: not known, a poller has one "
        "each 20 s",
    )


def consumer_problem(wanted: Consumers, queue: str, message_bytes: int) -> str:
    """The field that AWS would refuse, and what it takes; empty where all is well."""
    if wanted.consumer == "containers":
        return _of_containers(wanted)
    return _of_lambda(wanted, queue == "fifo", payload_fits("sqs", message_bytes))


def payload_fits(queue: Queue, message_bytes: int) -> int:
    """Messages whose bodies an invocation carries: those of SQS as text, and those of a broker in base64."""
    return PAYLOAD_BYTES // (message_bytes if queue == "sqs" else in_base64(message_bytes))


def in_base64(message_bytes: int) -> int:
    """Bytes of a body in Lambda's event of RabbitMQ ("Using Lambda with Amazon MQ", the same guide)."""
    return 4 * ceil(message_bytes / 3)


def _of_containers(wanted: Consumers) -> str:
    sizes = FARGATE_GB.get(wanted.container_vcpu)
    if sizes is None:
        there = ", ".join(f"{vcpu:g}" for vcpu in FARGATE_GB)
        return f"container_vcpu: Fargate has {there}; give one of these"
    if wanted.container_gb not in sizes:
        there = ", ".join(f"{size:g}" for size in sizes)
        return f"container_gb: with {wanted.container_vcpu:g} vCPU Fargate has {there}; give one of these"
    return ""


def _of_lambda(wanted: Consumers, fifo: bool, fits: int) -> str:
    batch, window_s, most = wanted.lambda_batch, wanted.lambda_window_s, BATCH_WITHOUT_WINDOW
    found = [
        (
            fifo and batch > most,
            f"lambda_batch: of a FIFO queue an invocation takes {most} at most; give fewer",
        ),
        (fifo and bool(window_s), "lambda_window_s: a FIFO queue has no window; leave it out"),
        (batch > most and not window_s, f"lambda_batch: over {most} messages need a window of 1 s or more"),
        (
            min(batch, fits) * wanted.lambda_ms > LONGEST_MS,
            "lambda_ms: a batch takes over 15 minutes; give less",
        ),
        (
            (wanted.lambda_receives or 0) > batch,
            f"lambda_receives: a receive brings {batch} at most, as many as an invocation takes; give fewer",
        ),
        (
            0 < wanted.lambda_pollers < LEAST_PROVISIONED,
            f"lambda_pollers: a mapping has {LEAST_PROVISIONED} to 10,000 of its own, or none (0)",
        ),
    ]
    return next((problem for is_so, problem in found if is_so), "")
