"""Open loops: what was offered, and whether it was sent."""

from __future__ import annotations

from breakeven.report.contract.report_model import CaseReport

#: share of an offered rate that must be sent, and received, for a target to have kept up with it
KEPT_SHARE = 0.99


def is_open_loop(case: CaseReport) -> bool:
    """Do its messages arrive by a rate? Searches for a capacity, which try many, are apart."""
    return case.parameters.get("rate") is not None and not is_search(case)


def is_search(case: CaseReport) -> bool:
    """Is it a search for a capacity?"""
    return bool(case.probes) or case.parameters.get("mode") == "capacity"


def offered_rate(case: CaseReport) -> float:
    """What the loaders counted as due, messages a second; of an older run, the rate that was asked for."""
    counted = [loader.offered for loader in case.loaders if loader.offered is not None]
    measure_s = float(case.parameters.get("measure_s") or 0)
    return sum(counted) / measure_s if counted and measure_s else float(case.parameters["rate"] or 0)
