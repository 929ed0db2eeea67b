"""The answer in words: the verdict, which is short, and all that stands behind it, by subject.

Paragraphs of the verdict are parted by an empty line; the first is the headline. Every sentence holds for the
figures of this run only, and none says more than was measured or priced.
"""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.report.building import measured_findings, measured_speeds
from breakeven.report.contract.report_model import CaseReport, Detail, Report
from breakeven.report.contract.source_model import SourceReport
from breakeven.report.money import break_even
from breakeven.report.money.headline import headline, other_forms
from breakeven.report.tables.figures import DOLLARS, printed


def verdict(report: Report) -> str:
    """The verdict of a report (its own ``verdict`` field is not read)."""
    paragraphs = [
        *measured_findings.opening(report),
        _source_headline(report.title, report.source)
        if report.source and not report.crossovers
        else headline(report),
        break_even.in_short(report),
        *_of_source(report),
        *measured_findings.outcomes(report),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def detail(report: Report) -> list[Detail]:
    """What the verdict leaves, for whoever asks why, how sure, and what else."""
    return [
        *break_even.money(report),
        *break_even.details(
            ("Other clusters", [other_forms(report)]),
            ("Figures as printed", _fastest(report.cases) if report.source else []),
            ("Speeds", list(measured_speeds.speeds(report))),
            ("Messages", [measured_findings.accounted(report)]),
        ),
    ]


def _source_headline(title: str, source: SourceReport) -> str:
    """Of a source that priced nothing which this project can answer from."""
    return f"“{title}” ({source.label}): the figures as published."


def _of_source(report: Report) -> list[str]:
    """Where the figures come from, with what they cost, and the source's own answer; none of a run."""
    if report.source is None:
        return []
    origin = (
        f"All test figures are the source's own ({report.source.author}; {report.source.date}); "
        "none was measured for this report."
    )
    figures = " ".join([origin, *_dollars(report.cases)])
    own = report.source.breakeven
    if own is None:
        return [figures]
    hour, second = printed(own.messages_per_hour), printed(own.msg_per_s)
    answer = f"Its own break-even, as printed: {hour} messages an hour, {second} a second."
    return [figures, f"{answer} {own.why}"]


def _fastest(cases: Sequence[CaseReport]) -> list[str]:
    """The greatest produce rate of each target, as printed."""
    if any("nodes" in case.parameters for case in cases):
        return []  # of different machines and workloads: the greatest says nothing by itself
    found = []
    for target in dict.fromkeys(case.target for case in cases):
        rated = [(c.produce.msg_per_s, c) for c in cases if c.target == target and c.produce]
        known = [(rate, case) for rate, case in rated if rate is not None]
        if known:
            _, case = max(known, key=lambda pair: pair[0])
            figure = printed(case.printed.get("produce.msg_per_s"))
            found.append(f"{words.target_name(target)} {figure} ({words.case_name(case)})")
    return [f"Highest send rates that it prints, in messages a second: {', '.join(found)}."] if found else []


def _dollars(cases: Sequence[CaseReport]) -> list[str]:
    priced = [case for case in cases if DOLLARS in case.printed]
    if not priced:
        return []
    priced.sort(key=lambda case: float(case.printed[DOLLARS]))
    least, most = (f"${case.printed[DOLLARS]} ({words.case_name(case)})" for case in (priced[0], priced[-1]))
    return [f"Each 1,000 messages a second cost from {least} to {most} a month, as printed."]
