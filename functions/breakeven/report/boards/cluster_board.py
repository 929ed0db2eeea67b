"""The board of clusters: dollars a month for each 1,000 msg/s, while all goes well and after each adversity.

Dollars are of clusters on AWS, or as a source printed them: a rate held on one machine is no cluster's on EC2
(rule 11 of docs/rules.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from breakeven import words
from breakeven.published.rows import Published, PublishedRow
from breakeven.report.boards.shipped_source import parameter, published_row, repeated
from breakeven.report.contract.board_model import ClusterPrice
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table
from breakeven.report.tables.figures import DOLLARS
from breakeven.report.tables.offered_rates import STEP, is_held, is_open_loop

SUITE = "cluster-sizing"
HAPPY = "happy path"
FAULT, SLOW, PEAK = "a fault of its nodes", "slow consumers", "a publish peak"
ADVERSITIES = (FAULT, SLOW, PEAK)
#: the source's scenarios
PRINTED = {"slow-consumers": SLOW, "publish-peak": PEAK}
IDEAL, ADVERSE = "ideal-conditions", "adverse-conditions"
#: levels of intensity that make a board
FEWEST_LEVELS = 2
HELD = (
    "A level is the rate that publishing is to hold, at its highest. It was held where every case of it "
    "was: 99% of what was due was sent, and 99 of 100 messages were answered within a second of when they "
    "were due, where so many were sent that this is known."
)
DOLLARS_OF = (
    "What one cluster costs a month (instances, volumes, monitoring; no traffic, no work) over the highest "
    "level that it held; where it held every level it may hold more, and the dollars are at most these. "
    "After all: the lowest of what it held under each."
)
SHORTER = (
    "The source's courses of slow consumers and of publish peaks last 100 minutes. Those of this suite are "
    "shorter, and their backlogs are smaller by as much: a level that was held here says less than one that "
    "was held there."
)
NO_DOLLARS = (
    "No dollars of this run's own: it was measured on one machine, whose rates are no EC2 instance's. A run "
    "on AWS prices what it held."
)


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a target under one condition, messages a second, each by whether it was held."""

    target: str
    condition: str
    provenance: str
    held: tuple[float, ...]
    not_held: tuple[float, ...]

    @property
    def highest(self) -> float | None:
        """The highest below which none failed; None: not even the lowest was held."""
        first = min(self.not_held, default=None)
        return max((level for level in self.held if first is None or level < first), default=None)


def cluster_boards(report: Report) -> tuple[Table, Table]:
    """Who still stands, and at what price; both without rows where nothing rose in levels."""
    levels = list(_levels(report))
    published = repeated(report, "D", SUITE)
    return _standing(levels, published), _dollars(report, levels, published)


def _levels(report: Report) -> Iterator[Levels]:
    cases = [case for case in report.cases if case.status == "ok" and is_open_loop(case)]
    found: dict[tuple[str, str], dict[float, list[CaseReport]]] = {}
    for case in cases:
        if not report.source:
            level = found.setdefault((case.target, _condition(case)), {})
            level.setdefault(_level(case), []).append(case)
    adverse = any(condition != HAPPY for _, condition in found)
    for (target, condition), by_level in found.items():
        if not adverse and len(by_level) < FEWEST_LEVELS:
            continue
        held = {level for level, some in by_level.items() if all(map(is_held, some))}
        provenance = next(iter(by_level.values()))[0].provenance
        yield Levels(target, condition, provenance, tuple(sorted(held)), tuple(sorted(set(by_level) - held)))


def _condition(case: CaseReport) -> str:
    parameters = case.parameters
    if parameters.get("faults") or parameters.get("nodes_down"):
        return FAULT
    if parameters.get("processing_profile"):
        return SLOW
    return PEAK if parameters.get("profile") else HAPPY


def _level(case: CaseReport) -> float:
    steps = [float(value) for _, value, _ in STEP.findall(str(case.parameters.get("profile") or ""))]
    return max(steps, default=float(case.parameters.get("rate") or 0))


