"""Page of a comparison of two runs: one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.report.contents import OPEN, SURE, Contents, sections_of
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Section, Table
from breakeven.report.render.page import Content, byline, set_page
from breakeven.report.sections.subject import Subject
from breakeven.report.sections.trust import validity
from breakeven.report.sections.trust.since_last_run import drift_parts


def drift_page(after: Report, drift: DriftReport, unmoved: Sequence[Table] = ()) -> str:
    """The page as HTML.

    :param after: the later run, whose validity stands below
    :param drift: since the earlier one
    :param unmoved: figures that ``drift`` says nothing of: within chance, or not judged
    """
    parts = (*drift_parts(drift)[1:], *unmoved)  # the summary is the page's headline
    comparison = Section("comparison", "Comparison", parts, f"Run {after.run_id} held against {drift.since}")
    contents: Contents = {OPEN: (lambda _: comparison,), SURE: (validity.section,)}
    content = Content(
        headline=drift.summary,
        paragraphs=(),
        byline=byline(after),
        keys=(),
        sections=sections_of(Subject(after, None), contents),
        script=None,
        beside=False,
    )
    return set_page(after, content)
