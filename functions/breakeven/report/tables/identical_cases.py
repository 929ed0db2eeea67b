"""Cases of one run that did the same work under different names, and how far apart their rates are.

Rule 13 of docs/rules.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from statistics import fmean

from breakeven import words
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.elements import Row, Table

#: a spread above this share is flagged, as that of repeats is (``queries/repeats.sql``)
WIDE_SHARE = 0.1
NOTE = (
    "Cases with the same parameters on the same target, from different scenarios. A difference between them "
    "is the measurement's own: differences of this size between other cases show nothing. Spread is "
    "(greatest - least) / mean; over 10% it is flagged."
)


def table(cases: Sequence[CaseReport]) -> Table:
    """One row a group of identical cases and way; none where no two cases are identical."""
    return Table(
        slug="identical-cases",
        caption="Identical cases: how far they agree",
        label_titles=("Cases", "Target"),
        columns=("rates, msg/s", "spread"),
        rows=tuple(row for same in _groups(cases) for row in _rows(same)),
        notes=(NOTE,),
    )


def _groups(cases: Sequence[CaseReport]) -> list[list[CaseReport]]:
    """Cases that went well, of the same target and work, where they have more than one place in the suite."""
    found: dict[tuple[str, ...], list[CaseReport]] = {}
    for case in cases:
        if case.status == "ok" and case.provenance != "published":
            work = json.dumps(case.parameters, sort_keys=True)
            found.setdefault((case.target, case.variant, work), []).append(case)
    return [same for same in found.values() if len({(case.scenario, case.cell) for case in same}) > 1]


def _rows(same: Sequence[CaseReport]) -> Iterator[Row]:
    places = dict.fromkeys(words.place(case.scenario, case.cell) for case in same)
    for operation in ("produce", "consume_cycle"):
        metrics = [case.shown(operation) for case in same]
        rates = [metric.msg_per_s for metric in metrics if metric and metric.msg_per_s]
        if len(rates) == len(same):
            spread = (max(rates) - min(rates)) / fmean(rates)
            flagged = ", over 10%" if spread > WIDE_SHARE else ""
            yield Row(
                labels=(" = ".join(places), words.target_name(same[0].target)),
                cells=(", ".join(map(words.figure, rates)), f"{words.figure(spread * 100, 2)}%{flagged}"),
                origin=same[0].provenance,
                section=words.OPERATIONS[operation],
            )
