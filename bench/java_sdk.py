"""The AWS SDK for Java v2 as a contender: how `java/SqsWorkers.java` is called, and what it prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.contender_settings import Times
from bench.measured import Figures
from bench.watched import ROOT, Command, Line
from breakeven.errors import BreakevenError

NAME = "AWS SDK for Java"
JARS = ROOT / ".cache" / "bench" / "aws-sdk"
CLASSES = ROOT / ".cache" / "bench" / "classes"
#: calls a message
CALLS = {"send": 1, "receive": 2}


def arguments(endpoint: str, queue: str, workers: int, size: int, times: Times) -> list[str]:
    given = (endpoint, queue, workers, size, times.warmup_s, times.window_s)
    return ["SqsWorkers", *map(str, given)]


def command(arguments: Sequence[str], environment: Mapping[str, str]) -> Command:
    """:param environment: region, credentials; ``BENCH_TRUST_STORE``: who vouches for a TLS endpoint"""
    trust = environment.get("BENCH_TRUST_STORE")
    trusted = [f"-Djavax.net.ssl.trustStore={trust}"] if trust else []
    return Command(NAME, ["java", "-classpath", f"{JARS}/*:{CLASSES}", *trusted, *arguments], environment)


def figures(lines: Sequence[Line]) -> dict[str, Figures]:
    """Of each stage, a message a call or two.

    :raises BreakevenError: it printed no such stage, or moved nothing in it
    """
    return {stage: _of_stage(lines, stage, calls) for stage, calls in CALLS.items()}


def version() -> str:
    return Path(next(JARS.glob("sqs-*.jar"))).stem.rpartition("-")[2]


def _of_stage(lines: Sequence[Line], stage: str, calls: int) -> Figures:
    looks = [(line, int(line.text.split()[1])) for line in lines if line.text.startswith(f"{stage} ")]
    if len(looks) < 2 or looks[0][1] == looks[-1][1]:
        raise BreakevenError(f"{NAME}: no message in stage {stage}")
    (start, before), (end, after) = looks[0], looks[-1]
    messages = after - before
    return Figures(messages / (end.at_s - start.at_s), (end.cpu_s - start.cpu_s) / (messages * calls) * 1e6)
