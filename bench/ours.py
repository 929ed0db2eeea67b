"""Our loader as a contender: the case it is given, and its figures from what it tells."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.contender_settings import Load, Times
from bench.measured import Figures, Percentiles
from bench.one_case import Order
from bench.watched import Command, Line
from breakeven.brokers.access import Access
from breakeven.errors import BreakevenError
from breakeven.planning.workload_settings import ABSENT, BUILT_IN, CLOSED, workload_of
from breakeven.workload.case import Case, Workload

NAMES = {"native": "ours", "pika": "ours on pika", "boto3": "boto3"}
#: nothing is compiled while it runs: this is for its connections and the broker's buffers
WARMUP_S = 3
DRAIN_S = 30.0
#: of a queue that nobody consumes from: nothing is to be waited for
NO_DRAIN_S = 0.1


def workload(load: Load, times: Times, client: str) -> Workload:
    return workload_of(
        {
            "mode": "parallel",
            "producers": 1,
            "consumers": int(load.consumes),
            "message_size": load.message_bytes,
            "warmup_s": WARMUP_S,
            # a window is from one look to another within the stage, a second apart
            "measure_s": times.window_s + 1.5,
            "drain_s": DRAIN_S if load.consumes else NO_DRAIN_S,
            "confirms": load.confirms,
            "mandatory": False,  # as PerfTest
            "consume": "push",
            "prefetch": load.window,
            "window": load.window,
            "rate": load.rate,
            "client": client,
        }
    )


def spelled(asked: Workload) -> str:
    """What of it differs from what a suite has that does not say it; JSON."""
    plain = {**BUILT_IN, **CLOSED, **ABSENT}.items()
    return json.dumps(dict(each for each in asked.model_dump().items() if each not in plain))


def case(name: str, asked: Workload, target: str) -> Case:
    return Case(
        run_id="bench",
        case_id=name,
        scenario="bench",
        cell="",
        target=target,
        repeat=1,
        variant="equal-guarantees",
        tag="bnch",
        workload=asked,
        loaders=1,
        expected_s=60,
        limit_s=300,
    )


def command(
    the_case: Case,
    queue: str,
    access: Access | None,
    environment: Mapping[str, str],
    checkout: Path | None = None,
) -> Command:
    """:param checkout: another one, whose code is to run"""
    order = Order(case=the_case, queue=queue, access=access)
    argv = [sys.executable, "-m", "bench.one_case"]
    if checkout is not None:
        if not (checkout / "bench/one_case.py").exists():
            argv[-1] = "bench.loader"  # its name in checkouts of before 28 November 2026
        # without this checkout, which is the current folder, on the path
        argv.insert(1, "-P")
        environment = {**environment, "PYTHONPATH": f"{checkout / 'functions'}:{checkout}"}
    return Command(NAMES[the_case.workload.client], argv, environment, order.model_dump_json())


def rabbitmq_figures(lines: Sequence[Line], load: Load) -> Figures:
    """:raises BreakevenError: its ledger does not close, so that its figures mean nothing"""
    summary = checked(lines, sent_is_received=load.consumes)
    count = "received" if load.consumes else "sent"
    per_s, cpu_us = window(lines, "measure", lambda progress: int(progress[count]))
    return Figures(per_s, cpu_us, _percentiles(summary, "produce"), _percentiles(summary, "end_to_end"))


def sqs_figures(lines: Sequence[Line]) -> dict[str, Figures]:
    """Of the load (a call a message), and of the unload (two: receive and delete).

    :raises BreakevenError: its ledger does not close
    """
    summary = checked(lines, sent_is_received=True)
    sent_per_s, send_us = window(lines, "load", lambda progress: int(progress["sent"]))
    got_per_s, got_us = window(lines, "unload", lambda progress: int(progress["received"]))
    return {
        "send": Figures(sent_per_s, send_us, _percentiles(summary, "produce")),
        "receive": Figures(got_per_s, got_us / 2, _percentiles(summary, "consume")),
    }


def window(
    lines: Sequence[Line], stage: str, count: Callable[[Mapping[str, Any]], int]
) -> tuple[float, float]:
    """Messages a second, and microseconds of CPU for each, from the first to the last look within a stage.

    :raises BreakevenError: fewer than two looks fell into it
    """
    looks = [(line, document) for line in lines if (document := json.loads(line.text)).get("stage") == stage]
    if len(looks) < 2:
        raise BreakevenError(f"stage {stage} was looked at {len(looks)} times: it is too short")
    (start, before), (end, after) = looks[0], looks[-1]
    messages = count(after) - count(before)
    if not messages:
        raise BreakevenError(f"no message in stage {stage}")
    return messages / (end.at_s - start.at_s), (end.cpu_s - start.cpu_s) / messages * 1e6


def percentiles(lines: Sequence[Line], metric: str) -> Percentiles | None:
    """Of a run that consumes.

    :raises BreakevenError: its ledger does not close
    """
    return _percentiles(checked(lines, sent_is_received=True), metric)


def checked(lines: Sequence[Line], *, sent_is_received: bool) -> dict[str, Any]:
    """The last line.

    :raises BreakevenError: its ledger does not close
    """
    summary = dict(json.loads(lines[-1].text))
    ledger = summary["ledger"]
    wrong = [name for name in ("duplicates", "unexpected", "returned", "nacked") if ledger[name]]
    if sent_is_received and ledger["received"] != ledger["sent"]:
        wrong.append("received")
    if wrong or summary["errors"]:
        raise BreakevenError(f"the ledger does not close ({', '.join(wrong)}): {ledger} {summary['errors']}")
    return summary


def _percentiles(summary: Mapping[str, Any], metric: str) -> Percentiles | None:
    found = summary["percentiles"].get(metric)
    return Percentiles(*found) if found else None
