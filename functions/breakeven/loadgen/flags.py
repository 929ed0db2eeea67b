"""Flags of a case: for each the condition that raises it, and the sentence with the figures that did.

The two cannot drift apart: a condition answers with its sentence, or with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from breakeven import words
from breakeven.loadgen.case_figures import CallErrors
from breakeven.loadgen.reconciliation import Account
from breakeven.loadgen.record.call_errors import merged
from breakeven.loadgen.record.total import Total
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.probe import best, bound, not_confirmed
from breakeven.loadgen.self_check.busy_host import host_evidence
from breakeven.loadgen.self_check.diagnosis import SATURATED_SHARE, Diagnosis, shared_lateness
from breakeven.loadgen.stages import PREFILL
from breakeven.terms import Flag

#: of a load or unload: what its last messages may take before that is said
TAIL_SHARE = 0.1
#: findings on loaders that a sentence names
MOST_LOADERS = 5
#: samples that must lie beyond a percentile
BEYOND = 10
#: of a search, how many times the p99 at a higher rate that at a lower one is, and by which share of the
#: objective it is longer, for it to be no chance
FALL, FALL_SHARE = 2.0, 0.25


@dataclass(frozen=True, slots=True)
class Evidence:
    """What flags are judged by. A caller gives what it knows; the defaults raise nothing.

    ``shared``: the run was started with ``--share``.
    ``mirrors``: "before" and "after" the case -> queue -> mirrors in sync, of which each queue should have
    ``mirrors_due``. ``without_percentile``: metric -> its samples, and the percentiles that they are too few
    for. ``account``: None where no loader was asked. ``cold``: why the lane may not have been warm.
    ``prefill``: messages that were to be in the queues beforehand. ``objective_ms`` and ``confirm_s``: of a
    capacity search.
    """

    results: Sequence[LoaderResult] = ()
    totals: Mapping[str, Total] = field(default_factory=dict)
    account: Account | None = None
    environment: str = ""
    provenance: str = ""
    shared: bool = False
    nodes: int = 0
    nodes_down: int = 0
    mirrors: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    mirrors_due: int = 0
    cold: str = ""
    prefill: int = 0
    objective_ms: float | None = None
    confirm_s: float = 0.0
    without_percentile: Mapping[str, tuple[int, Sequence[str]]] = field(default_factory=dict)


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
    found = [
        f"loader {result.loader}, {diagnosis.stage}: {said}"
        for result in known.results
        for diagnosis in result.diagnoses
        for said in judge(diagnosis)
    ]
    more = len(found) - MOST_LOADERS
    return "; ".join([*found[:MOST_LOADERS], *([f"and {more:,} more"] if more > 0 else [])])


def _other_runs(known: Evidence) -> str:
    return "the run was started with --share: others may have used the machine" if known.shared else ""


def _cold_lane(known: Evidence) -> str:
    return f"its target may not have been warm: {known.cold}" if known.cold else ""


def _latency_fell(known: Evidence) -> str:
    """Of the last try of each rate the widest fall to one that kept the objective."""
    tried = {probe.rate: probe for result in known.results for probe in result.probes}
    seen = sorted((rate, p99_ms) for rate, p in tried.items() if (p99_ms := p.end_to_end_p99_ms) is not None)
    objective_ms = known.objective_ms or 0.0
    falls = [
        (slow_ms - fast_ms, low, slow_ms, high, fast_ms)
        for (low, slow_ms), (high, fast_ms) in combinations(seen, 2)
        if fast_ms <= objective_ms
        and slow_ms >= FALL * fast_ms
        and slow_ms - fast_ms >= FALL_SHARE * objective_ms
    ]
    if not falls:
        return ""
    _, low, slow_ms, high, fast_ms = max(falls)
    return (
        f"p99 end to end was {words.milliseconds(slow_ms)} at {words.figure(low)} msg/s and "
        f"{words.milliseconds(fast_ms)} at {words.figure(high)} msg/s, which more messages do not explain"
    )


def _not_confirmed(known: Evidence) -> str:
    """What is found is then the highest rate below those that were not held for so long."""
    probes = [probe for result in known.results for probe in result.probes]
    found = best(probes)
    if not known.confirm_s or not probes or (found and found.confirms):
        return ""
    tried = [
        f"{words.figure(probe.rate)} msg/s was not held for {known.confirm_s:g} s ({probe.reason})"
        for probe in not_confirmed(probes)
    ]
    if found:
        rate = words.figure(found.rate)
        why = "as too little time was left, or messages were"
        tried.append(f"{rate} msg/s was not offered for {known.confirm_s:g} s, {why}")
    return "; ".join(tried)


def _idle_limit(known: Evidence) -> str:
    """Judged of the rate that bounds the search."""
    failed = bound([probe for result in known.results for probe in result.probes])
    used = [one for result in known.results for one in _cores_used(result, failed.stage)] if failed else []
    if not failed or not used or used[0][0] >= SATURATED_SHARE:
        return ""
    return (
        f"{words.figure(failed.rate)} msg/s was not held although all programs on the host together used "
        f"{used[0][0]:.2f} of its {words.plural(used[0][1], 'core')}, and under {SATURATED_SHARE:g} no "
        "thread of loader or target can have been the limit"
    )


def _cores_used(result: LoaderResult, stage: str) -> Iterator[tuple[float, int]]:
    """By all programs of the host, of so many cores; nothing where the target may be on another host."""
    cores = int(result.host.get("cores") or 0)
    for found in result.diagnoses:
        on_one_host = found.others_share is not None
        if found.stage == stage and on_one_host and found.idle_share is not None and cores:
            yield (1 - found.idle_share) * cores, cores


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
    "latency_fell": _latency_fell,
    "idle_limit": _idle_limit,
    "not_confirmed": _not_confirmed,
    "few_samples": _few_samples,
    "drain_deadline": _drain_deadline,
    "backlog_ran_out": _backlog_ran_out,
    "left_estimated": _left_estimated,
    "slow_tail": _slow_tail,
    "general_path": _general_path,
    "ledger_incomplete": _ledger_incomplete,
    "nodes_down": _nodes_down,
    "mirrors_out_of_sync": _mirrors_out_of_sync,
    "end_to_end_partial": _end_to_end_partial,
    "call_errors": _call_errors,
}
