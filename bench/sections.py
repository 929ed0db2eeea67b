"""Sections of the benchmark, each with its loads, its contenders and its goals."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import ceiling, java_sdk, ours, pause, perftest, rabbitmq_runs, sqs_runs, terminator
from bench.contender_settings import CLASSIC, MIRRORED, QUORUM, Contenders, Load, Ours, Setting, Times
from bench.contest import Figure, Goal, Section, interleave
from local.children import Children

OURS, PIKA, BOTO3 = ours.NAMES["native"], ours.NAMES["pika"], ours.NAMES["boto3"]
#: of what PerfTest carries as fast as it goes: a common rate that is below saturation for both, and the rate
#: of PerfTest's warm-up before it, near saturation so that its code is compiled
FIXED_SHARE, WARM_SHARE = 0.7, 0.9
#: longest queue where nobody consumes, so that memory does not grow
MAX_LENGTH = 10_000
LATENCIES = {"confirm": "confirm", "end to end": "end_to_end"}
SQS_GOALS: tuple[tuple[str, Figure, float], ...] = (
    (BOTO3, "cpu_us", 1 / 15),
    (BOTO3, "per_s", 6.0),
    (java_sdk.NAME, "cpu_us", 1 / 2),
    (java_sdk.NAME, "per_s", 1.3),
)


@dataclass(frozen=True, slots=True)
class Bench:
    """What every section needs. ``versions`` is filled in as servers are started; ``beside``: checkouts."""

    children: Children
    workdir: Path
    times: Times
    say: Callable[[str], None]
    versions: dict[str, str]
    beside: tuple[Path, ...] = ()

    def contenders(self) -> Contenders:
        """On RabbitMQ: PerfTest, our loader in other checkouts, and here."""
        others = {name: Ours(checkout=path) for name, path in self.checkouts().items()}
        return {perftest.NAME: None, **others, OURS: Ours()}

    def checkouts(self) -> dict[str, Path]:
        """Our loader in other checkouts, by contender."""
        return {f"{OURS} in {path.name}": path for path in self.beside}


def classic(bench: Bench) -> list[Section]:
    fast = _both_ways(bench, CLASSIC, "classic", "Durable classic queue, one node", 1.15)
    return [fast, _fixed_rate(bench, CLASSIC, fast, "Durable classic queue at a fixed rate")]


def mirrored(bench: Bench) -> list[Section]:
    fast = _both_ways(bench, MIRRORED, "mirrored", "Mirrored pair", 1.05)
    return [fast, _fixed_rate(bench, MIRRORED, fast, "Mirrored pair at a fixed rate")]


def quorum(bench: Bench) -> list[Section]:
    fast = _both_ways(bench, QUORUM, "quorum", "Quorum queue of three members on RabbitMQ 4", 1.15)
    return [fast, _fixed_rate(bench, QUORUM, fast, "Quorum queue at a fixed rate")]


def publish(bench: Bench) -> list[Section]:
    """Nobody consumes."""
    loads = {
        "no confirms": (Load(consumes=False, confirms=False, max_length=MAX_LENGTH), 1 / 8),
        "confirms, window 200": (Load(consumes=False, max_length=MAX_LENGTH), 1 / 5),
    }
    return [
        _on_rabbitmq(
            bench,
            CLASSIC,
            Section(
                name=f"publish, {table}",
                title=f"Publish only, {table}",
                unit="message",
                contenders=tuple(bench.contenders()),
                goals=(Goal(table, perftest.NAME, "cpu_us", bound),),
                notes=(f"A durable classic queue that keeps the last {MAX_LENGTH:,} messages.",),
                latencies={"confirm": "confirm"} if load.confirms else {},
            ),
            load,
            table,
            bench.contenders(),
        )
        for table, (load, bound) in loads.items()
    ]


def pika(bench: Bench) -> list[Section]:
    """What an application sees that uses the reference client."""
    section = Section("pika", "Our loader on pika", "message", (PIKA, OURS))
    return [_on_rabbitmq(bench, CLASSIC, section, Load(), "classic", {PIKA: Ours("pika"), OURS: Ours()})]


def own_ceiling(bench: Bench) -> list[Section]:
    section = Section(
        name="ceiling",
        title="The loader's own ceiling",
        unit="message",
        contenders=(OURS,),
        commands={
            f"{OURS}, {table}": ours.spelled(ours.workload(load, bench.times, "native"))
            for table, load in ceiling.LOADS.items()
        },
    )
    shares = []
    for table, load in ceiling.LOADS.items():
        for _ in range(min(3, bench.times.repeats)):
            found, share = ceiling.run(bench.children, load, bench.times)
            section.tables.setdefault(table, {}).setdefault(OURS, []).append(found)
            shares.append(share)
            bench.say(f"ceiling: {table}: {found.per_s:,.0f} msg/s, {found.cpu_us:.1f} µs a message")
    section.notes = (
        "On a stub that swallows, confirms and hands on in bulk (`bench/stub_broker.py`), which itself took "
        f"{statistics.median(shares):.2f} of a core.",
    )
    return [section]


def paused(bench: Bench) -> list[Section]:
    """No peer: the ratios are of figures of the same run."""
    section = Section("pause", "A paused broker in an open loop", "message", (OURS,))
    section.commands[OURS] = ours.spelled(pause.workload(bench.times))
    runs = []
    with rabbitmq_runs.brokers(bench.children, bench.workdir, CLASSIC) as brokers:
        for _ in range(min(5, bench.times.repeats)):
            runs.append(pause.run(brokers, bench.times))
            bench.say(
                f"pause: response p99.9 {runs[-1].of_pause:.3f} of the pause, "
                f"service p99 {runs[-1].of_response:.3f} of response p99"
            )
    section.notes = pause.in_words(runs)
    return [section]


def on_sqs(bench: Bench) -> list[Section]:
    return [_on_sqs(bench, "sqs", f"SQS calls, {sqs_runs.WORKERS} workers", tls=False)]


def on_sqs_tls(bench: Bench) -> list[Section]:
    return [_on_sqs(bench, "sqs-tls", f"SQS calls with TLS, {sqs_runs.WORKERS} workers", tls=True)]


#: by the name that --only takes
ALL: dict[str, Callable[[Bench], list[Section]]] = {
    "classic": classic,
    "mirrored": mirrored,
    "quorum": quorum,
    "publish": publish,
    "ceiling": own_ceiling,
    "pause": paused,
    "sqs": on_sqs,
    "sqs-tls": on_sqs_tls,
    "pika": pika,
}


def _both_ways(bench: Bench, setting: Setting, table: str, title: str, bound: float) -> Section:
    section = Section(
        name=table,
        title=f"{title}: as fast as it goes",
        unit="message",
        contenders=tuple(bench.contenders()),
        goals=(Goal(table, perftest.NAME, "per_s", bound),),
        notes=(
            "One producer with 200 unconfirmed messages, one consumer with prefetch 200, single acks, 1 KiB.",
        ),
    )
    return _on_rabbitmq(bench, setting, section, Load(), table, bench.contenders())


def _fixed_rate(bench: Bench, setting: Setting, fast: Section, title: str) -> Section:
    """:param fast: the same queue as fast as it goes"""
    table = f"{fast.name}-rate"
    most = statistics.median(found.per_s for found in fast.tables[fast.name][perftest.NAME])
    load = Load(rate=_rounded(most * FIXED_SHARE), warm_rate=_rounded(most * WARM_SHARE))
    section = Section(
        name=table,
        title=title,
        unit="message",
        contenders=tuple(bench.contenders()),
        goals=(Goal(table, perftest.NAME, "cpu_us", 0.4),),
        notes=(
            f"{load.rate:,} msg/s, {FIXED_SHARE:.0%} of what PerfTest carries. PerfTest is warmed up at "
            f"{load.warm_rate:,} msg/s, and then for {perftest.SETTLED_S} s at the rate itself.",
            "The lower the rate, the greater the kernel's share of the CPU time: it wakes a thread for every "
            "few messages, whichever tool receives them.",
        ),
        latencies=LATENCIES,
    )
    return _on_rabbitmq(bench, setting, section, load, table, bench.contenders())


def _rounded(rate: float) -> int:
    return max(100, int(round(rate, -2)))


def _on_rabbitmq(
    bench: Bench, setting: Setting, section: Section, load: Load, table: str, contenders: Contenders
) -> Section:
    with rabbitmq_runs.brokers(bench.children, bench.workdir, setting) as brokers:
        bench.versions[f"RabbitMQ, {setting.target}"] = brokers.server
        section.commands.update(rabbitmq_runs.command_lines(load, bench.times, setting, contenders))
        runs = rabbitmq_runs.runs(brokers, load, bench.times, table, contenders)
        bench.say(f"{section.name}: a round that does not count: a broker gets faster in its first minute")
        for run in runs.values():
            run()
        return interleave(section, runs, bench.times.repeats, bench.say)


def _on_sqs(bench: Bench, name: str, title: str, *, tls: bool) -> Section:
    goals = [Goal(table, *goal) for table in java_sdk.CALLS for goal in SQS_GOALS]
    section = Section(
        name=name,
        title=title,
        unit="call",
        contenders=(BOTO3, java_sdk.NAME, *bench.checkouts(), OURS),
        goals=goals,
        notes=("A message of 1 KiB a call; `receive` is ReceiveMessage and DeleteMessage in turn.",),
    )
    with ExitStack() as stack:
        server = stack.enter_context(sqs_runs.server(bench.children, bench.workdir, tls=tls))
        bench.versions["SQS server"] = server.name
        if tls:
            bench.versions["stunnel"] = terminator.version()
        section.commands.update(sqs_runs.command_lines(bench.times))
        bench.say(f"{name}: warming {server.name} up")
        sqs_runs.loader_run(server, bench.times, "native")
        return interleave(
            section, sqs_runs.runs(server, bench.times, bench.checkouts()), bench.times.repeats, bench.say
        )
