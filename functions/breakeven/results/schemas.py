"""The rows of a run, declared once: Glue tables, local views and writers all come from here.

Types are Hive's. Every table is partitioned by ``run_id``. Rates are messages a second, times end
in their unit, ``provenance`` is measured, emulated or published, ``environment`` is aws, local or,
of what a source published, elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from breakeven.loadgen.case_figures import Ledger, LoaderReport, NodeFigures, ProbeReport

_HIVE: dict[Any, str] = {bool: "boolean", int: "bigint", float: "double", str: "string"}


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    comment: str
    columns: dict[str, str]


@cache
def columns(row: type[BaseModel], but: str = "") -> Mapping[str, str]:
    """Column -> type, from a model's fields; ``but`` is the one that the table declares itself."""
    return {
        field.serialization_alias or name: next(
            _HIVE[kind] for kind in (field.annotation, *get_args(field.annotation)) if kind in _HIVE
        )
        for name, field in row.model_fields.items()
        if name != but
    }


ORIGIN = {"provenance": "string", "environment": "string"}

CASES = Table(
    "cases",
    "one row a case, settled or failed",
    {
        "case_id": "string",
        "scenario": "string",
        "cell": "string",
        "target": "string",
        "repeat": "int",
        "variant": "string",
        **ORIGIN,
        "status": "string",
        "reason": "string",
        "mode": "string",
        "producers": "int",
        "consumers": "int",
        "queues": "int",
        "message_bytes": "bigint",
        "messages": "bigint",
        "loaders": "int",
        "started_at": "string",
        "produce_s": "double",  # length of the stage in which produce was measured
        "consume_s": "double",  # the same for consume, settle and consume_cycle
        "mirrors_before": "string",  # JSON: queue -> synchronised mirrors, as read from the broker
        "mirrors_after": "string",
        "flags": "string",  # JSON array
        "flag_evidence": "string",  # JSON: flag -> what raised it, in words; null in runs of earlier versions
        "call_errors": "string",  # JSON array, one object an operation and kind; null in earlier versions
        "parameters": "string",  # JSON: the workload
        "printed": "string",  # JSON: the figures as their source printed them; null of what was not published
        "instrument": "string",  # JSON: the instrument's program, and what it did; null of other targets
        "base": "string",  # the scenario that others are compared with; null: none, or an earlier version's
    },
)

WINDOWS = Table(
    "windows",
    "one row a second, loader, stage and metric: what was completed in it",
    {
        "case_id": "string",
        "target": "string",
        "loader": "int",
        "stage": "string",  # warmup, measure, load, unload, drain
        "metric": "string",  # one of METRICS
        "second": "int",  # whole seconds since the stage's start
        "operations": "bigint",
        "bytes": "bigint",
        "starved": "bigint",  # asks that came back empty
        "errors": "bigint",
        "sum_ns": "bigint",  # how long the operations took; null where they have no start
        "max_ns": "bigint",  # the longest of them
        "stage_started_s": "double",  # epoch seconds; null in runs of earlier versions
    },
)

LATENCIES = Table(
    "latencies",
    "merged histograms of the measured stage: one row a case, metric and bin; or published statistics",
    {
        "case_id": "string",
        "metric": "string",  # one of METRICS
        "value_ns": "bigint",  # the bin's midpoint, or the statistic's value
        "operations": "bigint",  # null of a statistic
        "statistic": "string",  # null of a bin; mean, p90, ...: what a source published instead of bins
    },
)

TOTALS = Table(
    "totals",
    "exact figures of the measured stage: one row a case and metric",
    {
        "case_id": "string",
        "metric": "string",
        "operations": "bigint",  # latencies recorded: intended within the stage
        "completed": "bigint",  # completed within the stage: the rate's numerator
        "bytes": "bigint",
        "sum_ns": "bigint",
        "min_ns": "bigint",
        "max_ns": "bigint",
        "skipped": "bigint",  # end_to_end: send time not known to this loader
        "unfinished": "bigint",  # of the operations: not answered at the end, and counted up to then
        "starved": "bigint",
        "stage_s": "double",
        "early_completed": "bigint",  # of a load or unload: all but the last 0.1%, by whole seconds
        "early_s": "double",  # the last of these, since the stage's start
        "paused_s": "double",  # consume: by all workers together, after asks that came back empty
        "core_operations": "bigint",  # of the completed: the compiled core's; null of a reference client
        "general_operations": "bigint",  # the general path's; null of a reference client
        "calls": "bigint",  # on SQS, by which operations were completed; null of brokers, earlier versions
    },
)

LEDGERS = Table(
    "ledgers",
    "what became of every message: one row a case",
    {"case_id": "string", **columns(Ledger)},
)

LOADERS = Table(
    "loaders",
    "what each loader measured of itself: one row a case, loader and measured stage",
    {"case_id": "string", "loader": "int", **columns(LoaderReport, but="loader")},
)

PROBES = Table(
    "probes",
    "the rates that a capacity search tried: one row a case and probe",
    {"case_id": "string", "number": "int", "stage": "string", **columns(ProbeReport, but="number")},
)

