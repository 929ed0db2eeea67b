"""npm run bench [-- --quick] [-- --only NAME …] [-- --beside CHECKOUT]

Prints a table of each section. A whole run, with all sections and all repeats, writes docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench import document, java_sdk, perftest
from bench.contender_settings import FULL, QUICK
from bench.contest import Section
from bench.sections import ALL, Bench
from bench.table import markdown
from local.children import Children

#: of a machine that does nothing else
IDLE_LOAD = 0.5


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="npm run bench --", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three repeats of 5 s: for judging a change")
    parser.add_argument(
        "--only", action="append", choices=ALL, metavar="NAME", help=f"one of {', '.join(ALL)}"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"{document.PATH.name} also of a part, or quickly"
    )
    parser.add_argument(
        "--beside", action="append", type=Path, default=[], metavar="CHECKOUT", help="our loader there, too"
    )
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if load > IDLE_LOAD:
        say(f"the load average is {load:.1f}: what else runs here is in the figures")
    times = QUICK if options.quick else FULL
    versions = {
        "PerfTest": perftest.version(),
        "PerfTest's Java client": perftest.version("amqp-client"),
        "AWS SDK for Java": java_sdk.version(),
    }
    sections: list[Section] = []
    with tempfile.TemporaryDirectory() as workdir, Children() as children:
        bench = Bench(
            children, Path(workdir), times, say, versions, tuple(path.resolve() for path in options.beside)
        )
        for name in options.only or ALL:
            for section in ALL[name](bench):
                sections.append(section)
                print(f"{markdown(section)}\n", flush=True)
    if options.write or not (options.quick or options.only):
        document.write(sections, times, versions, load)
        say(f"written to {document.PATH}")


if __name__ == "__main__":
    main()
