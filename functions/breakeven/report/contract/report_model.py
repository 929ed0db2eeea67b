"""The contract of ``report.json``. Its JSON Schema is ``docs/report.schema.json``, made from here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from breakeven.loadgen.case_figures import CallErrors, Ledger, ProbeReport
from breakeven.loadgen.search.probe import bound, confirmed_s, held_rate
from breakeven.report.contract.board_model import BaseRatio, BoardSize, ClusterPrice
from breakeven.report.contract.cost_model import (
    Bill,
    BreakEvenHours,
    CostCurve,
    DecisionMap,
    OfferedRate,
    PriceTier,
    VolumePrice,
)
from breakeven.report.contract.crossing_model import (
    CheaperVariant,
    Crossover,
    EmptyReceives,
    Sensitivity,
    SizeCrossing,
)
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.contract.fault_model import FaultReport
from breakeven.report.contract.flag_names import CaseFlag
from breakeven.report.contract.joined_model import CrossingLatency, PricedCapacity
from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.contract.node_model import NodeCourse, ServiceWatch, SurveyedNode
from breakeven.report.contract.pairs_model import Pairs
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.rate_model import RateCourse, as_courses
from breakeven.report.contract.source_model import SourceReport
from breakeven.report.contract.strict import Strict
from breakeven.report.contract.validity_model import Validity
from breakeven.terms import Environment, Flag, Place, Provenance


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
    operations: int | None = Field(description="latencies recorded; null of what a source published")
    unfinished: int | None = Field(
        default=None,
        description="of the operations: at least what they are counted as, without an answer at the end; "
        "end to end, not received, or received once the producers helped with the drain",
    )
    early_msg_per_s: float | None = Field(
        default=None,
        description="of a load or unload: up to the second in which 99.9% had come; null under 1,000",
    )
    paused_s: float | None = Field(
        default=None, description="of consume: slept after empty asks, by all workers"
    )
    empty_per_message: float | None = Field(
        default=None, description="of consume: asks that came back empty, for each message received"
    )
    per_call: float | None = Field(
        default=None, description="on SQS, of produce, consume and settle: messages a call, on average"
    )
    core_operations: int | None = Field(default=None, description="completions that the compiled core drove")
    general_operations: int | None = Field(default=None, description="completions of the general path")


class EndToEnd(Metric):
    skipped: int = Field(description="messages whose send time the receiving loader did not know")


class CaseReport(Strict):
    case_id: str
    scenario: str
    cell: str
    target: str
    repeat: int
    variant: str
    provenance: Provenance
    environment: Place
    status: Literal["ok", "failed"]
    reason: str | None
    parameters: dict[str, str | int | float | bool | None]
    produce: Metric | None
    consume: Metric | None
    settle: Metric | None
    consume_cycle: Metric | None
    end_to_end: EndToEnd | None
    produce_service: Metric | None = Field(default=None, description="open loop: from the actual send")
    pacing: Metric | None = Field(default=None, description="open loop: the loader's own lateness")
    loaders: LoaderReports = Field(default_factory=LoaderReports)
    probes: list[ProbeReport] = Field(default_factory=list, description="of a capacity search, in order")
    ledger: Ledger | None
    mirrors: dict[str, dict[str, int]] | None = Field(
        description="before and after: queue -> synchronised mirrors read from the broker; null for SQS"
    )
    flags: list[CaseFlag]
    flag_evidence: dict[CaseFlag, str] = Field(
        default_factory=dict, description="what raised each flag, in words; none of runs of earlier versions"
    )
    call_errors: list[CallErrors] = Field(
        default_factory=list, description="calls that failed, by operation and kind, the most frequent first"
    )
    settled_in: str | None = Field(
        default=None,
        description="the earlier run that measured it, which this one resumes; null: this run, or unknown "
        "of earlier versions",
    )
    printed: dict[str, str] = Field(
        default_factory=dict,
        description="of published cases, every figure as its source printed it: produce.msg_per_s -> '1875'",
    )

    def shown(self, operation: str) -> Metric | None:
        """The metric to compare: where there is no consume cycle, consume stands for it."""
        if operation == "consume_cycle":
            return self.consume_cycle or self.consume
        metric: Metric | None = getattr(self, operation)
        return metric

    def why(self, flag: Flag) -> str:
        """What raised the flag, in words; empty where the run did not record it."""
        if flag == "loader_saturated" and flag not in self.flag_evidence:
            return "; ".join(why for _, why in self.loaders.evidenced)
        return self.flag_evidence.get(flag, "")

    @property
    def held_rate(self) -> float | None:
        """The highest rate that was held, messages a second; None: none was searched for or held."""
        return held_rate(self.probes)

    @property
    def confirmed_s(self) -> float | None:
        """How long that rate was held once it was found, seconds; None: it was not asked for, or not held."""
        return confirmed_s(self.probes)

    @property
    def is_lower_bound(self) -> bool:
        """Whether the capacity may be higher: a loader was the limit, or no higher rate failed."""
        return "loader_saturated" in self.flags or bound(self.probes) is None


class Repeats(Strict):
    """How far the repeats of a cell agree in one figure of one metric; two repeats or more."""

    scenario: str
    cell: str
    target: str
    provenance: Provenance
    environment: Environment
    metric: str
    figure: Literal["msg_per_s", "mean_ms", "p50_ms", "p95_ms"]
    repeats: int = Field(description="cases that were measured to the end")
    mean: float | None = Field(description="null of percentiles, and where a repeat lacks the figure")
    least: float | None
    greatest: float | None
    spread: float | None = Field(description="(greatest - least) / mean, a share")
    interval_low: float | None = Field(description="95% interval of the mean, by Student's t")
    interval_high: float | None
    spread_over_10_percent: bool
    loader_saturated: bool = Field(description="in any repeat: a rate is then a lower bound")


class Comparison(Strict):
    """The rate of one target over that of another in a cell, with its interval by Welch on logarithms."""

    scenario: str
    cell: str
    metric: str
    target: str
    against: str
    environment: Environment
    provenance: Provenance
    against_provenance: Provenance
    repeats: int
    against_repeats: int
    ratio: float | None = Field(description="target's rate over that of against, of geometric means")
    interval_low: float | None = Field(description="95% interval of the ratio")
    interval_high: float | None
    verdict: Literal["higher", "lower", "no difference shown", "not enough repeats", "not comparable"]
    loader_saturated: bool
    against_loader_saturated: bool


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
    notes: list[str] = Field(description="what the reader should know, such as a fallback that was taken")
    loaders: list[str] = Field(
        default_factory=list,
        description="cells in which an earlier run found a loader to be the limit: loaders now, and why",
    )


class Detail(Strict):
    """What the answer in detail says of one subject, in words."""

    subject: str
    text: str


def _read_as(version: object) -> object:
    """Of schema 1.0 all is read: its points of rates and its reports of loaders become lists of figures."""
    return "2.0" if version == "1.0" else version


class Report(Strict):
    schema_version: Annotated[Literal["2.0"], BeforeValidator(_read_as)] = "2.0"
    run_id: str
    suite: str
    title: str
    variant: str
    started_at: str
    finished_at: str = Field(description="when the run came to its end; empty: it has not, or is no run")
    made_at: str | None = Field(
        default=None, description="when this report was made; null of a source, and of earlier versions"
    )
    environment: Place
    source: SourceReport | None = Field(default=None, description="null: these are the figures of a run")
    verdict: str = Field(description="the answer in short, in words: paragraphs with an empty line between")
    detail: list[Detail] = Field(
        default_factory=list,
        description="the rest of the answer, by subject; empty of earlier versions, whose verdict has all",
    )
    validity: Validity | None = Field(default=None, description="null of what a source published")
    manifest: Manifest
    unsettled: int = Field(
        default=0, description="planned cases that are not here: the run had not ended when this was written"
    )
    cases: list[CaseReport] = Field(description="those that are compared; the instrument's are in validity")
    crossovers: list[Crossover]
    crossing_latencies: list[CrossingLatency] = Field(
        default_factory=list, description="of each pair's first change of sides"
    )
    pairs: Pairs | None = Field(default=None, description="every option against every other; null: not asked")
    empty_receives: EmptyReceives | None = Field(
        default=None, description="null: no case on SQS counted any, or their number was given"
    )
    crossovers_by_size: list[SizeCrossing] = Field(default_factory=list)
    size_board: list[BoardSize] = Field(
        default_factory=list, description="sizes whose capacity was measured on AWS, and what they cost"
    )
    cluster_prices: list[ClusterPrice] = Field(default_factory=list, description="of the run's clusters")
    cheaper_variants: list[CheaperVariant] = Field(
        default_factory=list,
        description="one node, and burstable types, in the place of the headline's cluster",
    )
    offered_rates: list[OfferedRate] = Field(default_factory=list, description="of open loops, priced")
    volumes: list[VolumePrice] = Field(
        default_factory=list, description="a few volumes and sizes, priced; empty of earlier versions"
    )
    capacities: list[PricedCapacity] = Field(
        default_factory=list,
        description="of clusters on AWS: what this run measured, and what else it is priced with",
    )
    cost_questions: list[CostQuestion] = Field(default_factory=list)
    cost_curves: list[CostCurve] = Field(default_factory=list)
    bills: list[Bill] = Field(default_factory=list)
    break_even_hours: list[BreakEvenHours] = Field(default_factory=list)
    decision_map: list[DecisionMap] = Field(default_factory=list)
    sensitivity: list[Sensitivity] = Field(default_factory=list)
    prices: list[PriceTier] = Field(
        default_factory=list, description="what the figures of cost are priced with, by source and date"
    )
    cost_notes: list[str] = Field(default_factory=list, description="what is not priced, and why")
    faults: list[FaultReport] = Field(
        default_factory=list, description="what was done to nodes while a case was measured"
    )
    rates: Annotated[list[RateCourse], BeforeValidator(as_courses)]
    nodes: list[NodeCourse] = Field(
        default_factory=list, description="over time; empty: no node was sampled, or by an earlier version"
    )
    services: ServiceWatch | None = Field(default=None, description="null: none is of CloudWatch, or read")
    surveys: list[SurveyedNode] = Field(default_factory=list, description="of nodes before their first case")
    repeats: list[Repeats] = Field(default_factory=list, description="empty: every cell was measured once")
    comparisons: list[Comparison] = Field(default_factory=list)
    base_ratios: list[BaseRatio] = Field(default_factory=list, description="empty: the suite has no base")
    drift: DriftReport | None = Field(
        default=None, description="since the last comparable run; null of a source, and of earlier versions"
    )
    assumptions: list[str]

    @property
    def is_in_doubt(self) -> bool:
        """Did the loader misread the instrument, or is there no reading of it? Then the self-test failed."""
        return self.validity is not None and self.validity.is_in_doubt

    @property
    def headline_question(self) -> CostQuestion | None:
        """Today's question; that of history only where there is no other."""
        return next(iter(self.cost_questions), None)

    def question(self, question_id: str) -> CostQuestion:
        return next(question for question in self.cost_questions if question.question_id == question_id)
