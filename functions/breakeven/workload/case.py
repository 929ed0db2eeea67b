"""One case: a workload's cell on one target, with every default filled in. What a loader is given."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from breakeven.instrument.program import Program

Mode = Literal["load-unload", "parallel"]
#: what a suite may compare
Compared = Literal["sqs-standard", "rabbitmq-mirrored-pair"]
#: and the ruler's own, which proves the measuring and is compared with nothing
TargetName = Literal["sqs-standard", "rabbitmq-mirrored-pair", "instrument"]
Variant = Literal["equal-guarantees", "as-published"]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Workload(Frozen):
    """What is done to the queues. Times in seconds, sizes in bytes; counts are totals over loaders."""

    mode: Mode = "parallel"
    producers: int = Field(ge=0)
    consumers: int = Field(ge=0)
    queues: int = Field(default=1, ge=1)
    message_bytes: int = Field(ge=16)
    messages: int | None = Field(default=None, description="load-unload: how many are loaded")
    warmup_s: float = Field(ge=0)
    measure_s: float = Field(gt=0, description="parallel: length of the measured stage")
    drain_s: float = Field(gt=0, description="the drain's deadline after the measured stage")
    confirms: bool = True
    persistent: bool = True
    mandatory: bool = True
    consume: Literal["get", "push"] = "get"
    prefetch: int = Field(default=1, ge=1)
    wait_s: float = Field(default=0.0, ge=0, le=20, description="SQS long poll; 0 is a short poll")
    client: Literal["pika", "boto3", "native"]
    program: Program | None = Field(default=None, description="target instrument: what it shall do")


class Case(Frozen):
    """A workload on a target. Stored by the plan as JSON; ``tag`` marks its messages."""

    run_id: str
    case_id: str = Field(description="<scenario>.<cell>.<target>.r<repeat>, URL-safe")
    scenario: str
    cell: str = Field(description="the matrix cell in words, such as 'threads=40'")
    target: TargetName
    repeat: int = Field(ge=1)
    variant: Variant
    tag: str = Field(pattern=r"^[0-9A-Za-z_-]{4}$")
    workload: Workload
    loaders: int = Field(ge=1, le=40)
    start_deadline_s: float = Field(default=60.0, description="all loaders ready within this, else failed")
    expected_s: float = Field(description="the plan's estimate of the whole case")
    limit_s: float = Field(description="how long a loader may take in all")
