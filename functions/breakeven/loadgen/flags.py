"""Flags of a case: for each the condition that raises it, and the sentence with the figures that did.

The two cannot drift apart: a condition answers with its sentence, or with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from breakeven import words
from breakeven.instrument.latencies import BEYOND
from breakeven.loadgen.case_figures import CallErrors
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.record.call_errors import merged
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.total import Total
from breakeven.loadgen.search_flags import idle_limit, latency_fell, no_rate_confirmed
from breakeven.loadgen.self_check.busy_host import host_evidence
from breakeven.loadgen.self_check.diagnosis import Diagnosis, shared_lateness
from breakeven.loadgen.self_check.loader_findings import Finding, in_words
from breakeven.loadgen.stages import PREFILL
from breakeven.terms import Flag

#: of a load or unload: what its last messages may take before that is said
TAIL_SHARE = 0.1
#: metrics of which a whole second without any is a stall, and messages a second from which it is no chance:
#: at 25 of them that come at random, one second of 70 billion has none
DONE, LEAST_RATE = {"produce": "sent", "consume": "received"}, 25.0


def raised(evidence: Evidence) -> dict[Flag, str]:
    """The flags that the evidence raises, each with its sentence, without a full stop."""
    return {flag: said for flag, judge in FLAGS.items() if (said := judge(evidence))}


def _shared_host(known: Evidence) -> str:
    if known.environment != "local":
        return ""
    cores = next((result.host.get("cores") for result in known.results), None)
    its = f" and its {words.plural(cores, 'core')}" if isinstance(cores, int) else ""
    late = _of_loaders(known, shared_lateness)
    return f"loader and target shared one machine{its}{f'; {late}' if late else ''}"


def _emulated(known: Evidence) -> str:
    return "a stand-in was measured, not the service" if known.provenance == "emulated" else ""


def _loader_saturated(known: Evidence) -> str:
    """Of a search also with how many loaders: a limit of theirs is none of the target's."""
    said = _of_loaders(known, Diagnosis.evidence)
    first = next(iter(known.results), None)
    if not (said and first and first.mode == "capacity"):
        return said
    count = words.plural(first.loaders, "loader")
    return f"{said}; the search had {count}, and more of them (loaders) may find a higher rate"


def _busy_host(known: Evidence) -> str:
    return _of_loaders(known, host_evidence)


def _of_loaders(known: Evidence, judge: Callable[[Diagnosis], list[str]]) -> str:
    return in_words(
        [
            Finding(result.loader, diagnosis.stage, said)
            for result in known.results
            for diagnosis in result.diagnoses
            for said in judge(diagnosis)
        ]
    )


def _other_runs(known: Evidence) -> str:
    return "the run was started with --share: others may have used the machine" if known.shared else ""


def _cold_lane(known: Evidence) -> str:
    return f"its target may not have been warm: {known.cold}" if known.cold else ""


def _few_samples(known: Evidence) -> str:
    found = [
        f"{words.listing(percentiles)} of {metric.replace('_', ' ')} "
        f"({words.plural(samples, 'latency', 'latencies')})"
        for metric, (samples, percentiles) in known.without_percentile.items()
    ]
    return f"fewer than {BEYOND} latencies lie beyond {'; '.join(found)}" if found else ""


def _drain_deadline(known: Evidence) -> str:
    if not any("drain_deadline" in result.flags for result in known.results):
        return ""
    open_ = known.account.sent - known.account.received if known.account else 0
    return (
        f"{words.plural(open_, 'message')} of those sent had not been received when the drain ended at its "
        "deadline"
    )


def _backlog_ran_out(known: Evidence) -> str:
    """In the last second of the measured stage consumers may have found too little to take."""
    measured_s = known.results[0].measure_s if known.results else 0.0
    before = ("warmup", "measure")
    left = _done(known, "produce", PREFILL, *before) - _done(known, "consume", *before)
    each_s = _done(known, "consume", "measure") / measured_s if measured_s else 0.0
    if not known.prefill or left >= each_s:
        return ""
    return (
        f"of {words.plural(known.prefill, 'message')} loaded beforehand and those sent since, "
        f"{max(0, left):,} were left at the end of the measured stage, less than a second's: "
        "consumers might have taken more"
    )


def _done(known: Evidence, metric: str, *stages: str) -> int:
    """Operations that were completed in these stages."""
    cells = [result.cells.get((stage, metric)) for result in known.results for stage in stages]
    return sum(cell.total().operations for cell in cells if cell)


def _left_estimated(known: Evidence) -> str:
    if known.account is None or not known.account.estimates:
        return ""
    return f"about {words.plural(known.account.left, 'message')} were left, by the target's estimate"


def _slow_tail(known: Evidence) -> str:
    return "; ".join(
        f"the last 0.1% of {metric.replace('_', ' ')} took {words.figure(stage_s - early_s)} s of "
        f"{words.figure(stage_s)} s, over {TAIL_SHARE:.0%}"
        for metric, stage_s, early_s in _tails(known.totals)
        if early_s < (1 - TAIL_SHARE) * stage_s
    )


