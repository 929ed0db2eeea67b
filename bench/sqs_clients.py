"""The SQS clients beside one another: CPU a call and messages a second, of a whole loader on ElasticMQ.

    PYTHONPATH=.:functions .venv/bin/python -m bench.sqs_clients [--rounds 5] [--seconds 4] [--endpoint URL]

A round loads a fresh queue with 10 workers and unloads it again, with each client in turn, ledger and
histograms on. CPU is this process's own, so the server's is not in it; calls are SendMessage in the load,
ReceiveMessage (empty ones too) and DeleteMessage in the unload. Medians over the rounds; the first one, which
warms the server up and finds how many messages fill the time, does not count.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from breakeven.clients.factory import make_client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.targets.sqs_standard import SqsStandard
from breakeven.workload.case import Case, Workload
from local.children import Children
from local.sqs_server import SqsServer

Kind = Literal["boto3", "native"]
WORKERS = 10
MESSAGE_BYTES = 1024
#: of the first round, which does not count
FIRST_MESSAGES = {"boto3": 300, "native": 3000}


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one stage: CPU microseconds a call, messages a second."""

    cpu_us: float
    per_s: float


@dataclass(frozen=True, slots=True)
class Round:
    load: Figures
    unload: Figures


class Alone:
    """The coordinator of a case with one loader."""

    def arrive(self, gate: str) -> None:
        self._opens_s = time.time() + 0.2

    def opens_at(self, gate: str) -> float | None:
        return self._opens_s

    def exchange(self, mine: Progress) -> CaseProgress:
        return CaseProgress(1, mine.producing, mine.sent, mine.expected, mine.received, None, mine.unknown)


def measured(kind: Kind, messages: int) -> Round:
    """One load and unload. :raises SystemExit: its ledger does not close, so its figures mean nothing"""
    workload = Workload(
        mode="load-unload",
        producers=WORKERS,
        consumers=WORKERS,
        message_bytes=MESSAGE_BYTES,
        messages=messages,
        warmup_s=0,
        measure_s=1,
        drain_s=30,
        client=kind,
    )
    case = Case(
        run_id="bench",
        case_id=f"{kind}-{time.monotonic_ns()}",
        scenario="bench",
        cell=f"threads={WORKERS}",
        target="sqs-standard",
        repeat=1,
        variant="equal-guarantees",
        tag="bnch",
        workload=workload,
        loaders=1,
        expected_s=30,
        limit_s=300,
    )
    target, client = SqsStandard(), make_client(workload, None)
    queues = target.prepare(case, 1).queues
    try:
        result = run_loader(Assignment(case, 1, 0, queues), client, Alone(), lambda _: None)
        measurement = merge([result], target.depth(queues))
    finally:
        client.close()
        target.release(queues)
    if measurement.ledger.received != messages or measurement.ledger.duplicates:
        raise SystemExit(f"{kind}: the ledger does not close: {measurement.ledger}")
    return Round(figures(measurement, "load"), figures(measurement, "unload"))


def figures(measurement: Measurement, stage: Literal["load", "unload"]) -> Figures:
    of_stage = ("produce",) if stage == "load" else ("consume", "settle")
    totals = [measurement.totals[metric] for metric in of_stage]
    seconds = totals[0].stage_s
    assert seconds
    calls = sum(total.cell.total().operations + total.cell.total().starved for total in totals)
    cpu_s = measurement.results[0].cpu_share[stage] * seconds
    return Figures(cpu_s / calls * 1e6, totals[0].cell.total().operations / seconds)


def compared(rounds: int, seconds: float) -> dict[Kind, list[Round]]:
    kinds: tuple[Kind, ...] = get_args(Kind)
    found: dict[Kind, list[Round]] = {kind: [] for kind in kinds}
    messages = dict(FIRST_MESSAGES)
    for number in range(rounds + 1):
        for kind in kinds:
            latest = measured(kind, messages[kind])
            if number:
                found[kind].append(latest)
            else:
                messages[kind] = round(seconds / (1 / latest.load.per_s + 1 / latest.unload.per_s))
    return found


def table(found: dict[Kind, list[Round]]) -> str:
    def medians(kind: Kind) -> list[float]:
        columns = [(r.load.cpu_us, r.load.per_s, r.unload.cpu_us, r.unload.per_s) for r in found[kind]]
        return [statistics.median(column) for column in zip(*columns, strict=True)]

    boto3, native = medians("boto3"), medians("native")
    ratio = [b / a for a, b in zip(boto3, native, strict=True)]
    heads = ("send: CPU us/call", "msg/s", "receive+delete: CPU us/call", "msg/s")
    lines = [f"{'':16}" + "".join(f"{head:>29}" for head in heads)]
    for name, row in (("boto3", boto3), ("native", native)):
        lines.append(f"{name:16}" + "".join(f"{value:29,.0f}" for value in row))
    lines.append(f"{'native / boto3':16}" + "".join(f"{value:29.3g}" for value in ratio))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="of one client in one round")
    parser.add_argument("--endpoint", help="a server that runs already")
    options = parser.parse_args()
    with Children() as children, tempfile.TemporaryDirectory() as workdir:
        server = None if options.endpoint else SqsServer(children, Path(workdir))
        endpoint = server.start() if server else options.endpoint
        os.environ["AWS_ENDPOINT_URL_SQS"] = endpoint
        for name, value in (("AWS_DEFAULT_REGION", "us-east-1"), ("AWS_ACCESS_KEY_ID", "local")):
            os.environ.setdefault(name, value)
        os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "local")
        try:
            print(f"{server.name if server else endpoint}, {WORKERS} workers, {MESSAGE_BYTES} B, medians of")
            print(f"{options.rounds} rounds of {options.seconds:g} s, {os.cpu_count()} cores")
            print(table(compared(options.rounds, options.seconds)))
        finally:
            if server:
                server.stop()


if __name__ == "__main__":
    main()
