"""Offered against achieved: how far up a ladder of rates each number of producers and size got."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from breakeven import words
from breakeven.published.rows import Published, PublishedRow
from breakeven.report.boards.shipped_source import parameter, published_row, repeated
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table
from breakeven.report.tables.offered_rates import KEPT_SHARE, is_open_loop, offered_rate, offered_steps

SUITE = "rate-ladder"
FEWEST_RUNGS = 2
HOW = (
    f"A rate was sent whole where {KEPT_SHARE:.0%} of what was offered was sent within its time: a step of "
    "a profile over its full seconds, or a case of its own. Rates are of all producers together; repeats "
    "are averaged."
)
PRINTED = "Of published rows the last rate offered, and the one rate that is printed, as the source calls it."


@dataclass(frozen=True, slots=True)
class Rung:
    """One offered rate, and what was sent and received of it; messages a second."""

    offered: float
    sent: float
    received: float

    @property
    def is_whole(self) -> bool:
        return self.sent >= KEPT_SHARE * self.offered


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rates offered by so many producers of messages of one size, lowest first."""

    first: CaseReport
    rungs: tuple[Rung, ...]


def ladder_board(report: Report) -> Table:
    """A row for each ladder; without rows where none has two rates."""
    published = repeated(report, "E", SUITE)
    rows = [_row(ladder) for ladder in _ladders(report)]
    return Table(
        slug="board-ladders",
        caption="Offered against achieved, by producers and size of messages",
        label_titles=("Producers and size", "Target"),
        columns=(
            "offered, msg/s",
            "highest sent whole",
            "first not sent whole",
            "sent of that",
            "received at most",
        ),
        rows=(*rows, *(_published(published) if rows and published else ())),
        notes=(HOW, *((PRINTED,) if published else ())),
    )


def _ladders(report: Report) -> Iterator[Ladder]:
    found: dict[tuple[object, ...], list[CaseReport]] = {}
    for case in report.cases:
        if case.status == "ok" and is_open_loop(case) and not report.source:
            names = ("producers", "consumers", "message_bytes", "message_mix", "queues")
            of = (case.scenario, case.target, *(case.parameters.get(name) for name in names))
            found.setdefault(of, []).append(case)
    for cases in found.values():
        points: dict[float, list[Rung]] = {}
        for case in cases:
            for rung in _rungs(report, case):
                points.setdefault(round(rung.offered, 1), []).append(rung)
        rungs = [
            Rung(offered, fmean(one.sent for one in some), fmean(one.received for one in some))
            for offered, some in sorted(points.items())
        ]
        if len(rungs) >= FEWEST_RUNGS:
            yield Ladder(cases[0], tuple(rungs))


def _rungs(report: Report, case: CaseReport) -> Sequence[Rung]:
    """The steps of a profile; of a case at one rate that alone."""
    if case.parameters.get("profile"):
        return [Rung(step.offered, step.sent, step.received) for step in offered_steps(report, case)]
    sent, received = (case.shown(metric) for metric in ("produce", "consume_cycle"))
    if sent is None or sent.msg_per_s is None:
        return []
    asked = float(case.parameters.get("rate") or 0)
    # what was due is counted by the loaders, a few messages off what was asked for
    share = sent.msg_per_s / due if (due := offered_rate(case)) else 0.0
    return [Rung(asked, asked * share, (received.msg_per_s if received else None) or 0.0)]


def _row(ladder: Ladder) -> Row:
    case, rungs = ladder.first, ladder.rungs
    whole = [rung.offered for rung in rungs if rung.is_whole]
    failed = next((rung for rung in rungs if not rung.is_whole), None)
    below = [offered for offered in whole if failed is None or offered < failed.offered]
    producers = words.plural(int(case.parameters.get("producers") or 0), "producer")
    mix = case.parameters.get("message_mix")
    size = str(mix) if mix else words.size(int(case.parameters.get("message_bytes") or 0))
    return Row(
        labels=(f"{producers}, {size}", words.labelled_target(case.target, case.provenance)),
        cells=(
            f"{words.figure(rungs[0].offered)} to {words.figure(rungs[-1].offered)}",
            words.figure(max(below)) if below else "none",
            words.figure(failed.offered) if failed else "none",
            f"{words.figure(failed.sent)} ({failed.sent / failed.offered:.1%})" if failed else words.NOTHING,
            words.figure(max(rung.received for rung in rungs)),
        ),
        origin=case.provenance,
        section=words.scenario_name(case.scenario),
    )


def _published(published: Published) -> Iterator[Row]:
    for row in published.rows:
        if row.scenario == "ladder":
            yield published_row(published, _labels(row), _cells(row), "Ladder")


def _labels(row: PublishedRow) -> tuple[str, str]:
    producers = words.plural(int(parameter(row, "producers") or 0), "producer")
    size = parameter(row, "message_bytes")
    system = parameter(row, "system")
    return f"{producers}, {f'{size} B' if size else 'any size'}", f"{words.target_name(row.target)}, {system}"


def _cells(row: PublishedRow) -> tuple[str, ...]:
    offered, called = parameter(row, "offered_msg_per_s"), parameter(row, "printed_as")
    rate = words.figure(float(row.produce.msg_per_s), 5) if row.produce else words.NOTHING
    last = f"up to {words.figure(float(offered), 5)}" if offered else words.NOTHING
    done = row.figures.completed if row.figures else None
    ended = {"yes": "completed", "no": "not completed"}.get(done or "", words.NOTHING)
    return (last, words.NOTHING, words.NOTHING, ended, f"{rate} ({called})" if called else rate)
