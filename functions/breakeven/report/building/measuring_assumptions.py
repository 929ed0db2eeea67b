"""Assumptions behind the figures, in words. Each sentence is here because leaving it out would mislead."""

from __future__ import annotations

from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.money.price_assumptions import money_assumptions
from breakeven.report.tables.guarantees import lacking_sentence

VARIANTS = {
    "equal-guarantees": (
        "Equal guarantees: messages are persistent and confirmed, and the consumer acknowledges (RabbitMQ) "
        "or deletes (SQS) each. Copies, windows and batches are as each case states them."
    ),
    "as-published": (
        "As published: publisher confirms are off. The 2012 article does not say so, but one thread "
        "that sends 3,086 messages a second, each in 0 ms as printed, suggests it. A message counts as "
        "produced once it is written to the socket, so these rates do not show that it was stored."
    ),
}

CLOSED_LOOPS = (
    "In closed loops each worker waits for its answer before its next call, so these rates are those of that "
    "many waiting workers and not a capacity."
)
CLIENTS = {
    "native": (
        "Loaders used this project's own clients, which need a fraction of a reference client's processor "
        "time, so that the queue is what was measured."
    ),
    "reference": (
        "Loaders used reference clients (pika, boto3): their processor time is in every rate "
        "and latency, as it would be in an application's."
    ),
}
PUBLISHED = (
    "Every rate and latency is as the source printed it, with thousands separators added. None was measured "
    "for this report, none is calculated from another, and what the source shows only as a chart is omitted.",
    "A source may define a rate or a latency differently from docs/metrics.md. How it measured is stated "
    "here as far as the source says.",
)


def assumptions(report: Report) -> list[str]:
    """Of measurement first, then of money."""
    if report.source:
        return [*PUBLISHED, *money_assumptions(report)]
    sentences = [CLOSED_LOOPS] if any(map(_is_closed_loop, report.cases)) else []
    sentences += [
        VARIANTS[variant] for variant in dict.fromkeys(c.variant for c in report.cases) if variant in VARIANTS
    ]
    if without := lacking_sentence(report):
        sentences.append(without)
    sentences += [
        CLIENTS[kind]
        for kind in dict.fromkeys(
            "native" if c.parameters.get("client") == "native" else "reference" for c in report.cases
        )
    ]
    if report.environment == "local":
        sentences.append(
            "Loaders and brokers shared this machine's cores. Rates and latencies measured here "
            "apply to this machine only and enter no cost figure."
        )
    if any(case.provenance == "emulated" for case in report.cases):
        sentences.append(
            f"{report.manifest.sqs or 'An emulator'} stood in for SQS. Its figures test the workflow and "
            "say nothing about the speed of Amazon SQS."
        )
    return sentences + money_assumptions(report)


def _is_closed_loop(case: CaseReport) -> bool:
    return case.parameters.get("mode") != "capacity" and case.parameters.get("rate") is None
