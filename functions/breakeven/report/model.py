"""The contract of ``report.json``. Its JSON Schema is ``docs/report.schema.json``, made from here."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1.0"

Provenance = Literal["measured", "emulated", "published"]
Environment = Literal["aws", "local"]
#: every flag a case can carry; docs/metrics.md says what each means
Flag = Literal[
    "shared_host",  # loader and target on the same machine
    "emulated",  # the target is a stand-in for the service
    "loader_saturated",  # the loader's processes used 80% or more of a core each: a lower bound
    "few_samples",  # a percentile is null for lack of samples
    "drain_deadline",  # the drain ended at its deadline before the ledger closed
    "ledger_incomplete",  # a loader ended without its ledger; its tail is unknown
    "mirrors_out_of_sync",  # a mirror was missing before or after the case
    "end_to_end_partial",  # some messages were consumed by a loader that had not sent them
    "call_errors",  # calls failed and were counted
]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Metric(Strict):
    """Rate over the measured stage; latencies in milliseconds, null where too few samples lie beyond."""

    msg_per_s: float | None
    mb_per_s: float | None = Field(description="10^6 bytes of body a second")
    mean_ms: float | None
    min_ms: float | None
    p50_ms: float | None
    p90_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float | None
    operations: int = Field(description="latencies recorded")


class EndToEnd(Metric):
    skipped: int = Field(description="messages whose send time the receiving loader did not know")


class Ledger(Strict):
    """sent = confirmed + returned + nacked + unknown; sent = received + missing + left."""

    sent: int
    confirmed: int
    returned: int
    nacked: int
    unknown: int
    received: int
    missing: int
    left: int
    lost: int | None = Field(description="confirmed and missing; null when a loader's ledger is incomplete")
    duplicates: int
    redelivered: int
    out_of_order: int
    unexpected: int
    closed: bool


class CaseReport(Strict):
    case_id: str
    scenario: str
    cell: str
    target: str
    repeat: int
    variant: str
    provenance: Provenance
    environment: Environment
    status: Literal["ok", "failed"]
    reason: str | None
    parameters: dict[str, str | int | float | bool | None]
    produce: Metric | None
    consume: Metric | None
    settle: Metric | None
    consume_cycle: Metric | None
    end_to_end: EndToEnd | None
    ledger: Ledger | None
    mirrors: dict[str, dict[str, int]] | None = Field(
        description="before and after: queue -> synchronised mirrors read from the broker; null for SQS"
    )
    flags: list[Flag]


class Crossover(Strict):
    """Where the two cost lines meet. A null rate: they do not meet in the priced range."""

    question_id: str
    targets: list[str]
    kind: Literal["meet", "tie", "never", "unpriced"] = Field(
        description="meet: equal at one rate; tie: equal over an interval from msg_per_s; never: not in the "
        "priced range; unpriced: a price is not known"
    )
    cheaper_below: str | None = Field(
        description="target that is cheaper below the equal rate; null: no such side"
    )
    cheaper_above: str | None
    msg_per_s: float | None = Field(description="monthly mean")
    messages_per_month: float | None
    messages_per_hour: float | None
    usd_per_month: float | None
    price_book: str
    capacity: str = Field(description="what is known of the cluster's capacity at that rate")
    assumptions: dict[str, str | int | float | None]


class CostLine(Strict):
    """Points of the cost curves of one question, for the chart: dollars a month at a monthly-mean rate."""

    question_id: str
    msg_per_s: list[float]
    sqs_usd: list[float]
    rabbitmq_usd: list[float]


class RatePoint(Strict):
    """Completions a second, summed over loaders."""

    case_id: str
    metric: str
    stage: str
    second: int
    msg_per_s: float


class Manifest(Strict):
    project_version: str
    scenario_sha256: str
    seed: int
    rabbitmq: str | None = Field(description="server name and version, such as 'RabbitMQ 3.10.8, Erlang 25'")
    sqs: str | None = Field(description="server, such as 'ElasticMQ 1.7.1 (emulated)' or 'Amazon SQS'")
    versions: dict[str, str] = Field(description="python, boto3, pika, ...")
    hardware: dict[str, str | int | float]
    targets: dict[str, dict[str, str | int | float | bool | None]] = Field(
        default_factory=dict,
        description="what each target says of itself: partition_handling, net_ticktime, ...",
    )
    price_books: list[str]
    notes: list[str] = Field(description="what the reader must be told, such as a fallback that was taken")


class Report(Strict):
    schema_version: Literal["1.0"] = "1.0"
    run_id: str
    suite: str
    title: str
    variant: str
    started_at: str
    finished_at: str
    environment: Environment
    verdict: str = Field(description="the answer in words")
    manifest: Manifest
    cases: list[CaseReport]
    crossovers: list[Crossover]
    cost_lines: list[CostLine]
    rates: list[RatePoint]
    assumptions: list[str]
