"""Rows of the tables that hold what was measured; ``samples`` says how they are made."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from random import Random

from breakeven.loadgen.record.histogram import Histogram, midpoint
from breakeven.terms import METRICS
from tests.trino.samples import SCENARIOS, TARGETS, TEXTS, Row, Sample, sample

#: numbers of latencies on either side of what each percentile needs
SAMPLE_COUNTS = (*(0, 1, 9, 19, 20, 21, 99, 100, 199, 200, 999, 1_000) * 3, 10_010)
#: when a case's first stage began, epoch seconds; and the others, seconds later
STARTED_S = 1_780_000_000.25
STAGES = {"warmup": 0.0, "measure": 2.5, "drain": 32.5}


@sample
def cases(given: Sample) -> Iterator[Row]:
    random = given.random
    for case_id, scenario, cell, target, repeat in given.cases:
        failed = random.random() < 0.2
        yield {
            "case_id": case_id,
            "scenario": scenario,
            "cell": cell,
            "target": target,
            "repeat": repeat,
            "variant": random.choice(("as-published", "equal-guarantees")),
            "provenance": random.choice(("measured", "emulated", "published")),
            "environment": random.choice(("aws", "local", "elsewhere")),
            "status": "failed" if failed else "ok",
            "reason": random.choice(TEXTS) if failed else None,
            "mode": random.choice(("closed", "open", "load-unload")),
            "producers": given.count(40),
            "consumers": given.count(40),
            "queues": 1,
            "message_bytes": random.choice((16, 1024, 65_537, 2**40)),
            "messages": given.maybe(2**53 + given.count()),
            "loaders": None if failed else random.randint(1, 3),
            "started_at": given.maybe("2026-11-20T10:15:00.123456+00:00"),
            "produce_s": _produce_s(given, case_id, failed),
            "consume_s": None if failed else random.uniform(1e-9, 1e9),
            "mirrors_before": given.maybe(json.dumps({"q-0": ["rabbit@a", "rabbit@b"]}), null=0.5),
            "mirrors_after": given.maybe("{}", null=0.5),
            "flags": json.dumps(["shared_host", "loader_saturated"][: random.randint(0, 2)]),
            "flag_evidence": given.maybe(json.dumps({"shared_host": random.choice(TEXTS)})),
            "call_errors": given.maybe(json.dumps([{"kind": random.choice(TEXTS)}])),
            "parameters": json.dumps({"body": random.choice(TEXTS), "rate": random.random()}),
            "printed": given.maybe(json.dumps({"produce.msg_per_s": "1875"}), null=0.7),
            "instrument": given.maybe(json.dumps({"program": {"lost": 7}, "done": None}), null=0.7),
            "base": given.cases[0][1],
        }


def _produce_s(given: Sample, case_id: str, failed: bool) -> float | None:
    """Of the first case, which recovers from its faults: what that needs."""
    any_s = None if failed else given.random.choice((0.0, 30.0, given.random.uniform(1, 90)))
    return 30.0 if case_id == given.case_ids[0] else any_s


@sample
def windows(given: Sample) -> Iterator[Row]:
    random = given.random
    for case_id in [*given.case_ids[1:], *given.orphans]:  # the first has none
        target = random.choice(TARGETS)
        for stage, metric, loader in itertools.product(STAGES, METRICS[:4], range(3)):
            if random.random() < 0.4:
                continue
            for second in range(random.choice((1, 7, 20))):
                if random.random() < 0.3:
                    continue  # nothing completed in it
                yield {
                    "case_id": case_id,
                    "target": target,
                    "loader": loader,
                    "stage": stage,
                    "metric": metric,
                    "second": second,
                    "operations": given.count(),
                    "bytes": given.count(10**12),
                    "starved": given.count(),
                    "errors": given.maybe(0),
                    "sum_ns": given.maybe(given.count(10**12)),
                    "max_ns": given.maybe(given.count(10**12)),
                    "stage_started_s": STARTED_S + STAGES[stage],
                }
    # it publishes and consumes steadily, but for an outage
    for second, metric in itertools.product(range(30), METRICS[:2]):
        yield {
            "case_id": given.case_ids[0],
            "loader": 0,
            "stage": "measure",
            "metric": metric,
            "second": second,
            "operations": 7 if 12 <= second < 16 else 1000,
            "errors": 3,
            "stage_started_s": STARTED_S + STAGES["measure"],
        }
    # as long as needs more than one sequence of seconds
    for second in (3, 999, 1000, 2345):
        yield {
            "case_id": given.case_ids[0],
            "loader": 0,
            "stage": "load",
            "metric": "produce",
            "second": second,
            "operations": second,
            "stage_started_s": STARTED_S,
        }


@sample
def latencies(given: Sample) -> Iterator[Row]:
    for case_id, metric, histograms in _histograms(given):
        for part in histograms:  # a bin may be in several rows
            for index, count in part.bins.items():
                yield {
                    "case_id": case_id,
                    "metric": metric,
                    "value_ns": midpoint(index),
                    "operations": count,
                }
        if given.random.random() < 0.3:  # a source's figures beside them: bins must not count them
            for statistic in ("mean", *given.random.sample(("p50", "p90", "p95", "p99", "p999"), 3)):
                yield {
                    "case_id": case_id,
                    "metric": metric,
                    "value_ns": given.count(10**12),
                    "statistic": statistic,
                }


@sample
def totals(given: Sample) -> Iterator[Row]:
    random = given.random
    known = {case_id: (scenario, target) for case_id, scenario, _, target, _ in given.cases}
    for case_id, metric, histograms in _histograms(given):
        whole = Histogram()
        for part in histograms:
            whole.merge(part)
        completed, stage_s = _rate(random, *known.get(case_id, ("", "")))
        yield {
            "case_id": case_id,
            "metric": metric,
            "operations": given.maybe(whole.count),  # a source does not say how many
            "completed": completed,
            "bytes": given.maybe(given.count(10**15)),
            "sum_ns": whole.sum_ns,
            "min_ns": whole.min_ns,
            "max_ns": whole.max_ns,
            "skipped": given.count() if metric == "end_to_end" else None,
            "unfinished": given.maybe(given.count()),
            "starved": given.count(),
            "stage_s": stage_s,
            "early_completed": given.maybe(given.count()),
            "early_s": given.maybe(random.choice((0.0, random.uniform(0.1, 100)))),
            "paused_s": given.maybe(random.uniform(0, 1e4)),
            "core_operations": given.maybe(given.count()),
            "general_operations": given.maybe(given.count()),
            "calls": given.maybe(given.count()),
        }


def _rate(random: Random, scenario: str, target: str) -> tuple[int | None, float | None]:
    """Operations and seconds: the repeats of one scenario agree, of another nearly, of the others not."""
    if random.random() < 0.04:
        return random.choice((None, 0, 1000)), random.choice((None, 0.0))
    if scenario == SCENARIOS[0]:
        return 12_345, 30.0
    if scenario == SCENARIOS[1]:
        return random.randint(99_000, 101_000) * (1 + TARGETS.index(target) % 2), 7.3
    return random.randint(0, 10**6), random.uniform(0.1, 100)


@sample
def ledgers(given: Sample) -> Iterator[Row]:
    random = given.random
    outcomes = ("confirmed", "returned", "nacked", "unknown")
    deliveries = ("received", "missing", "left_in_queue")
    for case_id in [*given.case_ids[2:], *given.orphans]:
        row = {name: given.count() for name in (*outcomes, "duplicates", "redelivered", "out_of_order")}
        row["sent"] = sum(row[name] for name in outcomes)
        row["received"] = random.randint(0, row["sent"])
        row["missing"] = random.randint(0, row["sent"] - row["received"])
        row["left_in_queue"] = row["sent"] - row["received"] - row["missing"]
        wrong = given.maybe(random.choice((*outcomes, *deliveries)), null=0.6)
        if wrong is not None:
            row[wrong] = given.maybe(row[wrong] + 1, null=0.3)
        yield {
            **row,
            "case_id": case_id,
            "lost": given.maybe(given.count()),
            "unexpected": given.count(),
            "closed": given.maybe(random.random() < 0.5),
            "queue_count": given.maybe(given.count()),
            "queue_count_exact": given.maybe(random.random() < 0.5),
            "queue_count_steady": given.maybe(random.random() < 0.5),
        }


@sample
def loaders(given: Sample) -> Iterator[Row]:
    random = given.random
    for case_id in [*given.case_ids[1:], *given.orphans]:
        for loader, stage in itertools.product(range(random.randint(1, 3)), ("measure", "load")):
            saturated = random.random() < 0.3
            yield {
                "case_id": case_id,
                "loader": loader,
                "stage": stage,
                "cpu_share": random.random() * 2,
                "lag_p99_ms": given.maybe(random.uniform(1e-3, 1e3)),
                "offered": given.maybe(given.count(10**12)),
                "achieved": given.maybe(given.count(10**12)),
                "pacing_p99_ms": given.maybe(random.uniform(1e-3, 1e3)),
                "blocked_share": given.maybe(random.random()),
                "others_share": given.maybe(random.random()),
                "steal_share": given.maybe(random.random()),
                "idle_share": given.maybe(random.random()),
                "work_before_ms": given.maybe(random.uniform(0.1, 10)),
                "work_after_ms": given.maybe(random.uniform(0.1, 10)),
                "saturated": saturated,
                "evidence": random.choice(TEXTS) if saturated else None,
                "zone": given.maybe("use1-az1"),
                "zone_unknown": given.maybe(random.choice(TEXTS)),
                "runtime": given.maybe("3.13.5"),
                "openssl": given.maybe("OpenSSL 3.0.17 1 Jul 2025"),
                "fallback": given.maybe(random.choice(TEXTS)),
            }


@sample
def probes(given: Sample) -> Iterator[Row]:
    random = given.random
    for case_id in [*given.case_ids[1:4], *given.orphans]:
        for number in range(1, random.randint(2, 9)):
            held = random.random() < 0.5
            yield {
                "case_id": case_id,
                "number": number,
                "stage": f"probe-{number}",
                "rate": random.uniform(1, 1e6),
                "offered": given.count(10**9),
                "achieved": given.count(10**9),
                "backlog_per_s": given.maybe(random.uniform(-1e3, 1e3)),
                "backlog_per_s_high": given.maybe(random.uniform(-1e3, 1e3)),
                "end_to_end_p99_ms": given.maybe(random.uniform(1e-3, 1e5)),
                "held": held,
                "reason": None if held else random.choice(TEXTS),
                "for_s": given.maybe(random.uniform(1, 1e3)),
                "confirms": given.maybe(random.random() < 0.5),
                "scouts": given.maybe(random.random() < 0.5),
            }


def _histograms(given: Sample) -> Iterator[tuple[str, str, list[Histogram]]]:
    """Several loaders' histograms of each case and metric."""
    random = given.shared("histograms")
    for case_id in [*given.case_ids, *given.orphans]:
        for metric in METRICS:
            loaders = [Histogram() for _ in range(3)]
            spread = random.choice((0.01, 0.5, 2.0))
            for number in range(random.choice(SAMPLE_COUNTS)):
                loaders[number % 3].add(min(4 * 10**12, int(random.lognormvariate(14, spread))))
            yield case_id, metric, loaders
