"""docs/benchmarks.md: what was measured, on what, with what, and how."""

from __future__ import annotations

import datetime
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence

from bench.contender_settings import Times
from bench.contest import Section
from bench.table import markdown
from bench.watched import ROOT
from local.hardware import hardware

PATH = ROOT / "docs" / "benchmarks.md"

INTRODUCTION = """\
# Benchmarks of the loader

These benchmarks compare our loader with similar tools on the same broker and the same server, in turn.
`npm run bench` writes this page; do not edit it by hand.

- Each run is a process of its own on a fresh queue. The contenders take turns, in reverse order in every
  other repeat. Broker, server and contender share the machine's cores; brokers and servers yield (`nice` 10).
- **CPU** is the user and system time of the contender's process alone, from `/proc`, over a window that
  starts after the warm-up, for each call or message (sent and, if there are consumers, received and
  acknowledged).
- Our loader runs as in a case, with ledger and histograms on. A run counts only if its ledger closes. Like
  PerfTest, it publishes without `mandatory` here; PerfTest publishes through a direct exchange of its own,
  ours through the default one.
- Rows of contenders are medians. Ratios are geometric means of the paired ratios with two-sided 95%
  intervals (Student's t on the logarithms); a goal is met if the whole interval meets it.
- **Latencies** are medians of each run's own percentiles. Ours count from when a message was due, PerfTest's
  from when it was sent, so a stall weighs more in ours.
"""


def write(sections: Sequence[Section], times: Times, versions: Mapping[str, str], load: float) -> None:
    PATH.write_text(text(sections, times, versions, load))


def text(sections: Sequence[Section], times: Times, versions: Mapping[str, str], load: float) -> str:
    """``load``: the machine's load average before anything was started."""
    parts = [
        INTRODUCTION.strip(),
        _conditions(times, versions, load),
        *map(markdown, sections),
        _commands(sections),
    ]
    return "\n\n".join(parts) + "\n"


def java_version() -> str:
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'"(.+?)"', said)
    return found[1] if found else "not known"


def commit() -> str:
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return said.stdout.strip() or "not known"


def _conditions(times: Times, versions: Mapping[str, str], load: float) -> str:
    machine = hardware()
    rows = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": f"{machine['cores']} cores of {machine['processor']}, {machine['memory_gib']} GiB, "
        f"{machine['system']}, Linux {machine['kernel']}",
        "Python": platform.python_version(),
        "Java": java_version(),
        **versions,
        "load average before": f"{load:.1f}",
        "repeats": str(times.repeats),
        "window": f"{times.window_s} s, after a warm-up of {times.warmup_s} s for Java and 3 s for ours",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def _commands(sections: Sequence[Section]) -> str:
    parts = [
        "## How each was called",
        "For our loader: workload fields that differ from the defaults, as `bench/one_case.py` reads them.",
    ]
    for section in sections:
        lines = "\n\n".join(f"# {name}\n{command}" for name, command in section.commands.items())
        parts.append(f"{section.title}:\n\n```\n{lines}\n```")
    return "\n\n".join(parts)