NODES = Table(
    "nodes",
    "one row a second and node while a case runs",
    {
        "case_id": "string",
        "node": "string",
        "second": "int",  # whole seconds since the watch began
        "at_s": "double",  # when that second ended, epoch seconds
        **columns(NodeFigures),
    },
)

SERVICE_MINUTES = Table(
    "service_minutes",
    # a minute in which several cases of a lane ran is in the rows of each: a broker's figure is of all of it
    "what CloudWatch has of a service: one row a case, metric, minute, and broker, node or queue",
    {
        "case_id": "string",
        "target": "string",
        "part": "string",  # of what it is: broker (all of its nodes), node, queue
        "name": "string",  # the node's or the queue's; null: the whole broker
        "metric": "string",  # CloudWatch's name
        "statistic": "string",  # of what was published within the minute: Average, Maximum, Sum
        "unit": "string",  # Percent, Bytes, Count, Seconds
        "minute_s": "bigint",  # when the minute began, epoch seconds
        "seconds": "double",  # of the minute, in which the case was watched
        "value": "double",  # null: CloudWatch had none when it was asked, which is not 0
    },
)

FAULTS = Table(
    "faults",
    "what was done to a case's nodes, or befell its calls, while it was measured: one row a fault, by number",
    {
        "case_id": "string",
        "number": "int",  # from 1, as the suite has them
        # kill, stop, pause, memory-alarm, disk-alarm, partition, rolling-restart, reboot, cut-clients,
        # slow-clients, cut-peers, slow-peers; of calls throttle, error, delay, reset, duplicate
        "kind": "string",
        "aimed_at": "string",  # leader, other, a node's number, or broker; of calls which
        "node": "string",  # the broker node's name, or 'fault proxy'; null: none was chosen
        "due_s": "double",  # since the start of the measured stage, as the suite says
        "for_s": "double",  # how long the node was to stay so
        "extent": "string",  # by how much, such as '100 ms later, at most 10 Mbit/s'; null: its kind says all
        "due_at_s": "double",  # epoch seconds, as all that end so; null: its time never came
        "done_at_s": "double",  # null: it was not done
        # when the node's process ran again, its alarm was cleared, or its network restored; null: never
        "back_at_s": "double",
        "in_sync": "boolean",  # whether all replicas were when it was due; null: not known
        "error": "string",  # why it was not done, or not undone, or what else went wrong; null: nothing
        "injected_sends": "bigint",  # calls that met it, by the proxy's count; null: of a node, or not known
        "injected_receives": "bigint",  # the same; of duplicates copies that were handed out
        "injected_deletes": "bigint",
        "calls_seen": "bigint",  # calls that could have met it, likewise; of duplicates messages handed out
    },
)

PRICES = Table(
    "prices",
    "the price books used, one row a price and tier",
    {
        "book": "string",  # us-east-1@2026-11-20, 2012-12
        "region": "string",
        "service": "string",  # sqs, ec2, ebs
        "item": "string",  # standard_request, m7g.large, gp3_gb_month
        "unit": "string",  # request, hour, gb_month
        "tier_from": "double",
        "tier_to": "double",  # null: no end
        "usd": "double",  # null: not known
        "source": "string",
        "publisher": "string",  # aws, third-party; null: none has it, it is the question's own
        "as_of": "string",
    },
)

COST_OPTIONS = Table(
    "cost_options",
    "what the cost queries compare: one row an option of a question",
    {
        "question_id": "string",
        "base_id": "string",  # the question that this one varies; its own id where it varies none
        "purpose": "string",  # headline, size, history, interval, sensitivity, message-size, ..., bill
        "varied": "string",  # sensitivity: the input; interval: the inputs at their ends
        "factor": "double",  # sensitivity: what the input is multiplied by
        "option_id": "string",
        "side": "string",  # sqs, self-hosted, amazon-mq, bill
        "book": "string",
        "label": "string",  # for readers: 2 x m7g.large
        "messages_per_cluster": "double",  # a month, mean; null: one cluster whatever the traffic
        "hours_per_month": "double",
        "asked_messages": "double",  # a month: the traffic whose bill is wanted; null: none
        "hour_rate": "double",  # US dollars an hour of a person's work; null: not given
    },
)

COST_ITEMS = Table(
    "cost_items",
    "the lines of an option's bill: one row a line",
    {
        "question_id": "string",
        "option_id": "string",
        "line": "string",  # instances, requests, ...
        "formula": "string",  # how its units come about, in words and figures
        "book": "string",
        "service": "string",
        "item": "string",
        "price_factor": "double",  # of the book's price: 1, or what a discount leaves
        "units_fixed": "double",  # a month, whatever the traffic
        "units_per_message": "double",
        "units_per_cluster": "double",  # a month
        "units_free": "double",  # a month, before the book's tiers
        "units_used": "double",  # a month, by the account elsewhere: they take the first tiers
    },
)

TABLES: tuple[Table, ...] = (
    CASES,
    WINDOWS,
    LATENCIES,
    TOTALS,
    LEDGERS,
    LOADERS,
    PROBES,
    NODES,
    SERVICE_MINUTES,
    FAULTS,
    PRICES,
    COST_OPTIONS,
    COST_ITEMS,
)
PARTITION = "run_id"
