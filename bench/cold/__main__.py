"""npm run bench:cold: is a pair's capacity found, whatever the first rate, on servers that have just started?

Five searches, each on a RabbitMQ mirrored pair of its own. Right after each it is tried whether a capacity of
which what was found is 15% too much is held for a minute, and one of which it is 15% too little is not. Takes
half an hour to an hour and says what each search found; at the end it prints a table and a verdict, and it
ends with 1 where the verdict is not met. Interrupted, it prints the table of those that had ended: 130.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import ours
from bench.cold.searched import Compared, Hold, Searched, in_short, is_met, near, report
from bench.contender_settings import MIRRORED, Load
from bench.rabbitmq_runs import QUEUE, brokers, fresh_queue
from bench.watched import watch
from breakeven.errors import BreakevenError
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.self_check.host_use import RUN_PROCESS
from breakeven.planning.workload_settings import workload_of
from breakeven.workload.case import Case
from cli.exit_codes import INTERRUPTED
from local.children import Children

#: the capacity of two cores is about 2,000
FIRST_RATES = (300.0, 1000.0, 2000.0, 4000.0, 6000.0)
#: how often a rate that is not held for a minute is tried, as a search does
TRIES = 2
TARGET = "rabbitmq-mirrored-pair"
#: beside the search: connecting and closing, seconds
SLACK_S = 60.0


@dataclass(frozen=True, slots=True)
class Length:
    """Seconds of a search: how long it holds a rate and may drain, and when it starts no further probe."""

    measure_s: float
    drain_s: float
    limit_s: float


SEARCH = Length(30.0, 30.0, 480.0)
#: of one probe, after the warm-up: there is no time for another, unless that was hopeless
MINUTE = Length(60.0, 15.0, 130.0)
#: how the loader says that it was not held
NOT_HELD = "no rate was held"


def case(first: float, length: Length) -> Case:
    """Four threads each way, 4 KiB: what was found at 406, 478 and 2,278 msg/s."""
    asked = workload_of(
        {
            "mode": "capacity",
            "producers": 4,
            "consumers": 4,
            "message_size": 4096,
            "rate": first,
            "warmup_s": 0.5,
            "measure_s": length.measure_s,
            "drain_s": length.drain_s,
            "consume": "push",
            "prefetch": 200,
            "window": 200,
        }
    )
    return ours.case(QUEUE, asked, TARGET).model_copy(update={"limit_s": length.limit_s})


def searched(children: Children, first: float, length: Length) -> Searched:
    """On a pair that has just started, and ends with it."""
    started = time.monotonic()
    say(f"searching from {first:,.0f} msg/s")
    with tempfile.TemporaryDirectory() as workdir, brokers(children, Path(workdir), MIRRORED) as pair:
        command = ours.command(case(first, length), QUEUE, pair.access, {RUN_PROCESS: str(os.getpid())})
        try:
            with fresh_queue(pair, Load()):
                lines = watch(children, command, length.limit_s + SLACK_S)
        except BreakevenError as error:
            return Searched(first, (), {}, time.monotonic() - started, str(error))
    found = json.loads(lines[-1].text)
    probes = [Probe.model_validate(probe) for probe in found["probes"]]
    return Searched(first, probes, found["flags"], time.monotonic() - started)


def held_for_a_minute(children: Children, rate: float) -> Hold:
    """:param rate: messages a second"""
    found = searched(children, rate, MINUTE)
    if found.failed and NOT_HELD not in found.failed:
        return Hold(rate, None, found.failed)
    if found.failed:
        return Hold(rate, False, found.failed.rpartition("\n")[2])
    # one that was given up soon leaves time to try a lower rate
    tries = [probe for probe in found.probes if probe.rate == rate]
    return Hold(rate, any(probe.held for probe in tries), tries[-1].reason or "")


def compared(children: Children, first: float) -> Compared:
    """A search, and what is held for a minute on either side of what it found."""
    search = searched(children, first, SEARCH)
    if search.held is None:
        return Compared(search)
    low, high = near(search.held)
    below = held_for_a_minute(children, low)
    for _ in range(TRIES - 1):
        below = below if below.held else held_for_a_minute(children, low)
    return Compared(search, below, held_for_a_minute(children, high))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    argparse.ArgumentParser(prog="npm run bench:cold", description=__doc__).parse_args()
    say(f"load average {os.getloadavg()[0]:.1f}: what else runs here is in the figures")
    with Children() as children:
        found: list[Compared] = []
        try:
            for first in FIRST_RATES:
                found.append(compared(children, first))
                say(in_short(found[-1]))
        except KeyboardInterrupt:
            print(report(found, len(FIRST_RATES)), flush=True)
            return INTERRUPTED
    print(report(found, len(FIRST_RATES)), flush=True)
    return 0 if is_met(found) else 1


if __name__ == "__main__":
    sys.exit(main())