def _tails(totals: Mapping[str, Total]) -> Iterator[tuple[str, float, float]]:
    """Metric, length of its stage, and how long all but its last messages took, seconds."""
    for metric, total in totals.items():
        if total.early and total.stage_s:
            yield metric, total.stage_s, total.early[1]


def _stalled(known: Evidence) -> str:
    """Not of what has a flag of its own: a hidden message, queues that were empty, a loader's lost record."""
    if not known.even or _backlog_ran_out(known) or _ledger_incomplete(known):
        return ""
    return "; ".join(
        f"nothing was {DONE[metric]} for {words.plural(pause.seconds, 'whole second')} of "
        f"{words.figure(stage_s)} s, from {pause.first} s on"
        for metric, total in known.totals.items()
        if metric in DONE
        and (stage_s := total.early[1] if total.early else total.stage_s)
        and (pause := _longest_pause(total.cell, int(stage_s))).seconds
    )


class _Pause(NamedTuple):
    """``first``: of the seconds without any completion, counted from the stage's start."""

    seconds: int
    first: int


def _longest_pause(cell: Cell, whole_s: int) -> _Pause:
    """The first of the longest in a stage's whole seconds; of no second where the rate is too low to tell."""
    done = {second: window.operations for second, window in cell.windows.items() if second < whole_s}
    if sum(done.values()) < LEAST_RATE * whole_s:
        return _Pause(0, 0)
    busy = sorted(second for second, operations in done.items() if operations)
    pauses = (_Pause(after - before - 1, before + 1) for before, after in pairwise([-1, *busy, whole_s]))
    return max(pauses, key=lambda pause: (pause.seconds, -pause.first))


def _general_path(known: Evidence) -> str:
    why = dict.fromkeys(why for result in known.results for why in result.fallbacks)
    return f"the general path drove what is the compiled core's: {words.listing(list(why))}" if why else ""


def _ledger_incomplete(known: Evidence) -> str:
    if known.account is None or known.account.complete:
        return ""
    whole = sum(result.final for result in known.results)
    loaders = max((result.loaders for result in known.results), default=0)
    return f"{whole} of {words.plural(loaders, 'loader')} left a whole ledger"


def _nodes_down(known: Evidence) -> str:
    if not known.nodes_down:
        return ""
    return f"{known.nodes_down} of {words.plural(known.nodes, 'node')} stopped for the whole case, as asked"


def _mirrors_out_of_sync(known: Evidence) -> str:
    found = [
        f"{queue} had {count} of {words.plural(known.mirrors_due, 'mirror')} in sync {when} the case"
        for when, counts in known.mirrors.items()
        for queue, count in counts.items()
        if count < known.mirrors_due
    ]
    return words.listing(found)


def _end_to_end_partial(known: Evidence) -> str:
    total = known.totals.get("end_to_end")
    if total is None or not total.cell.skipped:
        return ""
    skipped = total.cell.skipped
    return (
        f"the send time of {skipped:,} of {words.plural(skipped + total.cell.latencies.count, 'message')} "
        "was not known where they were received"
    )


def _call_errors(known: Evidence) -> str:
    found = merged(each for result in known.results for each in result.call_errors)
    if not found:
        return ""
    calls = words.plural(sum(each.count for each in found), "call")
    return f"{calls} failed or ended otherwise than well: {words.listing([_kind(each) for each in found])}"


def _kind(found: CallErrors) -> str:
    """Which, how often, when and why: 'produce connection_lost 2 (… to …: reset by peer)'."""
    until = f" to {found.last_at}" if found.last_at != found.first_at else ""
    said = f": {found.said}" if found.said and found.said != found.kind else ""
    return f"{found.operation} {found.kind} {found.count:,} ({found.first_at}{until}{said})"


#: every flag; tests hold that each has its two boundary examples
FLAGS: dict[Flag, Callable[[Evidence], str]] = {
    "shared_host": _shared_host,
    "emulated": _emulated,
    "loader_saturated": _loader_saturated,
    "busy_host": _busy_host,
    "other_runs": _other_runs,
    "cold_lane": _cold_lane,
    "latency_fell": latency_fell,
    "idle_limit": idle_limit,
    "not_confirmed": no_rate_confirmed,
    "few_samples": _few_samples,
    "drain_deadline": _drain_deadline,
    "backlog_ran_out": _backlog_ran_out,
    "left_estimated": _left_estimated,
    "slow_tail": _slow_tail,
    "stalled": _stalled,
    "general_path": _general_path,
    "ledger_incomplete": _ledger_incomplete,
    "nodes_down": _nodes_down,
    "mirrors_out_of_sync": _mirrors_out_of_sync,
    "end_to_end_partial": _end_to_end_partial,
    "call_errors": _call_errors,
}
