"""What the figures rest on, in words. Each sentence is here because leaving it out would mislead."""

from __future__ import annotations

from breakeven.report.contract.report_model import Report
from breakeven.report.money.price_assumptions import money_assumptions

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


CLIENTS = {
    "native": (
        "Loaders drove the queues with clients of this project's own, which cost a fraction of an ordinary "
        "client's processor time, so that the queue is what was measured."
    ),
    "ordinary": (
        "Loaders drove the queues with ordinary clients (pika, boto3): their processor time is in every rate "
        "and latency, as it would be in an application's."
    ),
}
PUBLISHED = (
    "Every rate and latency is as the source printed it; thousands are separated here. None was measured "
    "for this report, none is calculated from another, and what the source shows only as a chart is left "
    "out.",
    "What a source means by a rate or a latency need not be what docs/metrics.md means by the same word. "
    "How it measured is said here as far as the source says.",
)


def assumptions(report: Report) -> list[str]:
    """Of measurement first, then of money."""
    if report.source:
        return [*PUBLISHED, *money_assumptions(report)]
    sentences = [
        "Closed loop: each worker waits for its answer before its next call, so the rates are those of that "
        "many workers waiting in turn, not a capacity."
    ]
    sentences += [
        VARIANTS[variant] for variant in dict.fromkeys(c.variant for c in report.cases) if variant in VARIANTS
    ]
    sentences += [
        CLIENTS[kind]
        for kind in dict.fromkeys(
            "native" if c.parameters.get("client") == "native" else "ordinary" for c in report.cases
        )
    ]
    if report.environment == "local":
        sentences.append(
            "Loaders and brokers shared this machine's cores. Rates and latencies measured here are this "
            "machine's and enter no sum of dollars."
        )
    if any(case.provenance == "emulated" for case in report.cases):
        sentences.append(
            f"SQS was stood in for by {report.manifest.sqs or 'an emulator'}. Its figures test the "
            "workflow and say nothing of Amazon SQS's speed."
        )
    return sentences + money_assumptions(report)
