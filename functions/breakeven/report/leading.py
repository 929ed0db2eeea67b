"""The paragraphs that lead a report wherever it is read: page, Markdown and terminal."""

from __future__ import annotations

from breakeven.report.contract.report_model import Report
from breakeven.report.tables import instrument_findings


def warning(report: Report) -> str:
    """What stands above all else: the verdict's paragraph on a self-test that failed; empty of any other."""
    return next(filter(instrument_findings.is_warning, _verdict(report)), "")


def leading(report: Report) -> list[str]:
    """The headline, what else the verdict says but for its warning, whether to trust it, what moved."""
    said = [paragraph for paragraph in _verdict(report) if not instrument_findings.is_warning(paragraph)]
    return [paragraph for paragraph in (*said, _trust(report)) if paragraph]


def _verdict(report: Report) -> list[str]:
    return report.verdict.split("\n\n")


def _trust(report: Report) -> str:
    """Of the self-test that it passed or was not run: of one that failed the verdict warns."""
    proof = instrument_findings.passed(report) or instrument_findings.not_run(report)
    drift = report.drift.summary if report.drift else ""
    return " ".join(filter(None, (proof, drift)))
