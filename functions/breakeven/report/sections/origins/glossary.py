"""Glossary: the terms of the report in a sentence each; ``docs/metrics.md`` has them in full."""

from __future__ import annotations

from breakeven.report.elements import Definitions, Section
from breakeven.report.sections.subject import Subject

METRICS = {
    "produce": "Call to durable answer: the publisher confirm, or SendMessage's reply.",
    "consume": "Ask to message in hand (basic.get, ReceiveMessage). A pushed message has no ask.",
    "settle": "DeleteMessage, call to reply. An AMQP ack has no reply, so there is none for RabbitMQ.",
    "consume cycle": "Ask to settled. What the 2012 article calls consume.",
    "end to end": "Intended send to message in hand, where both are read from one clock.",
    "produce service": "Open loops: from the actual send to the answer. Produce counts from when it was due.",
    "pacing": "Open loops: how late the loader handed over what was due and had room.",
    "msg/s, MB/s": "Completions in the measured stage over its length; bodies in 10^6 bytes.",
    "p50 … p99.9": "Nearest rank from a histogram with at most 0.1% error; a dash where fewer than "
    "ten samples lie beyond it. Mean, min and max are exact.",
    "msg/s up to 99.9%": "Of a load or unload: up to the second in which 99.9% of its messages had come.",
    "operations": "Latencies recorded: every operation intended within the measured stage.",
    "skipped": "End-to-end times not known, because another loader had sent the message.",
}

MONEY = {
    "monthly mean": "Messages in a month divided by its seconds. The peak is higher.",
    "as used, batched": "One message a call, polled as asked; the same in full batches with long polls.",
    "range": "How far a crossing moves over the range of what is not known. Not a confidence interval.",
    "meet": "Both bills pass through one point.",
    "step": "The brokers' bill jumps past SQS's where the traffic needs one more cluster.",
    "touch, tie": "Equal at one rate, with the same option cheaper on both sides; equal over an interval.",
    "a cluster must carry": "Messages a second at the peak, one of several nodes down, with room to spare.",
    "break-even hours": "Running your own wins if it takes fewer hours of staff time a month: what it saves, "
    "divided by what an hour costs.",
}

LEDGER = {
    "sent": "Messages published: confirmed + returned + nacked + unknown; also received + missing + left.",
    "confirmed": "Answered with a confirm or a reply.",
    "returned": "Sent back as unroutable.",
    "nacked": "Refused by the broker or service.",
    "unknown": "Neither confirmed nor refused: never answered, or, on SQS, throttled or answered by an error "
    "of the service (5xx).",
    "received": "Different messages received, up to the end of the drain.",
    "missing": "Sent, not received and not left in the queue.",
    "left": "Still in the queue at the drain's deadline, of what was not received.",
    "lost": "Confirmed and missing. Anything but 0 is a broken promise. Not known where the drain was cut "
    "short and only an estimate says what is left.",
    "duplicates": "Extra copies received.",
    "redelivered": "Deliveries marked as such (SQS: receive count above 1).",
    "out of order": "Behind a later message of the same producer, queue and consumer, redeliveries apart; "
    "in a FIFO queue with a group for each producer, of any consumer of the loader.",
    "unexpected": "Messages in the queue that this case had not sent.",
    "closed": "What became of every message is known, and none is left in a queue.",
    "queue count": "What the target says is in the queue after the drain, asked where something was missing.",
    "queue count exact": "Whether that is an exact count. SQS gives an estimate, which may be a minute old.",
    "queue count steady": "Whether an estimate was asked for again and stayed the same.",
}

FAULTS = {
    "fault": "Something done while a case was measured: a node killed, stopped in good order, paused, "
    "restarted, rebooted, cut off, slowed down, or an alarm of its memory or disk raised; calls to SQS "
    "throttled, answered by errors, late or reset, or deliveries repeated.",
    "span": "From the second of the fault to where the case's next one is due, or the measured stage ends.",
    "before": "Rate: mean of the last ten whole seconds before the fault.",
    "lowest": "Messages in the lowest second of the span.",
    "back": "From the fault to the first of 3 seconds in a row at 90% of the rate before or above.",
    "over": "When the node's process ran again, its alarm was cleared, its network was restored, or no more "
    "calls met it, in seconds of the measured stage, as done.",
    "met it": "Calls that a fault befell, as the proxy that caused it counted them; of duplicates, copies.",
    "drained": "From the second with most messages in the queues to the first with no more than before.",
    "in sync": "All replicas of the case's queues were there and complete when the fault was due.",
    "expected loss": "What the queue's setup promises, whatever was found: no confirmed message, or some.",
    "held": "Whether the ledger is as expected. Not judged: nothing was expected, or it cannot be known.",
}

FLAGS = {
    "shared_host": "Loader and target shared a machine and so its cores.",
    "emulated": "The target is a stand-in; its figures are not the service's.",
    "loader_saturated": "A loader was itself the limit: a lower bound, shown with ≥.",
    "busy_host": "The host was busy with other work, or changed its speed: figures may not be the "
    "target's own.",
    "other_runs": "The run was allowed to share the machine with other runs.",
    "cold_lane": "The lane's warm-up did not come to steady rates, so that its figures may be too low.",
    "latency_fell": "A search met its objective at a higher rate with a far shorter p99 than at a lower one: "
    "the slower reading is of a cold or disturbed server.",
    "idle_limit": "A search ended although its host was nearly idle: no processor was its limit, and the "
    "capacity may be higher.",
    "not_confirmed": "What a search found was to be held for longer, and was not: shown is the highest rate "
    "below those that failed, held for the search's own time only.",
    "few_samples": "At least one percentile is a dash for lack of samples.",
    "drain_deadline": "The drain ended at its deadline with the ledger open.",
    "ledger_incomplete": "A loader ended without its ledger; what it did last is unknown.",
    "nodes_down": "A node was stopped on purpose for the whole case, so fewer mirrors are expected.",
    "mirrors_out_of_sync": "A mirror was missing before or after the case.",
    "end_to_end_partial": "Some end-to-end times could not be known.",
    "call_errors": "Calls failed and were counted.",
    "backlog_ran_out": "What was loaded beforehand was consumed before the measured stage ended.",
    "left_estimated": "What is left in the queue goes by an estimate.",
    "slow_tail": "The last 0.1% of the messages took over a tenth of the stage: see msg/s up to 99.9%.",
    "stalled": "For a whole second or more nothing was produced or consumed: rates and latencies have that "
    "pause in them.",
    "general_path": "The general path did the compiled core's work, more slowly; Validity says why.",
}


def section(subject: Subject) -> Section | None:
    """None of what a source published, which has no terms of a run."""
    if subject.report.source:
        return None
    priced = bool(subject.report.crossovers or subject.report.cost_curves)
    lists = {
        "Metrics": METRICS,
        **({"Money": MONEY} if priced else {}),
        "Ledger": LEDGER,
        **({"Faults": FAULTS} if subject.report.faults else {}),
        "Flags": FLAGS,
    }
    parts = tuple(Definitions(tuple(terms.items()), title, "terms") for title, terms in lists.items())
    return Section("glossary", "Glossary", parts)
