"""A host that is busy with what is not the run's own, or slowed: thresholds, and evidence in words."""

from __future__ import annotations

from collections.abc import Callable, Collection

from breakeven import words
from breakeven.loadgen.case_figures import Usage

#: shares of the host's processor time from which on a case is flagged: used by programs other than the run's,
#: and withheld by a hypervisor
OTHERS_SHARE, STEAL_SHARE = 0.1, 0.02
#: by which share more the same work takes on a host at one time than at another where its speed has changed:
#: on idle hosts two readings in a row were up to 9% apart
SPEED_SHARE = 0.15
#: from when on a sleeping thread of the loader wakes late at its 99th percentile, milliseconds; and the share
#: of the host's processor time that must have been idle meanwhile for others to be the cause: on a busier
#: host it may have waited for the run's own processes, which the flag ``shared_host`` says
WAKE_MS, IDLE_SHARE = 20.0, 0.5


def host_evidence(usage: Usage) -> list[str]:
    """Why a loader's figures may be worse than the target's own; empty where nothing speaks against them."""
    return [said for judge in BUSY_BY.values() if (said := judge(usage))]


def _others(found: Usage) -> str:
    if found.others_share is None or found.others_share < OTHERS_SHARE:
        return ""
    return (
        f"other programs than this run's used {found.others_share:.0%} of the host's processor time, and "
        f"{OTHERS_SHARE:.0%} is the limit"
    )


def _steal(found: Usage) -> str:
    if found.steal_share is None or found.steal_share < STEAL_SHARE:
        return ""
    return (
        f"the hypervisor withheld {found.steal_share:.1%} of the host's processor time, and "
        f"{STEAL_SHARE:.0%} is the limit"
    )


def _wakes(found: Usage) -> str:
    if found.lag_p99_ms is None or found.lag_p99_ms < WAKE_MS:
        return ""
    if found.idle_share is None or found.idle_share < IDLE_SHARE:
        return ""
    return (
        f"a thread of it woke {found.lag_p99_ms:.1f} ms late or later 1 time in 100 although "
        f"{found.idle_share:.0%} of the host's processor time was idle, and {WAKE_MS:g} ms is the limit"
    )


def _speed(found: Usage) -> str:
    if found.work_before_ms is None or found.work_after_ms is None:
        return ""
    both = found.work_before_ms, found.work_after_ms
    apart = change_of_speed(both)
    if apart is None:
        return ""
    before, after = map(words.milliseconds, both)
    return (
        f"the host's processors did the same work in {before} before the case and in {after} after it, "
        f"{words.figure(apart * 100)}% apart, and {SPEED_SHARE:.0%} is the limit"
    )


def change_of_speed(work_ms: Collection[float]) -> float | None:
    """By which share more the same work took at its slowest than at its fastest; None below the limit."""
    slowest, fastest = max(work_ms), min(work_ms)
    return slowest / fastest - 1 if slowest >= fastest * (1 + SPEED_SHARE) else None


#: what makes a host busy; tests hold that each has its two boundary examples
BUSY_BY: dict[str, Callable[[Usage], str]] = {
    "others": _others,
    "steal": _steal,
    "wakes": _wakes,
    "speed": _speed,
}
