"""``cases.csv``: one row a case with every figure as it is, unrounded; an empty field is a null."""

from __future__ import annotations

import csv
import io
from itertools import takewhile
from typing import Any

from breakeven.loadgen.case_figures import Ledger
from breakeven.report.contract.report_model import CaseReport, EndToEnd, Metric, Report
from breakeven.report.tables.loader_tables import each
from breakeven.terms import METRICS

#: what a case is and became: the contract's fields before its parameters
IDENTITY = tuple(takewhile(lambda name: name != "parameters", CaseReport.model_fields))
#: of all loaders of a case, each thing once
RAN_ON = ("zone", "runtime", "openssl", "fallback")
#: a spreadsheet takes a field that begins with one of these for a formula
FORMULA = ("=", "+", "-", "@")


def cases_csv(report: Report) -> str:
    """Columns: identity, parameters, ``<metric>_<figure>``, ``ledger_<term>``, what the loaders ran on,
    flags.
    """
    parameters = list(dict.fromkeys(name for case in report.cases for name in case.parameters))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([_safe(name) for name in _header(parameters)])
    for case in report.cases:
        writer.writerow([_safe(value) for value in _row(case, parameters)])
    return buffer.getvalue()


def _header(parameters: list[str]) -> list[str]:
    figures = [f"{metric}_{field}" for metric in METRICS for field in _fields(metric)]
    named = [f"parameter_{name}" if name in IDENTITY else name for name in parameters]
    ledger = [f"ledger_{name}" for name in Ledger.model_fields]
    return [*IDENTITY, *named, *figures, *ledger, *RAN_ON, "flags"]


def _fields(metric: str) -> list[str]:
    return list((EndToEnd if metric == "end_to_end" else Metric).model_fields)


def _row(case: CaseReport, parameters: list[str]) -> list[Any]:
    figures = [getattr(getattr(case, metric), field, None) for metric in METRICS for field in _fields(metric)]
    ledger = [getattr(case.ledger, name, None) for name in Ledger.model_fields]
    return [
        *(getattr(case, name) for name in IDENTITY),
        *(case.parameters.get(name) for name in parameters),
        *figures,
        *ledger,
        *("; ".join(each(case, name)) for name in RAN_ON),
        " ".join(case.flags),
    ]


def _safe(value: Any) -> Any:
    """Text on one line, and plain where a spreadsheet would run it; truth is spelled as JSON does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return f"'{line}" if line.startswith(FORMULA) else line
