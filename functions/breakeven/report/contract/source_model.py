"""Model of the publication that a report may be of."""

from __future__ import annotations

from pydantic import Field

from breakeven.published.rows import SourceBreakeven
from breakeven.report.contract.strict import Strict


class SourceReport(Strict):
    """The publication whose figures a report is of."""

    id: str
    title: str
    label: str
    publication: str
    author: str
    date: str
    url: str | None
    setup: dict[str, str]
    notes: dict[str, str] = Field(description="by scenario: what the figures do not say")
    breakeven: SourceBreakeven | None
