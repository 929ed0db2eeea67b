"""What a report says of a source, and which source's figures stand beside a run's."""

from __future__ import annotations

from breakeven.published.rows import Published, load_shipped
from breakeven.report.model import Report, SourceBreakeven, SourceReport


def about(published: Published) -> SourceReport:
    """What a report of the source's own figures says of it."""
    return SourceReport(
        id=published.id,
        title=published.title,
        label=published.label,
        setup=published.setup,
        notes=published.notes,
        breakeven=SourceBreakeven(**published.breakeven.model_dump()) if published.breakeven else None,
        **published.source.model_dump(),
    )


def published_for(report: Report) -> Published | None:
    """Source A's figures where the run has scenarios of it; none beside a report that is of a source."""
    if report.source is not None:
        return None
    source = load_shipped("source-a")
    scenarios = {row.scenario for row in source.rows} | set(source.notes)
    return source if any(case.scenario in scenarios for case in report.cases) else None
