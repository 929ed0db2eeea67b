"""Page of a suite's trend: one file that needs nothing else."""

from __future__ import annotations

from breakeven.report.charts.trends import trends
from breakeven.report.drift.change_points import LEAST_RUNS
from breakeven.report.drift.trend import Trend, judged
from breakeven.report.drift.trend_words import headline, sentences
from breakeven.report.elements import Section, filled, paragraph
from breakeven.report.render.page import Content, byline, set_page
from breakeven.report.tables.trend_tables import points_table, series_table

UNCHANGED = "No figure has changed for good."
UNKNOWN = f"Not known yet: that takes at least {LEAST_RUNS} comparable runs."


def trend_page(trend: Trend) -> str:
    """The page as HTML."""
    changed = filled(points_table(trend)) or paragraph(UNCHANGED if judged(trend) else UNKNOWN)
    sections = (
        Section("change-points", "Change points", changed),
        Section("levels", "Levels", (*trends(trend), *filled(series_table(trend)))),
    )
    content = Content(
        headline=headline(trend),
        paragraphs=tuple(sentences(trend)),
        byline=f"Trend over {len(trend.runs)} runs · the last: {byline(trend.newest)}",
        keys=(),
        sections=sections,
        script=None,
        beside=False,
    )
    return set_page(trend.newest, content)
