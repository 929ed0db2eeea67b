"""The subject of every section: a report, and the published figures that stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from breakeven.published.rows import Published
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart


@dataclass(frozen=True, slots=True)
class Subject:
    """``with_charts``: False leaves charts undrawn, as each takes part of a second."""

    report: Report
    published: Published | None
    with_charts: bool = True

    def drawn(self, draw: Callable[[Report], Iterable[Chart]]) -> tuple[Chart, ...]:
        """The charts that ``draw`` makes of the report."""
        return tuple(draw(self.report)) if self.with_charts else ()
