"""The loaders of each case in two tables of one row a case.

Was the busiest of them the limit? What drove the case, and from where: compiled core or general path, zones,
releases?
"""

from __future__ import annotations

from breakeven import words
from breakeven.loadgen.flags import TAIL_SHARE
from breakeven.loadgen.self_check.busy_host import IDLE_SHARE, OTHERS_SHARE, SPEED_SHARE, STEAL_SHARE, WAKE_MS
from breakeven.loadgen.self_check.diagnosis import (
    ACHIEVED_SHARE,
    IDLE_CORES,
    LAG_S,
    LATE_S,
    SATURATED_SHARE,
)
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.elements import Table, trimmed
from breakeven.report.tables.figures import Columns, case_rows, interval

#: the metrics whose completions a client drives, each counted once: a cycle is a receive and its settlement
DRIVEN = ("produce", "consume", "settle")
WHAT_LIMITS = (
    f"A loader is the limit at {SATURATED_SHARE:g} of a core, when a thread of a function or task wakes over "
    f"{LAG_S * 1e3:g} ms late 1 time in 100, when it hands over 1 message in 100 more than "
    f"{LATE_S * 1e3:g} ms late (beside its target on one host only where {IDLE_CORES:g} core was idle), or "
    f"when it hands over less than {ACHIEVED_SHARE:.0%} of what was due although the target had room. Its "
    "figures are then lower bounds."
)
WHAT_IS_BUSY = (
    f"A host is busy with other work when other programs than the run's use {OTHERS_SHARE:.0%} of its "
    f"processor time, when its hypervisor withholds {STEAL_SHARE:.0%} of it, or when a thread of the loader "
    f"wakes {WAKE_MS:g} ms late 1 time in 100 although {IDLE_SHARE:.0%} of it is idle. It changed its "
    f"speed when the same work takes {SPEED_SHARE:.0%} longer at one end of a case than at the other."
)
WHAT_DRIVES = (
    "The compiled core handles what is always alike on a connection, the slower general path the rest: by "
    "design batches, several calls in flight, basic.get and processing times, and each answer out of the "
    "ordinary, such as a refusal. Whatever else it drives, such as messages of several sizes or of several "
    "frames (over 131,064 bytes on RabbitMQ), is flagged general_path. Paused: the time that all workers "
    "together slept after empty receives."
)


def driving_table(report: Report) -> Table:
    cases = _with_loaders(report)
    unknown = (f"Zone not known: {why}." for why in _reasons(cases, "zone_unknown"))
    return trimmed(
        Table(
            slug="driving",
            caption="The loaders: what drove the cases, and from where",
            label_titles=("Target",),
            columns=tuple(DRIVING),
            rows=case_rows(cases, DRIVING, _fell_back),
            groups=(("", 1), ("Operations", 2), ("", 4)),
            notes=(WHAT_DRIVES, *unknown),
        )
    )


def _with_loaders(report: Report) -> list[CaseReport]:
    return [case for case in report.cases if case.loaders]


def driving_summary(report: Report) -> str:
    """Which path drove the cases, in a sentence or two; empty where no loader recorded it."""
    native = [case for case in report.cases if operations(case, "core_operations") is not None]
    if not native:
        return ""
    fallen = [case for case in native if _fell_back(case)]
    if fallen:
        cases = words.listing(
            [f"{words.case_name(case)} on {words.target_name(case.target)}" for case in fallen]
        )
        why = words.listing(_reasons(fallen, "fallback"))
        return (
            f"In {words.part(len(fallen), len(native), 'case')} with native clients THE GENERAL PATH "
            f"did the compiled core's work, more slowly: {cases} ({why})."
        )
    core = sum(operations(case, "core_operations") or 0 for case in native)
    general = sum(operations(case, "general_operations") or 0 for case in native)
    return (
        f"The compiled core drove {words.count(core)} operations of the native clients, the general path "
        f"{words.count(general)}; in no case did it fall back to the general path."
    )


def _fell_back(case: CaseReport) -> bool:
    return "general_path" in case.flags


def tails_summary(report: Report) -> str:
    """Whose rate is that of their last messages, in a sentence; empty where none is."""
    slow = [case for case in report.cases if "slow_tail" in case.flags]
    if not slow:
        return ""
    parts = [f"{words.case_name(case)} on {words.target_name(case.target)}{_tail(case)}" for case in slow]
    return (
        f"The last 0.1% of the messages took more than {TAIL_SHARE:.0%} of the load or unload, so the rate "
        f"is set by a few late messages, such as one that a lost receive had hidden: {words.listing(parts)}."
    )


