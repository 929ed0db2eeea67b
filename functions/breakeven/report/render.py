"""Every file of a report from its model: the same input gives the same bytes."""

from __future__ import annotations

from breakeven.published.rows import Published
from breakeven.report.cases_csv import cases_csv
from breakeven.report.markdown import markdown
from breakeven.report.model import Report
from breakeven.report.page import page
from breakeven.report.sources import published_for


def render_all(report: Report, published: Published | None = None) -> dict[str, bytes]:
    """File name -> content, UTF-8.

    :param published: the figures to set beside the measured ones; unless given, those of source A where
        the run has scenarios of it, and none where it has not
    """
    published = published or published_for(report)
    return {
        "report.json": (report.model_dump_json(indent=2) + "\n").encode(),
        "index.html": page(report, published).encode(),
        "report.md": markdown(report, published).encode(),
        "cases.csv": cases_csv(report).encode(),
    }
