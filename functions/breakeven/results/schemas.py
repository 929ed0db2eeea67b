"""The rows of a run, declared once: Glue tables, local views and writers all come from here.

Types are Hive's. Every table is partitioned by ``run_id``. Rates are messages a second, times end
in their unit, ``provenance`` is measured, emulated or published, ``environment`` is aws or local.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    comment: str
    columns: dict[str, str]


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
        "parameters": "string",  # JSON: the workload
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
        "metric": "string",  # produce, consume, settle, consume_cycle
        "second": "int",  # whole seconds since the stage's start
        "operations": "bigint",
        "bytes": "bigint",
        "starved": "bigint",  # asks that came back empty
        "errors": "bigint",
    },
)

LATENCIES = Table(
    "latencies",
    "merged histograms of the measured stage: one row a case, metric and bin",
    {
        "case_id": "string",
        "metric": "string",  # produce, consume, settle, consume_cycle, end_to_end
        "value_ns": "bigint",  # the bin's midpoint
        "operations": "bigint",
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
        "starved": "bigint",
        "stage_s": "double",
    },
)

LEDGERS = Table(
    "ledgers",
    "what became of every message: one row a case",
    {
        "case_id": "string",
        "sent": "bigint",
        "confirmed": "bigint",
        "returned": "bigint",
        "nacked": "bigint",
        "unknown": "bigint",
        "received": "bigint",
        "missing": "bigint",
        "left_in_queue": "bigint",
        "lost": "bigint",  # null when a loader ended without its ledger
        "duplicates": "bigint",
        "redelivered": "bigint",
        "out_of_order": "bigint",
        "unexpected": "bigint",
        "closed": "boolean",
    },
)

NODES = Table(
    "nodes",
    "one row a second and node while a case runs",
    {
        "case_id": "string",
        "node": "string",
        "second": "int",
        "cpu_share": "double",  # of the host's cores, null where the target does not tell
        "memory_bytes": "bigint",
        "disk_free_bytes": "bigint",
        "depth": "bigint",  # messages in the case's queues
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
        "as_of": "string",
    },
)

COST_INPUTS = Table(
    "cost_inputs",
    "what the crossover query is asked: one row a question",
    {
        "question_id": "string",
        "book": "string",
        "sqs_item": "string",  # standard_request
        "calls_per_message": "double",  # billed requests a message
        "free_requests": "double",  # a month
        "instance_type": "string",
        "nodes": "int",
        "volume_item": "string",  # gp3_gb_month, null without a volume
        "volume_gb": "double",  # a node
        "hours_per_month": "double",
    },
)

TABLES: tuple[Table, ...] = (CASES, WINDOWS, LATENCIES, TOTALS, LEDGERS, NODES, PRICES, COST_INPUTS)
PARTITION = "run_id"
METRICS = ("produce", "consume", "settle", "consume_cycle", "end_to_end")
