"""The paragraphs that lead a report wherever it is read: page, Markdown and terminal."""

from __future__ import annotations

from breakeven.report.contract.report_model import Report
from breakeven.report.tables import instrument_findings


def leading(report: Report) -> list[str]:
    """The verdict's, of which the first is the headline, then whether to trust it and what has moved."""
    return [paragraph for paragraph in (*report.verdict.split("\n\n"), _trust(report)) if paragraph]


def _trust(report: Report) -> str:
    """Of the self-test that it passed or was not run: of one that failed the verdict warns."""
    proof = instrument_findings.passed(report) or instrument_findings.not_run(report)
    drift = report.drift.summary if report.drift else ""
    return " ".join(filter(None, (proof, drift)))
