"""What the figures rest on, said in words. Each sentence is here because leaving it out would mislead."""

from __future__ import annotations

from breakeven.report import words
from breakeven.report.model import Crossover, Report

VARIANTS = {
    "equal-guarantees": (
        "Equal guarantees: messages are persistent and mirrored, each is confirmed before the next is "
        "sent, each is acknowledged (RabbitMQ) or deleted (SQS) by hand, and every call carries one message."
    ),
    "as-published": (
        "As published: publisher confirms are off. The 2012 article does not say so; its produce latencies "
        "of 0 to 2 ms at thousands of messages a second are why it is taken to have been so. A message "
        "counts as produced once it is written to the socket, so these rates do not say that it was stored."
    ),
}


def assumptions(report: Report) -> list[str]:
    """Of measurement first, then of money."""
    said = [
        "Closed loop: each worker waits for its answer before its next call, so the rates are those of that "
        "many workers waiting in turn, not a capacity."
    ]
    said += [
        VARIANTS[variant] for variant in dict.fromkeys(c.variant for c in report.cases) if variant in VARIANTS
    ]
    if report.environment == "local":
        said.append(
            "Loaders and brokers shared this machine's cores. Rates and latencies measured here are this "
            "machine's and enter no sum of dollars."
        )
    if any(case.provenance == "emulated" for case in report.cases):
        said.append(
            f"SQS was stood in for by {report.manifest.sqs or 'an emulator'}. Its figures test the "
            "workflow and say nothing of Amazon SQS's speed."
        )
    return said + _money(report)


def _money(report: Report) -> list[str]:
    if not report.crossovers:
        return []
    said = [
        "Prices are on-demand list prices in US dollars before tax. Rates are monthly means: a peak "
        "above what a pair can carry needs a larger or a second cluster, which is not in these lines.",
        "The RabbitMQ line holds instances and volumes only. People's hours, monitoring, backups and traffic "
        "between zones are not in it; all of them move the crossover up.",
        "The SQS line holds one send, one receive and one delete a message, and no empty receives; "
        "polling an empty queue moves the crossover down, batching moves it up.",
    ]
    return said + [_question(crossover) for crossover in report.crossovers]


def _question(crossover: Crossover) -> str:
    known = crossover.assumptions
    parts = []
    if known.get("calls_per_message") is not None:
        parts.append(f"{words.quantity(known['calls_per_message'])} billed SQS requests a message")
    free = known.get("free_requests")
    if free is not None:
        parts.append(f"{words.quantity(free)} free requests a month" if free else "no free requests")
    if known.get("instance_type"):
        volume = (
            f" with {words.quantity(known['volume_gb'])} GB of volume each" if known.get("volume_gb") else ""
        )
        parts.append(f"{known.get('nodes')} x {known['instance_type']}{volume}")
    if known.get("hours_per_month"):
        parts.append(f"{words.quantity(known['hours_per_month'])} hours a month")
    return f"Prices {crossover.price_book}: {'; '.join(parts) or 'no further assumptions recorded'}."
