"""The cheapest size of each target that holds a rate, and dollars for each 1000 messages a second."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.report.contract.board_model import BoardRate, BoardSize
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.measured_capacity import measured_capacities

CAPTION = "Dollars a month for each 1,000 msg/s that are held, by size"
NO_DOLLARS = (
    "No dollars: these were measured on one machine, whose capacity is no instance's. A run on AWS prices "
    "the sizes that it searches."
)
EMPTY = (
    "There is no table of sizes, as neither this run nor an earlier one measured a capacity on EC2 or Amazon "
    "MQ (a scenario of mode: capacity does)."
)


def board_table(report: Report) -> Table | None:
    """A row a size; what was measured, without dollars, where nothing is priced; None: nothing was."""
    if report.size_board:
        return _priced(report.size_board)
    measured = measured_capacities(report)
    if not measured or report.source:
        return None
    return Table(
        slug="size-board",
        caption=CAPTION,
        label_titles=("Measured",),
        columns=("dollars",),
        rows=tuple(Row((one.describe(),), (words.NOTHING,), "measured") for one in measured),
        notes=(NO_DOLLARS,),
        sourced=False,
    )


def why_empty(report: Report) -> str:
    """Why there is no board; nothing where there is one, or where nothing was to be priced."""
    asked = report.cost_questions and report.cases and not report.source
    return EMPTY if asked and not report.size_board and not measured_capacities(report) else ""


def cheapest_lines(report: Report) -> list[str]:
    """For the terminal: of each target the cheapest size for each rate that its sizes tell apart."""
    return [
        f"{words.target_name(target)}: {'; '.join(found)}." for target, found in _cheapest(report).items()
    ]


def _cheapest(report: Report) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for size in report.size_board:
        for rate in size.rates:
            if rate.cheapest:
                found.setdefault(size.target, []).append(_held(size, rate))
    return found


def _held(size: BoardSize, rate: BoardRate) -> str:
    return (
        f"{words.figure(rate.msg_per_s)} msg/s held cheapest by {_clusters(rate)} of {size.option}, "
        f"{words.dollars(rate.usd)} a month ({words.dollars(rate.usd_per_1000_msg_per_s)} for each 1,000)"
    )


def _clusters(rate: BoardRate) -> str:
    return words.plural(int(rate.clusters), "cluster")


def _priced(sizes: Sequence[BoardSize]) -> Table:
    rates = [rate.msg_per_s for rate in sizes[0].rates]
    return Table(
        slug="size-board",
        caption=CAPTION,
        label_titles=("Target", "Size"),
        columns=("holds, msg/s", "range", *(f"{words.figure(rate)} msg/s" for rate in rates)),
        rows=tuple(
            Row(
                (words.target_name(size.target), size.option),
                (
                    words.figure(size.capacity_msg_per_s),
                    _range(size),
                    *(_cell(rate) for rate in size.rates),
                ),
                "priced",
                f"Capacity measured in run {size.run_id}",
            )
            for size in sizes
        ),
        notes=(
            "Clusters are added until they hold the rate, each at the capacity that was measured of it "
            "within its latency objective, without headroom. Dollars are instances or brokers, volumes and "
            "monitoring; traffic across zones and staff time, which no size changes, are left out. So are "
            "surplus CPU credits of burstable types (t3, t4g): EC2 bills the mean of 24 hours, and these "
            "rates are held at a peak. Cheapest: of the target's sizes.",
            *_conditions(sizes),
        ),
        sourced=False,
    )


def _range(size: BoardSize) -> str:
    if size.high_msg_per_s is None:
        return f"{words.figure(size.low_msg_per_s)} or more"
    return f"{words.figure(size.low_msg_per_s)} to {words.figure(size.high_msg_per_s)}"


def _cell(rate: BoardRate) -> str:
    mark = ", cheapest" if rate.cheapest else ""
    return f"{words.dollars(rate.usd_per_1000_msg_per_s)} ({_clusters(rate)}{mark})"


def _conditions(sizes: Sequence[BoardSize]) -> list[str]:
    """How each was measured."""
    each = [
        f"{words.target_name(size.target)}, {size.option}: {words.plural(size.nodes_down, 'node')} down, "
        f"99 of 100 within {size.objective_ms:g} ms, run {size.run_id}, "
        f"{words.plural(size.age_days, 'day')} old."
        for size in sizes
    ]
    return list(dict.fromkeys(each))
