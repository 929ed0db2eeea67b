"""Every file of a report from its model: the same input gives the same bytes."""

from __future__ import annotations

from breakeven.published.rows import Published, load_shipped
from breakeven.report.collector import without_collector
from breakeven.report.contents import sections_of
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.render.cases_csv import cases_csv
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.subject import Subject


@without_collector()
def render_all(report: Report, published: Published | None = None) -> dict[str, bytes]:
    """File name -> content, UTF-8.

    :param published: the figures to set beside the measured ones; unless given, those of source A where
        the run has scenarios of it, and none where it has not
    """
    published = published or published_for(report)
    sections = sections_of(Subject(report, published))
    document = report.model_dump_json(indent=2) + "\n"
    text, table = markdown(report, published, sections), cases_csv(report)
    # the last, as it waits for its charts, which may be drawn beside
    browsed = page(report, published, sections)
    files = {"report.json": document, "index.html": browsed, "report.md": text, "cases.csv": table}
    return {name: content.encode() for name, content in files.items()}


def published_for(report: Report) -> Published | None:
    """Source A's figures where the run has its tests; none beside a report that is of a source.

    Scenarios of other suites may have the same names, such as ``parallel``: those tests are closed loops
    that ask for each message.
    """
    if report.source is not None:
        return None
    source = load_shipped("source-a")
    scenarios = {row.scenario for row in source.rows} | set(source.notes)
    return source if any(case.scenario in scenarios and _is_its_loop(case) for case in report.cases) else None


def _is_its_loop(case: CaseReport) -> bool:
    return case.parameters.get("rate") is None and case.parameters.get("consume", "get") == "get"
