"""Cases that searched for a capacity, a run's report of them, and the crossover that is asked of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from breakeven.report.contract.report_model import CaseReport, Report
from cli.main import main
from tests.fixtures.report import sample
from tests.support.loaders.probes import reported as probe


def searched(*rates: float, repeat: int = 1, cell: str = "threads=4", **changes: Any) -> CaseReport:
    """A case of the sample that held the first rates and not the last."""
    *held, failed = rates
    case = _usual_case()
    probes = [probe(rate, held=True) for rate in held]
    parameters = {**case.parameters, "message_bytes": 1024, "objective_ms": 50.0}
    update = {
        "case_id": f"capacity.{cell}.r{repeat}",
        "scenario": "capacity",
        "cell": cell,
        "repeat": repeat,
        "probes": [*probes, probe(failed, held=False)],
        "parameters": parameters | changes.pop("parameters", {}),
        "flags": ["shared_host"],
        **changes,
    }
    return case.model_copy(update=update)


@cache
def _usual_case() -> CaseReport:
    return next(case for case in sample.report().cases if case.target == sample.RABBITMQ)


def report(*cases: CaseReport, **changes: Any) -> Report:
    return sample.report().model_copy(update={"run_id": "r1", "cases": list(cases), **changes})


def ask_of_run(runs: Path, capsys: Any, made: Report, *options: str) -> tuple[int, str, str]:
    """Its exit code, and what it printed, of ``breakeven crossover`` with the capacity of that run."""
    folder = runs / "r1" / "report"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(made.model_dump_json())
    code = main(["crossover", "--capacity-from", "r1", "--runs", str(runs), *options])
    printed = capsys.readouterr()
    return code, printed.out, printed.err
