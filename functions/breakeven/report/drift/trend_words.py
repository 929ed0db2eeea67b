"""Trend of a suite in words, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from breakeven import words
from breakeven.report.drift.change_points import LEAST_RUNS
from breakeven.report.drift.drift import FALSE_ALARMS
from breakeven.report.drift.drift_words import direction, in_words
from breakeven.report.drift.trend import ChangePoint, Trend, judged


def headline(trend: Trend) -> str:
    """What changed for good, the latest first, in one sentence."""
    of = f"{words.plural(len(trend.runs), 'run')} of {trend.suite}"
    if not judged(trend):
        return f"{of}: a change point takes at least {LEAST_RUNS} comparable runs."
    if not trend.points:
        return f"{of}: no figure has changed for good."
    latest = trend.points[-1].run
    found = [point for point in trend.points if point.run == latest]
    run = trend.runs[latest]
    first = min(found, key=lambda point: point.p)
    others = f", and {words.plural(len(found) - 1, 'more figure')} changed" if len(found) > 1 else ""
    return f"{of}: since {run.run_id} of {run.date}{trend.mark(latest)} {described(first)}{others}."


def described(point: ChangePoint) -> str:
    """Such as 'the produce rate of RabbitMQ trio fell by 20%'; of a figure that is still another."""
    name = words.labelled_target(point.measure.target, point.provenance)
    return f"the {in_words(point.measure)} of {name} {direction(point.ratio)}"


def sentences(trend: Trend) -> Iterator[str]:
    """What was looked at, how sure it is, and what was left out."""
    first, last = trend.runs[0], trend.runs[-1]
    dates = f"Runs of {first.date}" if first.date == last.date else f"Runs from {first.date} to {last.date}"
    yield f"{dates}, each with the configuration of the last one."
    if trend.doubted:
        runs = words.listing([f"run {run}" for run in trend.doubted])
        yield (
            f"In doubt: the self-test of {runs} failed, so that levels there are not to be relied on, nor "
            "changes that begin or end there."
        )
    if trend.left_out:
        yield (
            f"{words.plural(trend.left_out, 'run')} of the suite left out: of another configuration, without "
            "a case that is ok, or with a report that cannot be read."
        )
    if trend.once:
        cases, verb = words.plural(trend.once, "case"), "counts" if trend.once == 1 else "count"
        yield f"{cases} that a resumed run took over from an earlier one {verb} in the resumed run only."
    if trend.busy:
        some = f"{trend.busy} of {words.plural(len(trend.runs), 'run')}"
        where = "every run" if trend.busy == len(trend.runs) else some
        yield (
            f"In {where} the host was busy with other work or changed its speed in some case (busy_host), so "
            "that levels may not be the targets' own, and changes the host's."
        )
    if count := judged(trend):
        yield (
            f"{words.plural(len(trend.points), 'change point')} in {words.plural(count, 'figure')}. A suite "
            f"in which nothing changes shows any with a probability of at most {FALSE_ALARMS:.0%} at one "
            "look, where the levels of its runs vary independently. A small change may have come a run "
            "earlier or later."
        )


def document(trend: Trend) -> dict[str, Any]:
    """The trend as JSON."""
    return {
        "suite": trend.suite,
        "headline": headline(trend),
        "sentences": list(sentences(trend)),
        "false_alarms": FALSE_ALARMS,
        "left_out": trend.left_out,
        "once": trend.once,
        "busy": trend.busy,
        "doubted": list(trend.doubted),
        "runs": [run.model_dump(mode="json") for run in trend.runs],
        "change_points": [
            {**asdict(point), "run": trend.runs[point.run].run_id, "date": trend.runs[point.run].date}
            for point in trend.points
        ],
        "series": [asdict(one) for one in trend.series],
    }
