"""Cases that two runs have of one measurement, as a run that resumes another takes over what is settled."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from breakeven.report.contract.report_model import CaseReport, Report

#: the run that measured it, and its case
Measurement = tuple[str, str]


def measured_once(before: Report, after: Report) -> set[Measurement]:
    """Measurements that both runs have: they say nothing of what changed between them."""
    return _measurements(before) & _measurements(after)


def without(report: Report, known: Collection[Measurement]) -> Report:
    """The report without the cases of these measurements."""
    cases = [case for case in report.cases if _measurement(report, case) not in known]
    return report if len(cases) == len(report.cases) else report.model_copy(update={"cases": cases})


def each_once(reports: Sequence[Report]) -> list[Report]:
    """In the order of runs: each measurement in the last run that has it, the one that came furthest."""
    later: set[Measurement] = set()
    found = []
    for report in reversed(reports):
        found.append(without(report, later))
        later |= _measurements(report)
    return found[::-1]


def _measurements(report: Report) -> set[Measurement]:
    return {_measurement(report, case) for case in report.cases}


def _measurement(report: Report, case: CaseReport) -> Measurement:
    return case.settled_in or report.run_id, case.case_id
