"""Flags of a capacity search: conditions that answer with the sentence, or with nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from breakeven import words
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.probe import best, bound, decisive, not_confirmed
from breakeven.loadgen.self_check.diagnosis import SATURATED_SHARE

#: how many times the p99 at a higher rate that at a lower one is, and by which share of the
#: objective it is longer, for it to be no chance
FALL, FALL_SHARE = 2.0, 0.25


def latency_fell(known: Evidence) -> str:
    """Of the last try of each rate the widest fall to one that kept the objective.

    In a short probe, which decides nothing, one pause may be the 99th percentile.
    """
    tried = {probe.rate: probe for result in known.results for probe in decisive(result.probes)}
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


def no_rate_confirmed(known: Evidence) -> str:
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


def idle_limit(known: Evidence) -> str:
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