def _standing(levels: Sequence[Levels], published: Published | None) -> Table:
    rows = [
        Row(
            labels=(words.labelled_target(one.target, one.provenance),),
            cells=(_list(one.held), _list(one.not_held), words.figure(one.highest)),
            origin=one.provenance,
            section=words.capital(one.condition),
        )
        for condition in (HAPPY, *ADVERSITIES)
        for one in levels
        if one.condition == condition
    ]
    return Table(
        slug="board-standing",
        caption="Who still stands",
        label_titles=("Cluster",),
        columns=("held, msg/s", "not held, msg/s", "highest held"),
        rows=(*rows, *(_printed_standing(published) if rows and published else ())),
        notes=(HELD, *((SHORTER,) if rows and published else ())),
    )


def _list(levels: Sequence[float]) -> str:
    return ", ".join(words.figure(level) for level in levels) or "none"


def _printed_standing(published: Published) -> Iterator[Row]:
    for scenario, condition in PRINTED.items():
        clusters: dict[str, list[PublishedRow]] = {}
        for row in published.rows:
            if row.scenario == scenario and row.figures and row.figures.held:
                clusters.setdefault(_cluster(row), []).append(row)
        for name, rows in clusters.items():
            held, failed = (
                [
                    float(parameter(row, "offered_msg_per_s"))
                    for row in rows
                    if row.figures and row.figures.held == said
                ]
                for said in ("yes", "no")
            )
            one = Levels(name, condition, "published", tuple(held), tuple(failed))
            cells = (_list(held), _list(failed), words.figure(one.highest))
            yield published_row(published, (name,), cells, words.capital(condition))


def _cluster(row: PublishedRow) -> str:
    volume = parameter(row, "volume")
    return f"{parameter(row, 'nodes')} x {row.machine}{f', {volume}' if volume else ''}"


def _dollars(report: Report, levels: Sequence[Levels], published: Published | None) -> Table:
    on_aws = report.environment == "aws"
    prices = [one for one in report.cluster_prices if on_aws]
    rows = [row for price in prices if (row := _priced(price, levels))]
    printed = list(_printed_dollars(published)) if published and levels else []
    return Table(
        slug="board-clusters",
        caption="Dollars a month for each 1,000 msg/s, by cluster",
        label_titles=("Cluster",),
        columns=(HAPPY, *(f"after {one}" for one in ADVERSITIES), "after all"),
        rows=(*rows, *printed),
        notes=(
            *((DOLLARS_OF,) if rows else ()),
            *((NO_DOLLARS,) if not on_aws else ()),
            *((SHORTER,) if rows and printed else ()),
            *(_what(prices) if rows else ()),
        ),
    )


def _priced(price: ClusterPrice, levels: Sequence[Levels]) -> Row | None:
    """None: none of its levels was measured on the real thing."""
    own = {
        one.condition: one for one in levels if one.target == price.target and one.provenance == "measured"
    }
    if not own:
        return None
    adverse = [own[name] for name in ADVERSITIES if name in own]
    return Row(
        labels=(words.target_name(price.target),),
        cells=(
            *(_per_1000(price, own.get(name)) for name in (HAPPY, *ADVERSITIES)),
            _after_all(price, adverse),
        ),
        origin="priced",
    )


def _per_1000(price: ClusterPrice, one: Levels | None) -> str:
    if one is None:
        return words.NOTHING
    if not one.highest:
        return "held no level"
    return f"{'' if one.not_held else '≤ '}{words.dollars(price.usd / one.highest * 1000)}"


def _after_all(price: ClusterPrice, adverse: Sequence[Levels]) -> str:
    if not adverse:
        return words.NOTHING
    return _per_1000(price, min(adverse, key=lambda one: one.highest or 0.0))


def _what(prices: Sequence[ClusterPrice]) -> Iterator[str]:
    for one in prices:
        dollars = f"{words.dollars(one.usd)} a month by price book {one.book}"
        yield f"{words.capital(words.target_name(one.target))}: {one.what}, {dollars}."


def _printed_dollars(published: Published) -> Iterator[Row]:
    clusters: dict[str, dict[str, str]] = {}
    for row in published.rows:
        if row.figures and row.figures.usd_per_month_per_1000_msg_per_s:
            dollars = getattr(row.figures, DOLLARS)
            clusters.setdefault(_cluster(row), {})[row.scenario] = f"${dollars}"
    for name, found in clusters.items():
        unknown = (words.NOTHING,) * len(ADVERSITIES)
        ideal, adverse = (found.get(scenario, words.NOTHING) for scenario in (IDEAL, ADVERSE))
        yield published_row(published, (name,), (ideal, *unknown, adverse))
