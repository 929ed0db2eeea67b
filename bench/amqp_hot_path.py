"""What a message costs the loader's process, ledger and histograms on: code of one or more trees in turn.

    PYTHONPATH=.:functions .venv/bin/python bench/amqp_hot_path.py [--code . --code ../other] [--rounds 5]

Whole loaders, each in a process of its own, on one node that this starts: one publisher and one consumer
(push, prefetch 200, one ack a message), 200 in flight, persistent messages of 1 KiB on a durable classic
queue. CPU is the loader process's, user and system, over the measured stage. Broker and loader share the
machine's cores.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from breakeven.clients.factory import make_client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Progress
from breakeven.loadgen.loader import run_loader
from breakeven.targets.base import Access
from breakeven.targets.rabbitmq_channel import open_channel
from breakeven.workload.case import Case, Workload
from local.broker_files import ClusterSettings
from local.brokers import BrokerCluster
from local.children import Children

QUEUE = "bench-amqp-hot-path"
#: by name: the workload's fields beside the common ones, and the metric whose completions are counted
KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "publish, no confirms": ({"consumers": 0, "confirms": False, "drain_s": 0.1}, "produce"),
    "publish, confirms": ({"consumers": 0, "drain_s": 0.1}, "produce"),
    "both ways, 2,000 msg/s": ({"rate": 2000.0}, "consume"),
    "both ways, full speed": ({}, "consume"),
}
COMMON = {"producers": 1, "consumers": 1, "message_bytes": 1024, "consume": "push", "prefetch": 200}


class Alone:
    """The coordinator of a loader that has the case to itself."""

    def arrive(self, gate: str) -> None:
        self._opens_s = time.time() + 0.3

    def opens_at(self, gate: str) -> float | None:
        return self._opens_s

    def exchange(self, progress: Progress) -> CaseProgress:
        of_case = (progress.producing, progress.sent, progress.expected, progress.received)
        return CaseProgress(1, *of_case, aborted=None, unknown=progress.unknown)


def case(kind: str, seconds: float) -> Case:
    times = {"warmup_s": 1.0, "measure_s": seconds, "drain_s": 60.0}
    fields = {**COMMON, **times, "window": 200, "client": "native", **KINDS[kind][0]}
    return Case(
        run_id="bench",
        case_id="bench.cell.target.r1",
        scenario="bench",
        cell=kind,
        target="rabbitmq-mirrored-pair",
        repeat=1,
        variant="equal-guarantees",
        tag="bnch",
        workload=Workload.model_validate(fields),
        loaders=1,
        expected_s=60.0,
        limit_s=300.0,
    )


def measure(kind: str, seconds: float, access: Access) -> dict[str, float]:
    """Run in a process of its own: messages a second, and CPU microseconds for each."""
    bench = case(kind, seconds)
    client = make_client(bench.workload, access)
    result = run_loader(Assignment(bench, 1, 0, (QUEUE,)), client, Alone(), lambda checkpoint: None)
    client.close()
    if result.errors:
        raise SystemExit(f"{kind}: {result.errors}")
    total = result.cells["measure", KINDS[kind][1]].total().operations
    return {"rate": total / seconds, "cpu_us": result.diagnoses[0].cpu_share * seconds / total * 1e6}


def in_its_own_process(code: str, kind: str, seconds: float, access: Access) -> dict[str, float]:
    command = [sys.executable, __file__, "--kind", kind, "--seconds", str(seconds)]
    environment = {**os.environ, "PYTHONPATH": f"{code}:{code}/functions"}
    done = subprocess.run(
        command,
        input=access.model_dump_json(),
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def table(results: dict[tuple[str, str], list[dict[str, float]]]) -> str:
    rows = ["| what | code | msg/s | loader CPU, µs a message |", "|---|---|---|---|"]
    for (kind, code), found in results.items():
        rate, cpu_us = ([one[field] for one in found] for field in ("rate", "cpu_us"))
        spread = f"{statistics.median(cpu_us):.2f} ({min(cpu_us):.2f}-{max(cpu_us):.2f})"
        rows.append(f"| {kind} | {code} | {statistics.median(rate):,.0f} | {spread} |")
    return "\n".join(rows)


def compare(codes: list[str], kinds: list[str], rounds: int, seconds: float) -> None:
    results: dict[tuple[str, str], list[dict[str, float]]] = {
        (kind, code): [] for kind in kinds for code in codes
    }
    with tempfile.TemporaryDirectory() as folder, Children() as children:
        credentials = Access(username="bench", password=secrets.token_hex(8))
        cluster = BrokerCluster(children, Path(folder), credentials, ClusterSettings(nodes=1))
        access = cluster.start()
        for number in range(rounds):
            for kind in kinds:
                for code in codes if number % 2 == 0 else codes[::-1]:
                    with open_channel(access, access.nodes) as channel:
                        channel.queue_delete(QUEUE)
                        channel.queue_declare(QUEUE, durable=True)
                    results[kind, code].append(in_its_own_process(code, kind, seconds, access))
        cluster.stop()
    print(table(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--code", action="append", help="a checkout of this project; may be given again")
    parser.add_argument("--only", action="append", choices=KINDS)
    parser.add_argument("--kind", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.kind is None:
        compare(options.code or ["."], options.only or list(KINDS), options.rounds, options.seconds)
    else:
        access = Access.model_validate_json(sys.stdin.read())
        print(json.dumps(measure(options.kind, options.seconds, access)))


if __name__ == "__main__":
    main()
