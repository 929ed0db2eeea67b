"""Cases of one run that did the same work under different names, how far apart their rates are, and how far
apart the others' are.

Rule 13 of docs/rules.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from breakeven import words
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.drift.significance import quantile
from breakeven.report.elements import Row, Table
from breakeven.report.tables.figures import interval

#: a spread above this share is flagged where nothing says what chance explains, as that of repeats is
#: (``queries/repeats.sql``)
WIDE_SHARE = 0.1
OPERATIONS = ("produce", "consume_cycle")
#: comparisons of other cases, less than which say nothing of chance
LEAST_FREEDOM = 2
NOTE = (
    "Cases with the same parameters on the same target, from different scenarios: a difference between them "
    "is the measurement's own. Spread is (greatest - least) / mean. By chance: the spread that 95 of 100 "
    "pairs of rates stay within if all vary as the target's other identical cases do (pooled deviation of "
    "logarithms, Student's t); a larger one is flagged, and where there are no others, one over 10%. Same "
    "work: what a fixed piece of it took on the loaders' host, mean of before and after the case: where that "
    "differs, the host had changed its speed."
)


@dataclass(frozen=True, slots=True)
class Group:
    """Cases of one target that did the same work."""

    cases: Sequence[CaseReport]

    @property
    def target(self) -> str:
        return self.cases[0].target

    def rates(self, operation: str) -> list[float]:
        """Messages a second, of each case; empty where one has none."""
        metrics = [case.shown(operation) for case in self.cases]
        found = [metric.msg_per_s for metric in metrics if metric and metric.msg_per_s]
        return found if len(found) == len(self.cases) else []


@dataclass(frozen=True, slots=True)
class Variation:
    """Deviation of the logarithms of rates measured once, with its degrees of freedom."""

    deviation: float
    freedom: int

    def factor(self, rates: int) -> float:
        """By what one rate differs from its mean, or two from one another, at most, 95 times of 100."""
        return math.exp(quantile(self.freedom) * self.deviation * math.sqrt(rates))


def table(cases: Sequence[CaseReport]) -> Table:
    """One row a group of identical cases and way; none where no two cases are identical."""
    groups = _groups(cases)
    return Table(
        slug="identical-cases",
        caption="Identical cases: how far they agree",
        label_titles=("Cases", "Target"),
        columns=("rates, msg/s", "spread", "by chance", "same work, ms"),
        rows=tuple(row for group in groups for row in _rows(group, groups)),
        notes=(NOTE, *_measured_once(groups)),
    )


def _groups(cases: Sequence[CaseReport]) -> list[Group]:
    """Cases that went well, of the same target and work, where they have more than one place in the suite."""
    found: dict[tuple[str, ...], list[CaseReport]] = {}
    for case in cases:
        if case.status == "ok" and case.provenance != "published":
            work = json.dumps(case.parameters, sort_keys=True)
            found.setdefault((case.target, case.variant, work), []).append(case)
    return [Group(same) for same in found.values() if len({(c.scenario, c.cell) for c in same}) > 1]


def _rows(group: Group, groups: Sequence[Group]) -> Iterator[Row]:
    places = dict.fromkeys(words.place(case.scenario, case.cell) for case in group.cases)
    others = _variation(each for each in groups if each.target == group.target and each is not group)
    for operation in OPERATIONS:
        if rates := group.rates(operation):
            yield Row(
                labels=(" = ".join(places), words.target_name(group.target)),
                cells=(
                    ", ".join(map(words.figure, rates)),
                    *_spread(rates, others),
                    _work(group),
                ),
                origin=group.cases[0].provenance,
                section=words.OPERATIONS[operation],
            )


def _spread(rates: Sequence[float], others: Variation | None) -> tuple[str, str]:
    """That of the rates, and the one that chance explains."""
    spread = (max(rates) - min(rates)) / fmean(rates)
    said = _share(spread)
    if others is None:
        return f"{said}, over {WIDE_SHARE:.0%}" if spread > WIDE_SHARE else said, words.NOTHING
    by_chance = others.factor(2)
    is_beyond = max(rates) / min(rates) > by_chance
    return f"{said}, beyond chance" if is_beyond else said, _share(2 * (by_chance - 1) / (by_chance + 1))


def _share(spread: float) -> str:
    return f"{words.figure(spread * 100, 2)}%"


def _work(group: Group) -> str:
    """Of each case; nothing where no host was timed."""
    found = [fmean(case.loaders.work_ms) if case.loaders.work_ms else None for case in group.cases]
    return ", ".join(map(words.figure, found)) if any(found) else words.NOTHING


def _variation(groups: Iterable[Group]) -> Variation | None:
    """Pooled over groups and ways; None where they are too few."""
    squares, freedom = 0.0, 0
    for group in groups:
        for operation in OPERATIONS:
            logs = [math.log(rate) for rate in group.rates(operation)]
            squares += sum((log - fmean(logs)) ** 2 for log in logs)
            freedom += max(0, len(logs) - 1)
    return Variation(math.sqrt(squares / freedom), freedom) if freedom >= LEAST_FREEDOM else None


def _measured_once(groups: Sequence[Group]) -> Iterator[str]:
    """How far a rate is to be relied on, of each target."""
    for target in dict.fromkeys(group.target for group in groups):
        if found := _variation(group for group in groups if group.target == target):
            factor = found.factor(1)
            yield (
                f"{words.target_name(target)}: by its identical cases, what a cell carries is "
                f"{interval(1 / factor, factor)} times its rate as measured once (95%)."
            )
