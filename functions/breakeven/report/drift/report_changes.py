"""Differences between two runs that their manifests do not have: prices, and what drove the calls."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.drift.manifest_changes import ABSENT, Change


def report_changes(before: Report, after: Report) -> list[Change]:
    """Each price that differs, and each target whose calls the core or the general path drove anew."""
    old, new = dict(_facts(before)), dict(_facts(after))
    names = dict.fromkeys([*new, *old])
    pairs = ((name, old.get(name, ABSENT), new.get(name, ABSENT)) for name in names)
    return [Change(*pair) for pair in pairs if pair[1] != pair[2]]


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    paths: dict[str, set[str]] = {}
    for case in report.cases:
        paths.setdefault(case.target, set()).update(_paths(case))
    for target, driven in paths.items():
        if driven:
            yield f"loader path.{target}", " and ".join(sorted(driven))
    for tier in report.prices:
        # a book's name ends in its date, which differs each month: the price is the fact
        book = tier.book.partition("@")[0]
        yield f"prices.{book}.{tier.service}.{tier.item}.from {tier.tier_from:g}", f"{tier.usd} USD"


def _paths(case: CaseReport) -> Iterator[str]:
    for metric in (case.produce, case.consume):
        if metric and metric.core_operations:
            yield "compiled core"
        if metric and metric.general_operations:
            yield "general path"
