"""The board of guarantees: every cell's rate against that of the suite's base, in percent."""

from __future__ import annotations

from breakeven import words
from breakeven.report.boards.shipped_source import published_row, repeated
from breakeven.report.contract.board_model import BaseRatio
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table

SUITE = "feature-cost"
CAPTION = "What each guarantee costs"
HOW = (
    "Received messages a second; sent ones of a case without consumers, which are compared with the sent "
    "ones of the base. Rates are geometric means of the repeats. The interval is Welch's, of 95%, on the "
    "logarithms of the repeats' rates: where it leaves out 0, the change is shown."
)
ONCE = "Each was measured once: no interval is known, and no change can be told from chance."
FINDINGS = {
    "higher": "faster",
    "lower": "slower",
    "no difference shown": "no change shown",
    "not enough repeats": "measured once",
    "not comparable": "not comparable",
}


def base_board(report: Report) -> Table:
    """A row a cell, with what its source printed beneath; no rows where the suite has no base."""
    ratios = report.base_ratios
    bases = dict.fromkeys(ratio.base for ratio in ratios)
    once = bool(ratios) and all(ratio.interval_low is None for ratio in ratios)
    return Table(
        slug="board-base",
        caption=f"{CAPTION}, against “{words.listing(list(bases))}”",
        label_titles=("Case", "Target"),
        columns=("msg/s", "base, msg/s", "change", "95% interval", "finding"),
        rows=(*map(_row, ratios), *(_published(report) if ratios else ())),
        notes=(HOW, *((ONCE,) if once else ())),
    )


def percent(ratio: float | None) -> str:
    """A ratio to 1 as a change; a dash where there is none."""
    return words.NOTHING if ratio is None else words.change(ratio)


def _row(ratio: BaseRatio) -> Row:
    low, high = ratio.interval_low, ratio.interval_high
    return Row(
        labels=(
            words.capital(words.place(ratio.scenario, ratio.cell)),
            words.labelled_target(ratio.target, ratio.provenance),
        ),
        cells=(
            _rate(ratio.msg_per_s, ratio.loader_saturated),
            _rate(ratio.base_msg_per_s, ratio.base_loader_saturated),
            percent(ratio.ratio),
            words.NOTHING if low is None else f"{percent(low)} to {percent(high)}",
            FINDINGS[ratio.verdict],
        ),
        origin=ratio.provenance,
    )


def _rate(msg_per_s: float | None, is_bound: bool) -> str:
    return f"{'≥ ' if is_bound and msg_per_s else ''}{words.figure(msg_per_s)}"


def _published(report: Report) -> list[Row]:
    published = repeated(report, "B", SUITE)
    return [
        published_row(
            published,
            (words.scenario_name(row.scenario), words.target_name(row.target)),
            (words.NOTHING, words.NOTHING, words.NOTHING, words.NOTHING, row.figures.relative_rate),
        )
        for row in (published.rows if published else ())
        if published and row.figures and row.figures.relative_rate
    ]
