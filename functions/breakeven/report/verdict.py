"""The answer in words: first what is cheaper where, then what was seen, then what failed.

Paragraphs are parted by an empty line; the first is the headline. Every sentence holds for the figures
of this run only, and none says more than was measured or priced.
"""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.report import words
from breakeven.report.model import CaseReport, Crossover, Metric, Report
from breakeven.report.tables import shown

HISTORIC = "2012-12"


def verdict(report: Report) -> str:
    """The verdict of a report (its own ``verdict`` field is not read)."""
    crossover = main_crossover(report)
    paragraphs = [
        _headline(crossover),
        _money(crossover),
        " ".join(_speeds(report)),
        _safety(report.cases),
        _failures(report.cases),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def main_crossover(report: Report) -> Crossover | None:
    """The first question put at today's prices; of history only where there is no other."""
    current = [crossover for crossover in report.crossovers if crossover.price_book != HISTORIC]
    return next(iter(current or report.crossovers), None)


def _headline(crossover: Crossover | None) -> str:
    if crossover is None:
        return "This run priced nothing, so it has no break-even to tell."
    pair = _cluster(crossover)
    if crossover.kind == "unpriced":
        return "A price that the break-even needs is not known, so this run has none to tell."
    if crossover.msg_per_s is None:
        cheaper = crossover.cheaper_below or crossover.cheaper_above
        name = pair if cheaper == "rabbitmq-mirrored-pair" else "SQS"
        return f"{_capital(name)} is cheaper at every rate that could be priced."
    rate = words.figure(crossover.msg_per_s)
    if crossover.kind == "tie":
        return f"SQS and {pair} cost the same from {rate} messages a second on; below that SQS is cheaper."
    return (
        f"SQS is cheaper below about {rate} messages a second; above it {pair} is, if it carries that load."
    )


def _cluster(crossover: Crossover) -> str:
    instance, nodes = crossover.assumptions.get("instance_type"), crossover.assumptions.get("nodes")
    if not instance:
        return "your own RabbitMQ pair"
    return f"a RabbitMQ pair of {instance}" if nodes == 2 else f"RabbitMQ on {nodes} x {instance}"


def _money(crossover: Crossover | None) -> str:
    if crossover is None:
        return ""
    sentences = [f"List prices: {_book(crossover.price_book)}{_calls(crossover)}."]
    if crossover.msg_per_s is not None:
        sentences.insert(
            0,
            f"That is a monthly mean, {words.amount(crossover.messages_per_month)} messages a month, "
            f"at which either costs {words.dollars(crossover.usd_per_month)} a month.",
        )
    if "not measured" in crossover.capacity:
        sentences.append("What the pair can carry on EC2 was not measured in this run.")
    sentences.append("People's hours are not in these figures.")
    return " ".join(sentences)


def _book(book: str) -> str:
    region, _, day = book.partition("@")
    return f"{region} of {day}" if day else region


def _calls(crossover: Crossover) -> str:
    calls = crossover.assumptions.get("calls_per_message")
    return f", {words.quantity(calls)} SQS requests a message, unbatched" if calls is not None else ""


def _speeds(report: Report) -> list[str]:
    """One sentence for each target that was really measured, one for all that were emulated."""
    here = "On this machine" if report.environment == "local" else "On AWS"
    sentences = []
    for target in dict.fromkeys(case.target for case in report.cases if case.provenance == "measured"):
        best = _best([case for case in report.cases if case.target == target])
        if best:
            sentences.append(f"{here} {_speed(*best)}")
    emulated = sorted({words.target_name(c.target) for c in report.cases if c.provenance == "emulated"})
    if emulated:
        server = report.manifest.sqs or "an emulator"
        told = f"come from {_article(server)} and say nothing of SQS's speed"
        sentences.append(f"The {words.listing(emulated)} figures {told}.")
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
    the = "" if case.target.startswith("sqs") else "the "
    verb = "confirmed" if case.parameters.get("confirms", True) else "took"
    bound = "at least " if "loader_saturated" in case.flags else ""
    tail = f" at p95 {words.milliseconds(produced.p95_ms)}" if produced.p95_ms is not None else ""
    shared = ", with loader and brokers sharing its cores" if "shared_host" in case.flags else ""
    return (
        f"{the}{name} {verb} {bound}{words.figure(produced.msg_per_s)} messages a second{tail} "
        f"in its fastest case ({words.case_name(case)}){_consumed(case)}{shared}."
    )


def _consumed(case: CaseReport) -> str:
    consumed = shown(case, "consume_cycle")
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
        return (
            f"Not all of {sent} messages sent were accounted for; the ledger is open in {_names(still_open)}."
        )
    among = "" if len(kept) == len(cases) else f" in the {words.plural(len(kept), 'case')} with a ledger"
    return f"Every one of {sent} messages sent{among} is accounted for; none was lost."


def _failures(cases: Sequence[CaseReport]) -> str:
    failed = [case for case in cases if case.status == "failed"]
    if not failed:
        return ""
    return f"{len(failed)} of {words.plural(len(cases), 'case')} failed: {_names(failed)}."


def _names(cases: Sequence[CaseReport]) -> str:
    return words.listing(
        [
            f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
            for case in cases
        ]
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
