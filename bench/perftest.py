"""PerfTest, RabbitMQ's own load generator: how it is called, and what it prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.contender_settings import Load, Setting, Times
from bench.measured import Figures, Percentiles
from bench.watched import ROOT, Command, Line
from breakeven.brokers.access import Access
from breakeven.errors import BreakevenError

NAME = "PerfTest"
JARS = ROOT / ".cache" / "bench" / "perf-test"
#: how long before a window the rate is what it is in the window, seconds
SETTLED_S = 5

_ELAPSED = re.compile(r"\btime ([\d.]+) s\b")
_SENT = re.compile(r"\bsent: ([\d.]+) msg/s")
_RECEIVED = re.compile(r"\breceived: ([\d.]+) msg/s")
_SPREAD = r" latency: [\d.]+/([\d.]+)/[\d.]+/[\d.]+/([\d.]+) µs"
_CONSUMER = re.compile("99th consumer" + _SPREAD)
_CONFIRM = re.compile("confirm" + _SPREAD)


@dataclass(frozen=True, slots=True)
class Interval:
    """One line of its output: the rates (msg/s) and latencies since the line before."""

    ends_s: float
    sent_per_s: float
    received_per_s: float | None
    end_to_end: Percentiles | None
    confirm: Percentiles | None


def interval(text: str) -> Interval | None:
    """None where the line is not one of its intervals."""
    ends, sent, received = (pattern.search(text) for pattern in (_ELAPSED, _SENT, _RECEIVED))
    if not (ends and sent):
        return None
    return Interval(
        ends_s=float(ends[1]),
        sent_per_s=float(sent[1]),
        received_per_s=float(received[1]) if received else None,
        end_to_end=_percentiles(_CONSUMER, text),
        confirm=_percentiles(_CONFIRM, text),
    )


def arguments(load: Load, times: Times, queue: str, setting: Setting) -> list[str]:
    """One interval is as long as the window, so that its percentiles are the window's own."""
    given = ["-x1", f"-y{int(load.consumes)}", "-s", str(load.message_bytes)]
    if load.confirms:
        given += ["-c", str(load.window)]
    if load.consumes:
        given += ["-q", str(load.window)]
    given += ["-f", "persistent", "-ad", "false", "-u", queue]
    given += ["-i", str(times.window_s), "-z", str(times.warmup_s + times.window_s + 1)]
    if declared := setting.declared(load):
        given += ["-qa", ",".join(f"{name}={value}" for name, value in declared.items())]
    if load.rate:
        given += ["-vr", f"{load.warm_rate}:{times.warmup_s - SETTLED_S}", "-vr", f"{load.rate}:3600"]
    return given


def command(asked: Sequence[str], access: Access) -> Command:
    """The password goes by the environment: arguments can be read by everyone on the machine."""
    node = access.nodes[0]
    uri = f"amqp://{access.username}:{access.password}@{node.host}:{node.amqp_port}"
    argv = ["java", "-classpath", f"{JARS}/*", "com.rabbitmq.perf.PerfTest", *asked]
    return Command(NAME, argv, {"URI": uri})


def figures(lines: Sequence[Line], load: Load, times: Times) -> Figures:
    """Of the interval that follows the warm-up.

    :raises BreakevenError: there is none
    """
    found = [(line, parsed) for line in lines if (parsed := interval(line.text))]
    before = times.warmup_s // times.window_s
    if len(found) <= before:
        raise BreakevenError(f"{NAME} printed {len(found)} intervals, {before + 1} are needed")
    (start, first), (end, window) = found[before - 1 : before + 1]
    per_s = window.received_per_s if load.consumes else window.sent_per_s
    messages = (per_s or 0.0) * (window.ends_s - first.ends_s)
    if not messages or per_s is None:
        raise BreakevenError(f"{NAME} moved no message: {end.text}")
    return Figures(per_s, (end.cpu_s - start.cpu_s) / messages * 1e6, window.confirm, window.end_to_end)


def version(jar: str = "perf-test") -> str:
    """PerfTest's, or that of another of its jars."""
    return Path(next(JARS.glob(f"{jar}-*.jar"))).stem.rpartition("-")[2]


def _percentiles(pattern: re.Pattern[str], text: str) -> Percentiles | None:
    found = pattern.search(text)
    return Percentiles(float(found[1]), float(found[2])) if found else None
