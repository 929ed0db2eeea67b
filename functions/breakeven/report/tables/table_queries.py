"""Queries that the figures of a report's tables and charts are columns of: what the page shows who asks."""

from __future__ import annotations

from dataclasses import replace

from breakeven.report.elements import Chart, Folded, Part, Section, Table

#: by section: of its tables that are not named below
OF_SECTIONS: dict[str, tuple[str, ...]] = {
    "tests": ("throughput", "latency_percentiles"),
    "offered": ("throughput", "rate_over_time"),
    "orders": ("throughput", "latency_percentiles", "repeats"),
    "capacity": ("probes", "repeats"),
    "repeats": ("repeats", "comparison"),
    "latency": ("latency_percentiles",),
    "faults": ("faults",),
    "nodes": ("nodes_over_time",),
    "ledger": ("ledger",),
    "validity": ("cases", "loaders"),
}
#: by table
OF_TABLES: dict[str, tuple[str, ...]] = {
    "volumes": ("cost_curves",),
    "crossovers": ("crossover",),
    "all-crossovers": ("crossover",),
    "crossing-latencies": ("crossover", "latency_percentiles"),
    "capacities": ("probes", "repeats"),
    "size-board": ("cheapest_size",),
    "pairs": ("pair_crossings",),
    "by-size": ("crossover",),
    "cheaper-variants": ("crossover", "bills"),
    "prices": ("cost_curves",),
    "offered-rates": ("bills",),
    "hours": ("break_even_hours",),
    "hours-amazon-mq": ("break_even_hours",),
    "map": ("decision_map",),
    "sensitivity": ("sensitivity",),
    "bills": ("bills",),
    "empty-receives": ("throughput", "crossover"),
    "board-base": ("base_ratios",),
    "board-standing": ("throughput", "faults"),
    "board-clusters": ("throughput", "bills"),
    "board-ladders": ("throughput",),
    "board-cores": ("throughput",),
    "board-disks": ("throughput",),
    "identical-cases": ("throughput",),
    "call-errors": ("cases",),
}
#: by chart, as its name begins; of others those of their section
OF_CHARTS: dict[str, tuple[str, ...]] = {
    "cost": ("cost_curves",),
    "hours": ("break_even_hours",),
    "map": ("decision_map",),
    "sensitivity": ("sensitivity",),
    "open-loop-": ("rate_over_time",),
    "rate-over-time-": ("rate_over_time",),
    "faults-": ("rate_over_time", "faults"),
}
#: tables whose figures are no query's: words, price lists, what was read of a service or of a host, and
#: comparisons with another run's report
OF_NONE = (
    "differences",
    "features",
    "broker-death",
    "price-sources",
    "cloudwatch-",
    "volumes-surveyed",
    "links-surveyed",
    "drift-",
)


def with_queries(section: Section) -> Section:
    """The same, each of its tables and charts with its queries."""
    return replace(section, parts=tuple(_part(section.slug, part) for part in section.parts))


def queries_of(section: str, table: str) -> tuple[str, ...]:
    """By their slugs; none where its figures are no query's."""
    if table.startswith(OF_NONE):
        return ()
    return OF_TABLES.get(table) or OF_SECTIONS.get(section, ())


def queries_of_chart(section: str, chart: str) -> tuple[str, ...]:
    """The same of a chart."""
    named = (queries for name, queries in OF_CHARTS.items() if chart.startswith(name))
    return next(named, OF_SECTIONS.get(section, ()))


def _part(section: str, part: Part) -> Part:
    if isinstance(part, Folded):
        return replace(part, parts=tuple(_figures(section, one) for one in part.parts))
    return _figures(section, part) if isinstance(part, Table | Chart) else part


def _figures(section: str, part: Table | Chart) -> Table | Chart:
    of = queries_of_chart if isinstance(part, Chart) else queries_of
    return replace(part, queries=of(section, part.slug))
