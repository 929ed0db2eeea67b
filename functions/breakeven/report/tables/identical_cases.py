"""Cases of one run that did the same work under different names, how far apart their rates are, and how far
apart the others' are.

Rule 13 of docs/rules.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from breakeven import words
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.drift.significance import CONFIDENCE, LEAST_DEVIATION, quantile
from breakeven.report.elements import Row, Table

#: a spread above this share is flagged where nothing says what chance explains, as that of repeats is
#: (``queries/repeats.sql``)
WIDE_SHARE = 0.1
OPERATIONS = ("produce", "consume_cycle")
#: groups less than which say nothing of chance
LEAST_GROUPS = 2
NOTE = (
    "Cases with the same parameters on the same target, from different scenarios: a difference between them "
    "is the measurement's own. Spread is (greatest - least) / mean. By chance: the spread that such rates "
    "stay within 95 times of 100 if they vary as the target's other identical cases do (pooled deviation of "
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

    @property
    def is_offered(self) -> bool:
        """Do rates follow what was offered, and say nothing of what varies?"""
        return bool(self.cases[0].parameters.get("rate"))

    def variances(self) -> list[float]:
        """Of the logarithms of rates, each way."""
        found = [self.rates(operation) for operation in OPERATIONS]
        return [variance(map(math.log, rates)) for rates in found if rates]


@dataclass(frozen=True, slots=True)
class Variation:
    """Deviation of the logarithms of rates measured once, with its degrees of freedom."""

    deviation: float
    freedom: int

    def of_one(self) -> float:
        """By which factor a rate differs from its mean at most, 95 times of 100."""
        return math.exp(quantile(self.freedom) * self.deviation)

    def between(self, rates: int) -> float:
        """By which factor the greatest of so many differs from the least at most, 95 times of 100.

        By Bonferroni over their pairs.
        """
        beyond = (1 - CONFIDENCE) / math.comb(rates, 2)
        return math.exp(quantile(self.freedom, beyond) * self.deviation * math.sqrt(2))


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
    alike = () if group.is_offered else groups
    others = _variation(each for each in alike if each.target == group.target and each is not group)
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
    by_chance = others.between(len(rates))
    is_beyond = max(rates) / min(rates) > by_chance
    return f"{said}, beyond chance" if is_beyond else said, _share(2 * (by_chance - 1) / (by_chance + 1))


def _share(spread: float) -> str:
    return f"{words.figure(spread * 100, 2)}%"


def _work(group: Group) -> str:
    """Of each case; nothing where no host was timed."""
    found = [fmean(case.loaders.work_ms) if case.loaders.work_ms else None for case in group.cases]
    return ", ".join(map(words.figure, found)) if any(found) else words.NOTHING


def _variation(groups: Iterable[Group]) -> Variation | None:
    """Pooled over groups; None where they are too few. A case counts once: both its rates are nearly one."""
    pooled = [group for group in groups if not group.is_offered and group.variances()]
    if len(pooled) < LEAST_GROUPS:
        return None
    freedom = sum(len(group.cases) - 1 for group in pooled)
    squares = sum(fmean(group.variances()) * (len(group.cases) - 1) for group in pooled)
    return Variation(max(math.sqrt(squares / freedom), LEAST_DEVIATION), freedom)


def _measured_once(groups: Sequence[Group]) -> Iterator[str]:
    """How far a rate is to be relied on, of each target."""
    for target in dict.fromkeys(group.target for group in groups):
        if found := _variation(group for group in groups if group.target == target):
            yield (
                f"{words.target_name(target)}: if other cells vary as its identical cases do, a rate that "
                f"was measured once is within a factor of {words.figure(found.of_one())} of what it would be "
                "on average (95%)."
            )
