"""npm run bench:report: the report of a run of 1,000 cases, each of 100 loaders and 60 windows.

Its rows are made up. Prints what each query reads and takes on the engine of local runs once the rows are
loaded, what the report takes, and the memory at its greatest of this process and the one that draws. All is
done as ``breakeven report`` does it for a run that did not come to its end. Ends with 1 where queries and
report take more than 3 s, or both processes over 1 GB.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.large import made_rows
from bench.large.made_rows import RUN_ID
from bench.table import table
from bench.watched import cpu_s
from breakeven.pricing.bill.asked import Asked
from breakeven.report.building.query_answers import Answers, RunRecord
from breakeven.report.building.report_builder import build_report
from breakeven.report.charts.artist import drawing_beside
from breakeven.report.charts.drawing import start_loading
from breakeven.report.collector import without_collector
from breakeven.report.contract.report_model import Manifest, Report
from breakeven.report.render.report_files import render_all
from breakeven.results.answered import Answered
from breakeven.results.queries import queries
from breakeven.version import VERSION
from breakeven.workload.case import Case
from local.aws.athena_sql import scans_of
from local.aws.sql_engine import LoadedTables, SqlTable
from local.stored.answers import ask_loaded, loaded_for, parameters_of

MOST_S, MOST_GB = 3.0, 1.0
#: a page that a browser shows at once
MOST_PAGE_MB = 3.0


class Taken(NamedTuple):
    """Seconds, and those of processors: all that says much where other programs use them, too."""

    seconds: float
    processor_s: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:report --", description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path, metavar="FILE", help="keep the page there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="breakeven-large-") as name:
        folder = Path(name)
        # in a process of its own: what making them takes is not in the figures
        making = multiprocessing.get_context("spawn").Process(target=made_rows.write_all, args=(folder,))
        making.start()
        making.join()
        return _bench(folder, options.page)


def _bench(folder: Path, page: Path | None) -> int:
    cases = made_rows.planned()
    questions = made_rows.asked(cases)
    tables, taken = made_rows.tables(folder), dict[str, Taken]()
    start_loading()
    with without_collector(), drawing_beside(), ExitStack() as kept:
        with _timed(taken, "load"):
            loaded = kept.enter_context(loaded_for(tables, RUN_ID, list(queries())))
        with _timed(taken, "all queries"):
            answers = ask_loaded(loaded, RUN_ID, list(queries()))
        with _timed(taken, "report"):
            report = _built(cases, questions, answers)
        with _timed(taken, "its files"):
            files = render_all(report)
        memory_gb = _peak_gb()
        singly = _each_by_itself(loaded)
    if page:
        page.write_bytes(files["index.html"])
    return _verdict(tables, singly, taken, files, memory_gb)


@contextmanager
def _timed(taken: dict[str, Taken], what: str) -> Iterator[None]:
    began = time.perf_counter(), _processor_s()
    yield
    taken[what] = Taken(time.perf_counter() - began[0], _processor_s() - began[1])


def _processor_s() -> float:
    """Of this process, and of the one that draws."""
    return time.process_time() + sum(cpu_s(pid) for pid in _beside())


def _peak_gb() -> float:
    """Of both at their greatest, whenever each had it."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peaks = [re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text()) for pid in _beside()]
    return (own + sum(int(peak) for (peak,) in peaks)) * 1024 / 1e9


def _beside() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid]


def _each_by_itself(loaded: LoadedTables) -> dict[str, tuple[float, int]]:
    """Seconds and rows of each query, asked by itself."""
    found = {}
    for name, sql in queries().items():
        began = time.perf_counter()
        rows = loaded.run(sql, parameters_of(sql, RUN_ID)).rows
        found[name] = time.perf_counter() - began, len(rows)
    return found


def _built(cases: tuple[Case, ...], questions: Asked, answers: Mapping[str, Answered]) -> Report:
    record = RunRecord(
        run_id=RUN_ID,
        suite=RUN_ID,
        title=str(made_rows.SUITE["title"]),
        variant="equal-guarantees",
        started_at="2026-11-20T15:30:00Z",
        finished_at="2026-11-20T16:30:00Z",
        environment="aws",
        planned=cases,
    )
    manifest = Manifest(
        project_version=VERSION,
        scenario_sha256="0" * 64,
        seed=1,
        rabbitmq=None,
        sqs=None,
        versions={},
        hardware={},
        price_books=[],
        notes=["made up: bench/large"],
        targets={},
    )
    return build_report(record, manifest, Answers(**answers, cost=questions.to_json()))


def _verdict(
    tables: Mapping[str, SqlTable],
    singly: Mapping[str, tuple[float, int]],
    taken: Mapping[str, Taken],
    files: Mapping[str, bytes],
    memory_gb: float,
) -> int:
    scanned = {name: _scanned(sql, tables) for name, sql in queries().items()}
    rows = [
        [name, f"{scanned[name] / 1e6:,.1f}", f"{count:,}", f"{seconds * 1000:,.0f}"]
        for name, (seconds, count) in singly.items()
    ]
    rows.append(["all", f"{sum(scanned.values()) / 1e6:,.1f}", "", ""])
    print(table(["query", "MB scanned, compressed", "rows", "ms by itself"], rows), end="\n\n")
    page_mb = len(files["index.html"]) / 1e6
    asked = [taken[what] for what in ("all queries", "report", "its files")]
    seconds, processor_s = (sum(each) for each in zip(*asked, strict=True))
    for what, took in taken.items():
        print(f"{what}: {took.seconds:.2f} s, {took.processor_s:.2f} of processors")
    print(f"queries and report: {seconds:.2f} s (at most {MOST_S:g}), {processor_s:.2f} of processors")
    print(f"memory at its greatest: {memory_gb:.2f} GB (at most {MOST_GB:g})")
    json_mb = len(files["report.json"]) / 1e6
    print(f"page: {page_mb:.2f} MB (at most {MOST_PAGE_MB:g}); report.json: {json_mb:.1f} MB")
    return int(seconds > MOST_S or memory_gb > MOST_GB or page_mb > MOST_PAGE_MB)


def _scanned(sql: str, tables: Mapping[str, SqlTable]) -> int:
    """Bytes of the objects that the query reads, each as often as it is read: as Athena bills them."""
    return sum(
        times * sum(path.stat().st_size for path in tables[name].files)
        for name, times in scans_of(sql).items()
    )


if __name__ == "__main__":
    sys.exit(main())
