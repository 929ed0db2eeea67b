"""RabbitMQ of our own, and runs of every contender on it: each on a fresh queue."""

from __future__ import annotations

import secrets
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import ours, perftest
from bench.contender_settings import Contenders, Load, Ours, Setting, Times
from bench.contest import Run
from bench.measured import Figures
from bench.watched import watch
from breakeven.brokers.access import Access
from breakeven.installation import QUEUES
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.target import open_target
from local.children import Children
from local.servers.broker_releases import release_of
from local.servers.brokers import BrokerCluster

QUEUE = f"{QUEUES}bench"
#: beside warm-up and window: starting, draining, closing; seconds
SLACK_S = 90.0


@dataclass(frozen=True, slots=True)
class Brokers:
    """``access`` names the node of the queues alone: every contender connects there."""

    setting: Setting
    children: Children
    access: Access
    server: str
    cluster: BrokerCluster

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the node of the queues."""
        self.cluster.signal(self.access.nodes[0].name, number)


@contextmanager
def brokers(children: Children, workdir: Path, setting: Setting) -> Iterator[Brokers]:
    """One node, or the target's cluster with what it puts in place."""
    credentials = Access(username="bench", password=secrets.token_hex(8))
    settings = ClusterSettings(nodes=setting.nodes)
    cluster = BrokerCluster(children, workdir, credentials, settings, release=release_of(setting.target))
    access = cluster.start()
    try:
        if setting.nodes > 1:
            open_target(setting.target, access).establish()
        found = Management(access).overview()
        server = f"{found['rabbitmq_version']}, Erlang {found['erlang_version']}"
        yield Brokers(
            setting, children, access.model_copy(update={"nodes": access.nodes[:1]}), server, cluster
        )
    finally:
        cluster.stop()


def run(brokers: Brokers, load: Load, times: Times, which: Ours | None) -> Figures:
    """``which``: None for PerfTest."""
    with fresh_queue(brokers, load):
        limit_s = times.warmup_s + times.window_s + SLACK_S
        if which is None:
            asked = perftest.arguments(load, times, QUEUE, brokers.setting)
            lines = watch(brokers.children, perftest.command(asked, brokers.access), limit_s)
            return perftest.figures(lines, load, times)
        case = ours.case(QUEUE, ours.workload(load, times, which.client), brokers.setting.target)
        command = ours.command(case, QUEUE, brokers.access, {}, which.checkout)
        lines = watch(brokers.children, command, limit_s)
        return ours.rabbitmq_figures(lines, load)


def runs(brokers: Brokers, load: Load, times: Times, table: str, contenders: Contenders) -> dict[str, Run]:
    """By contender."""
    return {
        name: (lambda which=which: {table: run(brokers, load, times, which)})  # type: ignore[misc]
        for name, which in contenders.items()
    }


def command_lines(load: Load, times: Times, setting: Setting, contenders: Contenders) -> dict[str, str]:
    """How each was called, for whoever wants to do it again."""
    said = {}
    for name, which in contenders.items():
        if which is None:
            said[name] = f"PerfTest {shlex.join(perftest.arguments(load, times, QUEUE, setting))}"
        else:
            said[name] = ours.spelled(ours.workload(load, times, which.client))
    return said


@contextmanager
def fresh_queue(brokers: Brokers, load: Load) -> Iterator[None]:
    """The queue that every contender uses, empty, for as long as the block lasts."""
    access, arguments = brokers.access, brokers.setting.declared(load)
    with open_channel(access, access.nodes) as channel:
        channel.queue_delete(QUEUE)
        channel.queue_declare(QUEUE, durable=True, arguments=arguments)
    try:
        yield
    finally:
        with open_channel(access, access.nodes) as channel:
            channel.queue_delete(QUEUE)
