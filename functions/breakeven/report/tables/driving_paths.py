"""What drove the cases, and from where: compiled core or general path, zones, releases. One row a case."""

from __future__ import annotations

from collections.abc import Callable

from breakeven import words
from breakeven.loadgen.case_figures import LoaderReport
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.elements import Row, Table, badge, trimmed

#: the metrics whose completions a client drives, each counted once: a cycle is a receive and its settlement
DRIVEN = ("produce", "consume", "settle")
WHAT_IT_MEANS = (
    "The compiled core handles what is always alike on a connection, the slower general path the rest: by "
    "design batches, several calls in flight, basic.get and processing times. Paused: the time that all "
    "workers together slept after empty receives."
)


def driving_table(report: Report) -> Table:
    cases = [case for case in report.cases if case.loaders]
    return trimmed(
        Table(
            slug="driving",
            caption="The loaders: what drove the cases, and from where",
            label_titles=("Target",),
            columns=(
                "client",
                "by the core",
                "by the general path",
                "paused, s",
                "zone",
                "Python",
                "OpenSSL",
            ),
            rows=tuple(_row(case) for case in cases),
            groups=(("", 1), ("Operations", 2), ("", 4)),
            notes=(WHAT_IT_MEANS, *_reasons(cases, lambda one: one.zone_unknown, "Zone not known: {}.")),
        )
    )


def driving_summary(report: Report) -> str:
    """Which path drove the cases, in a sentence or two; empty where no loader recorded it."""
    native = [case for case in report.cases if operations(case, "core_operations") is not None]
    if not native:
        return ""
    fallen = [case for case in native if "general_path" in case.flags]
    if fallen:
        cases = words.listing(
            [f"{words.case_name(case)} on {words.target_name(case.target)}" for case in fallen]
        )
        why = words.listing(_reasons(fallen, lambda one: one.fallback, "{}"))
        return (
            f"In {len(fallen)} of {words.plural(len(native), 'case')} with native clients THE GENERAL PATH "
            f"did the compiled core's work, more slowly: {cases} ({why})."
        )
    core = sum(operations(case, "core_operations") or 0 for case in native)
    general = sum(operations(case, "general_operations") or 0 for case in native)
    return (
        f"The compiled core drove {words.count(core)} operations of the native clients, the general path "
        f"{words.count(general)}; in no case did it fall back to the general path."
    )


def tails_summary(report: Report) -> str:
    """Whose rate is that of their last messages, in a sentence; empty where none is."""
    slow = [case for case in report.cases if "slow_tail" in case.flags]
    if not slow:
        return ""
    parts = [f"{words.case_name(case)} on {words.target_name(case.target)}{_tail(case)}" for case in slow]
    return (
        "The last 0.1% of the messages took more than a tenth of the load or unload, so the rate is set "
        f"by a few late messages, such as one that a lost receive had hidden: {words.listing(parts)}."
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


def each(case: CaseReport, of: Callable[[LoaderReport], str | None]) -> list[str]:
    """What the case's loaders recorded, each value once."""
    return list(dict.fromkeys(fact for loader in case.loaders if (fact := of(loader))))


def _row(case: CaseReport) -> Row:
    paused = case.consume.paused_s if case.consume else None
    fell_back = "general_path" in case.flags
    return Row(
        labels=(words.target_name(case.target),),
        cells=(
            str(case.parameters.get("client") or words.NOTHING),
            words.count(operations(case, "core_operations")),
            words.count(operations(case, "general_operations")),
            words.figure(paused, 2),
            ", ".join(each(case, lambda one: one.zone)) or words.NOTHING,
            ", ".join(each(case, lambda one: one.runtime)) or words.NOTHING,
            ", ".join(each(case, _openssl)) or words.NOTHING,
        ),
        origin=case.provenance,
        badge=badge(case.provenance),
        section=words.case_name(case),
        tone="bad" if fell_back else "",
    )


def _openssl(loader: LoaderReport) -> str | None:
    """Its release alone: of 'OpenSSL 3.0.17 1 Jul 2025' the second word."""
    parts = (loader.openssl or "").split()
    return parts[1] if len(parts) > 1 else loader.openssl


def _reasons(cases: list[CaseReport], of: Callable[[LoaderReport], str | None], wording: str) -> list[str]:
    return [wording.format(why) for why in dict.fromkeys(why for case in cases for why in each(case, of))]
