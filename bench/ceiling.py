"""Our loader on a broker that costs nothing: how far it goes by itself."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench import ours
from bench.contender_settings import Load, Times
from bench.measured import Figures
from bench.rabbitmq_runs import QUEUE, SLACK_S
from bench.watched import ROOT, cpu_s, environment, watch
from breakeven.brokers.access import Access, Node
from breakeven.errors import BreakevenError
from local.children import Children
from local.ports import LOOPBACK

LOADS = {
    "publish and consume": Load(),
    "publish, confirms": Load(consumes=False),
    "publish, no confirms": Load(consumes=False, confirms=False),
}


def run(children: Children, load: Load, times: Times) -> tuple[Figures, float]:
    """Ours, and the cores that the stub took meanwhile."""
    with stub(children, load.message_bytes) as (access, process):
        asked = ours.case(QUEUE, ours.workload(load, times, "native"), "rabbitmq-mirrored-pair")
        started_s, used_s = time.monotonic(), cpu_s(process.pid)
        lines = watch(children, ours.command(asked, QUEUE, access, {}), times.window_s + SLACK_S)
        share = (cpu_s(process.pid) - used_s) / (time.monotonic() - started_s)
        return ours.rabbitmq_figures(lines, load), share


@contextmanager
def stub(children: Children, size: int) -> Iterator[tuple[Access, subprocess.Popen[bytes]]]:
    argv = [sys.executable, "-m", "bench.stub_broker", QUEUE, str(size)]
    process = children.spawn(argv, env=environment(), cwd=ROOT, stdout=subprocess.PIPE, name="stub broker")
    try:
        assert process.stdout
        port = process.stdout.readline()
        if not port:
            raise BreakevenError("the stub broker did not start")
        node = Node(name="stub", host=LOOPBACK, amqp_port=int(port), management_port=1)
        yield Access(username="stub", password="stub", nodes=(node,)), process  # noqa: S106
    finally:
        children.stop(process)
        if process.stdout:
            process.stdout.close()
