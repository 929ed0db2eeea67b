"""The answer in words: first what is cheaper where, then what was seen, then what failed.

Paragraphs are parted by an empty line; the first is the headline. Every sentence holds for the figures
of this run only, and none says more than was measured or priced.
"""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Metric, Report, SourceReport
from breakeven.report.money import break_even
from breakeven.report.money.headline import headline
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.figures import DOLLARS, printed
from breakeven.targets.catalog import record_of


def verdict(report: Report) -> str:
    """The verdict of a report (its own ``verdict`` field is not read)."""
    paragraphs = [
        _not_ended(report),
        _nothing_measured(report.cases),
        _source_headline(report.title, report.source)
        if report.source and not report.crossovers
        else headline(report),
        *break_even.money(report),
        _origin_of_figures(report),
        " ".join(_speeds(report)),
        _safety(report.cases),
        _failures(report.cases),
        instrument_findings.warning(report),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _not_ended(report: Report) -> str:
    if not report.unsettled:
        return ""
    settled = len(report.cases)
    of = words.plural(settled + report.unsettled, "case")
    return f"This run has not come to its end: {settled} of its {of} are settled, and only these are shown."


def _nothing_measured(cases: Sequence[CaseReport]) -> str:
    """First of all, where it holds: the figures of money that follow stand on no measurement of this run."""
    if not cases or any(case.status == "ok" for case in cases):
        return ""
    return "This run failed: none of its cases is ok, and nothing below was measured by it."


def _speeds(report: Report) -> list[str]:
    """One sentence for each target that was really measured, one for all that were emulated."""
    here = "On this machine" if report.environment == "local" else "On AWS"
    targets = dict.fromkeys(case.target for case in report.cases if case.provenance == "measured")
    fastest = (_best([case for case in report.cases if case.target == target]) for target in targets)
    sentences = [f"{here} {_speed(*best)}" for best in fastest if best]
    emulated = sorted({words.target_name(c.target) for c in report.cases if c.provenance == "emulated"})
    if emulated:
        server = report.manifest.sqs or "an emulator"
        caveat = f"come from {_article(server)} and say nothing about SQS's speed"
        sentences.append(f"The {words.listing(emulated)} figures {caveat}.")
    return sentences


def _article(server: str) -> str:
    """'ElasticMQ 1.7.1 (emulated)' reads as 'an emulator, ElasticMQ 1.7.1'."""
    name = server.replace("(emulated)", "").strip()
    return name if name == "an emulator" else f"an emulator, {name},"


def _best(cases: Sequence[CaseReport]) -> tuple[CaseReport, Metric] | None:
    """The settled case that produced fastest."""
    rated = [
        (case, case.produce)
        for case in cases
        if case.status == "ok" and case.produce and case.produce.msg_per_s is not None
    ]
    return max(rated, key=lambda pair: pair[1].msg_per_s or 0.0, default=None)


def _speed(case: CaseReport, produced: Metric) -> str:
    name = words.target_name(case.target)
    the = "the " if record_of(case.target).nodes else ""
    verb = "confirmed" if case.parameters.get("confirms", True) else "took"
    bound = "at least " if "loader_saturated" in case.flags else ""
    tail = f" at p95 {words.milliseconds(produced.p95_ms)}" if produced.p95_ms is not None else ""
    shared = ", with loader and brokers sharing its cores" if "shared_host" in case.flags else ""
    return (
        f"{the}{name} {verb} {bound}{words.figure(produced.msg_per_s)} messages a second{tail} "
        f"in its fastest case ({words.case_name(case)}){_consumed(case)}{shared}."
    )


def _consumed(case: CaseReport) -> str:
    consumed = case.shown("consume_cycle")
    if consumed is None or consumed.msg_per_s is None:
        return ""
    when = " and, afterwards," if case.parameters.get("mode") == "load-unload" else " while"
    return f"{when} {words.figure(consumed.msg_per_s)} a second were consumed"


def _safety(cases: Sequence[CaseReport]) -> str:
    kept = [(case, case.ledger) for case in cases if case.ledger]
    if not kept:
        return ""
    sent = f"{sum(ledger.sent for _, ledger in kept):,}"
    lost = sum(ledger.lost or 0 for _, ledger in kept)
    missing = sum(ledger.missing for _, ledger in kept)
    if lost:
        where = _names([case for case, ledger in kept if ledger.lost])
        return f"LOST: {words.plural(lost, 'confirmed message')} of {sent} sent never came back: {where}."
    if missing:
        where = _names([case for case, ledger in kept if ledger.missing])
        are = "is" if missing == 1 else "are"
        return (
            f"No message known to be confirmed was lost, but {words.plural(missing, 'message')} of "
            f"{sent} sent {are} missing: {where}."
        )
    still_open = [case for case, ledger in kept if not ledger.closed]
    if still_open:
        where = _names(still_open)
        return f"Not all of the {sent} messages sent are accounted for; the ledger is open in {where}."
    among = "" if len(kept) == len(cases) else f" in the {words.plural(len(kept), 'case')} with a ledger"
    return f"All {sent} messages sent{among} are accounted for; none was lost."


def _failures(cases: Sequence[CaseReport]) -> str:
    failed = [case for case in cases if case.status == "failed"]
    return f"{len(failed)} of {words.plural(len(cases), 'case')} failed: {_names(failed)}." if failed else ""


def _names(cases: Sequence[CaseReport]) -> str:
    return words.listing(
        [
            f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
            for case in cases
        ]
    )


def _source_headline(title: str, source: SourceReport) -> str:
    """Of a source that priced nothing which this project can answer from."""
    return f"“{title}” ({source.label}): the figures as published."


def _origin_of_figures(report: Report) -> str:
    """Where the figures come from, and the greatest of them; empty of a run."""
    if report.source is None:
        return ""
    sentences = [
        f"All test figures are the source's own ({report.source.author}; {report.source.date}); "
        "none was measured for this report."
    ]
    figures = " ".join([*sentences, *_fastest(report.cases), *_dollars(report.cases)])
    own = report.source.breakeven
    if own is None:
        return figures
    hour, second = printed(own.messages_per_hour), printed(own.msg_per_s)
    answer = f"Its own break-even, as printed: {hour} messages an hour, {second} a second."
    return f"{figures}\n\n{answer} {own.why}"


def _fastest(cases: Sequence[CaseReport]) -> list[str]:
    """The greatest produce rate of each target, as printed."""
    if any("nodes" in case.parameters for case in cases):
        return []  # of different machines and workloads: the greatest says nothing by itself
    found = []
    for target in dict.fromkeys(case.target for case in cases):
        rated = [(c.produce.msg_per_s, c) for c in cases if c.target == target and c.produce]
        known = [(rate, case) for rate, case in rated if rate is not None]
        if known:
            _, case = max(known, key=lambda pair: pair[0])
            figure = printed(case.printed.get("produce.msg_per_s"))
            found.append(f"{words.target_name(target)} {figure} ({words.case_name(case)})")
    return [f"Highest send rates that it prints, in messages a second: {', '.join(found)}."] if found else []


def _dollars(cases: Sequence[CaseReport]) -> list[str]:
    priced = [case for case in cases if DOLLARS in case.printed]
    if not priced:
        return []
    priced.sort(key=lambda case: float(case.printed[DOLLARS]))
    least, most = (f"${case.printed[DOLLARS]} ({words.case_name(case)})" for case in (priced[0], priced[-1]))
    return [f"Each 1,000 messages a second cost from {least} to {most} a month, as printed."]
