"""The judgement of a probe: its rate was held if what was due was handed over, the backlog did not grow, and
the 99th percentile end to end kept the objective (rule 10 of docs/rules.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.loadgen.record.delay_trend import Slope, slope_of
from breakeven.loadgen.search.orders import Order, Part, latencies
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.self_check.diagnosis import ACHIEVED_SHARE, percentile_ms

#: the most by which a backlog may grow, as a share of the rate (upper 95% bound)
GROWTH_SHARE = 0.005
#: a probe whose backlog is worth this much of its rate is ended: it cannot be held, seconds
HOPELESS_S = 3.0
ENDED = f"it was ended before its time, as over {HOPELESS_S:g} s of its messages were waiting"

#: what helps where the growth is not clear
LONGER = "; a longer measure_s tells more closely"


def judged(order: Order, stage: str, parts: Sequence[Part], objective_ms: float, *, hopeless: bool) -> Probe:
    """The probe of an order, by what all loaders saw of it.

    :param hopeless: it was ended before its time
    """
    rate = order.rate
    offered = sum(part.offered for part in parts)
    achieved = sum(part.achieved for part in parts)
    delay = slope_of([part.delays for part in parts], order.for_s)
    growth = delay.times(rate) if delay else None
    p99_ms = percentile_ms(latencies(parts), 990)
    reason = ENDED if hopeless else _reason(rate, offered, achieved, growth, p99_ms, objective_ms)
    return Probe(
        number=order.probe,
        stage=stage,
        rate=rate,
        offered=offered,
        achieved=achieved,
        backlog_per_s=growth.estimate if growth else None,
        backlog_per_s_high=growth.high if growth else None,
        end_to_end_p99_ms=p99_ms,
        held=reason is None,
        reason=reason,
        for_s=order.for_s,
        confirms=False,
        scouts=False,
    )


def _reason(
    rate: float,
    offered: int,
    achieved: int,
    growth: Slope | None,
    p99_ms: float | None,
    objective_ms: float,
) -> str | None:
    """Why the rate was not held; None when it was."""
    if achieved < ACHIEVED_SHARE * offered:
        return f"{achieved} of {offered} messages that were due were taken"
    if growth is None:
        return "too few messages to tell whether the backlog grows"
    if growth.high > GROWTH_SHARE * rate:
        reason = f"the backlog may grow by {growth.high:.1f} messages a second (upper 95% bound)"
        unclear = growth.estimate <= GROWTH_SHARE * rate
        return f"{reason}{LONGER}" if unclear else reason
    if p99_ms is None or p99_ms > objective_ms:
        seen = "not known" if p99_ms is None else f"{p99_ms:.1f} ms"
        return f"p99 end to end is {seen}, the objective {objective_ms:g} ms"
    return None


def is_open(probe: Probe) -> bool:
    """Was it not held, and yet may a longer one be? All that was due was taken, messages were received, and
    the lower 95% bound of the backlog's growth is within what is allowed.
    """
    if probe.held or probe.reason == ENDED or probe.achieved < ACHIEVED_SHARE * probe.offered:
        return False
    if probe.end_to_end_p99_ms is None:
        return False
    if probe.backlog_per_s is None or probe.backlog_per_s_high is None:
        return True
    return 2 * probe.backlog_per_s - probe.backlog_per_s_high <= GROWTH_SHARE * probe.rate


def as_scout(probe: Probe) -> Probe:
    """The same as a short one that decides nothing, whose length no suite gives."""
    reason = probe.reason and probe.reason.removesuffix(LONGER)
    return probe.model_copy(update={"scouts": True, "reason": reason})


def may_hold(probe: Probe, parts: Sequence[Part], objective_ms: float) -> bool:
    """Does a short probe leave its rate in? Its bound of the growth is wide, and of its messages one pause is
    more than one in a hundred: a rate is out where growth is certain, or one in ten was late.
    """
    p90_ms = percentile_ms(latencies(parts), 900)
    return probe.held or (is_open(probe) and p90_ms is not None and p90_ms <= objective_ms)
