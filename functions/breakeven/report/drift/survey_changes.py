"""Volumes of nodes, and connections between them, that differ much between two runs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.manifest_changes import Change

#: between the medians of a target's nodes, as a factor: less was seen between runs on one quiet machine
MUCH = 2.0


def survey_changes(before: Report, after: Report) -> list[Change]:
    """What the nodes of a target were surveyed with in both runs, where one has twice the other or more."""
    old, new = dict(_medians(before)), dict(_medians(after))
    return [
        Change(f"{name}.{target}", f"{words.figure(was)} {unit}", f"{words.figure(value)} {unit}")
        for (name, target, unit), value in new.items()
        if (was := old.get((name, target, unit))) and max(was, value) >= MUCH * min(was, value)
    ]


def _medians(report: Report) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Of each figure of each target, by the names that a reader sees."""
    for target in dict.fromkeys(each.target for each in report.surveys):
        nodes = [each for each in report.surveys if each.target == target]
        links = [link for each in nodes for link in each.links]
        if writes := [each.sync.p50_ms for each in nodes if each.sync]:
            yield ("synchronized write", target, "ms"), median(writes)
        if links:
            yield ("round trip between nodes", target, "ms"), median(x.round_trip.p50_ms for x in links)
            yield (
                ("rate between nodes", target, "MB/s"),
                median(x.bytes_per_s / words.MEGABYTE for x in links),
            )
