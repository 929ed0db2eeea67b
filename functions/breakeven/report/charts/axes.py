"""What the charts' axes and titles have in common."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.report import words
from breakeven.report.model import CaseReport


def emulated_suffix(cases: Sequence[CaseReport]) -> str:
    """For a chart's title: which of its targets are emulated."""
    names = sorted({words.target_name(case.target) for case in cases if case.provenance == "emulated"})
    return f" ({words.listing(names)}: emulated)" if names else ""


def thousands(value: float, _position: int) -> str:
    """Tick labels: 3,000; 0.5."""
    return f"{value:,.0f}" if value >= 1 and value == int(value) else f"{value:,g}"


def usd(value: float, _position: int) -> str:
    """Tick labels in dollars: $1,000; $0.10."""
    return f"${value:,.0f}" if value >= 1 else f"${value:,.2f}"
