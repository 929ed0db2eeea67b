"""Probes of a capacity search as tests need them: at a rate, held or not."""

from __future__ import annotations

from typing import Any

from breakeven.loadgen.case_figures import ProbeReport
from breakeven.loadgen.search.probe import Probe

_GROWN = "the backlog may grow"


def reported(rate: float, *, held: bool, **fields: Any) -> ProbeReport:
    """As a report has it."""
    return ProbeReport(**_fields(rate, held) | fields)


def probe(rate: float, *, held: bool, **fields: Any) -> Probe:
    """As the search that made it has it."""
    number = fields.get("number", 1)
    return Probe(**_fields(rate, held) | {"stage": f"probe-{number}"} | fields)


def _fields(rate: float, held: bool) -> dict[str, Any]:
    return {
        "number": 1,
        "rate": rate,
        "offered": 100,
        "achieved": 100,
        "backlog_per_s": 0.0,
        "backlog_per_s_high": 0.1,
        "end_to_end_p99_ms": 3.0,
        "held": held,
        "reason": None if held else _GROWN,
    }