def _tail(case: CaseReport) -> str:
    metrics: dict[str, Metric | None] = {"produced": case.produce, "consumed": case.consume}
    found = [
        f"{words.figure(metric.early_msg_per_s)} a second {verb} up to 99.9%, "
        f"{words.figure(metric.msg_per_s)} in all"
        for verb, metric in metrics.items()
        if metric and (metric.early_msg_per_s or 0.0) > (metric.msg_per_s or 0.0)
    ]
    return f" ({'; '.join(found)})" if found else ""


def operations(case: CaseReport, path: str) -> int | None:
    """Of the case, by ``core_operations`` or ``general_operations``; None of a reference client."""
    metrics: list[Metric | None] = [getattr(case, name) for name in DRIVEN]
    found = [count for metric in metrics if metric and (count := getattr(metric, path)) is not None]
    return sum(found) if found else None


def each(case: CaseReport, name: str) -> list[str]:
    """What the case's loaders recorded, each value once."""
    return [fact for fact in dict.fromkeys(getattr(case.loaders, name)) if fact]


def _reasons(cases: list[CaseReport], name: str) -> list[str]:
    return list(dict.fromkeys(why for case in cases for why in each(case, name)))


def _paused(case: CaseReport) -> str:
    return words.figure(case.consume.paused_s if case.consume else None, 2)


def _openssl(case: CaseReport) -> list[str]:
    """The release alone: of 'OpenSSL 3.0.17 1 Jul 2025' the second word."""
    return list(dict.fromkeys((one.split()[1:2] or [one])[0] for one in each(case, "openssl")))


def _listed(facts: list[str]) -> str:
    return ", ".join(facts) or words.NOTHING


DRIVING: Columns = {
    "client": lambda case: str(case.parameters.get("client") or words.NOTHING),
    "by the core": lambda case: words.count(operations(case, "core_operations")),
    "by the general path": lambda case: words.count(operations(case, "general_operations")),
    "paused, s": _paused,
    "zone": lambda case: _listed(each(case, "zone")),
    "Python": lambda case: _listed(each(case, "runtime")),
    "OpenSSL": lambda case: _listed(_openssl(case)),
}


def loaders_table(report: Report) -> Table:
    """Of each case the most that any of its loaders, in any measured stage, used, lagged or was held up."""
    cases = _with_loaders(report)
    return trimmed(
        Table(
            slug="loaders",
            caption="The loaders: was one of them the limit?",
            label_titles=("Target",),
            columns=tuple(LIMITS),
            rows=case_rows(cases, LIMITS, _is_limited),
            notes=(
                WHAT_LIMITS,
                *report.manifest.loaders,
                *_evidence(cases),
                WHAT_IS_BUSY,
            ),
        )
    )


def loaders_summary(report: Report) -> str:
    """How many cases a loader limited, in a sentence; empty where no loader reported on itself."""
    cases = _with_loaders(report)
    if not cases:
        return ""
    limited = sum(_is_limited(case) for case in cases)
    return f"A loader was the limit in {words.part(limited, len(cases), 'case')}."


def _is_limited(case: CaseReport) -> bool:
    return any(case.loaders.saturated)


def _work(case: CaseReport) -> str:
    found = case.loaders.work_ms
    return interval(min(found), max(found)) if found else words.NOTHING


def _most(case: CaseReport, name: str) -> str:
    return words.figure(max(case.loaders.known(name), default=None), 2)


def _share(case: CaseReport, name: str) -> str:
    shares = case.loaders.known(name)
    return f"{max(shares):.1%}" if shares else words.NOTHING


def _total(case: CaseReport, name: str) -> str:
    values = case.loaders.known(name)
    return words.count(int(sum(values))) if values else words.NOTHING


def _blocked(case: CaseReport) -> str:
    shares = case.loaders.known("blocked_share")
    return f"{max(shares):.1%} of the time" if shares else words.NOTHING


LIMITS: Columns = {
    "the limit": lambda case: "yes" if _is_limited(case) else "no",
    "loaders": lambda case: str(len(set(case.loaders.loader))),
    "cores used": lambda case: _most(case, "cpu_share"),
    "woke late, p99 ms": lambda case: _most(case, "lag_p99_ms"),
    "other programs": lambda case: _share(case, "others_share"),
    "withheld": lambda case: _share(case, "steal_share"),
    "same work, ms": _work,
    "offered": lambda case: _total(case, "offered"),
    "handed over": lambda case: _total(case, "achieved"),
    "late, p99 ms": lambda case: _most(case, "pacing_p99_ms"),
    "target had no room": _blocked,
}


def _evidence(cases: list[CaseReport]) -> list[str]:
    return [
        f"{words.case_name(case)}, {words.target_name(case.target)}, loader {loader}: {why}."
        for case in cases
        for loader, why in case.loaders.evidenced
    ]
