"""Prices of consumers, in sentences."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.consumption.invocations import Batches, batches, most_mapped_msg_per_s
from breakeven.pricing.bill.consumption.receiving import polls_per_s
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.uncertainty import LAMBDA_POLLING, uncertain

QUEUE_ONLY = "Queue only: what consumers cost is not in these figures."


def consumers(inputs: Inputs) -> str:
    """In sentences."""
    if inputs.consumer is None:
        return QUEUE_ONLY
    queues = words.plural(inputs.consumer_queues, "queue")
    each = f"{inputs.container_vcpu:g} vCPU and {inputs.container_gb:g} GB of Fargate on ARM"
    if inputs.consumer == "containers":
        return (
            f"Consumers: {inputs.containers:g} containers at every rate, {each} each. On SQS each polls "
            f"{queues}, waiting {inputs.poll_wait_s:g} s; priced are the receives of idle queues."
        )
    mapped = words.figure(most_mapped_msg_per_s(inputs))
    return (
        f"Consumers: Lambda on ARM, {inputs.lambda_ms:g} ms a message with {inputs.lambda_memory_mb} MB, "
        f"from {queues}; nothing of its free tier is deducted. Where messages come evenly, an invocation "
        f"takes, on SQS, {_on_sqs(inputs)}; on Amazon MQ, {_on_brokers(inputs)}.{_polls(inputs)} An event "
        f"source mapping of Amazon MQ runs one execution environment a queue, which takes {mapped} msg/s at "
        f"most; its secret is not priced. Lambda has no event source mapping for RabbitMQ of your own: "
        f"{inputs.containers:g} containers, {each} each, hand messages on, in batches as on Amazon MQ."
    )


def _polls(inputs: Inputs) -> str:
    """Nothing where the number of empty receives was given."""
    if inputs.empty_receives is not None:
        return ""
    return f" Each idle queue of SQS is polled {polls_per_s(inputs):g} times a second."


def lambda_polling(inputs: Inputs) -> str:
    """The ends of what is not known of how Lambda polls SQS; empty where nothing is."""
    found = uncertain(inputs).get(LAMBDA_POLLING)
    if found is None:
        return ""
    (least, most), said = found, []
    if "lambda_receives" in least:
        ends = f"{most['lambda_receives']:g} to {words.plural(int(least['lambda_receives']), 'message')}"
        said.append(f"receives of Lambda that bring {ends}")
    if "lambda_polls_per_s" in least:
        ends = f"{least['lambda_polls_per_s']:g} to {most['lambda_polls_per_s']:g}"
        said.append(f"its polls of each idle queue {ends} a second")
    return " and ".join(said)


def _on_sqs(inputs: Inputs) -> str:
    """What comes into an invocation."""
    found = batches(inputs, "sqs")
    if not found.windows:
        return f"what one receive brings ({words.quantity(found.size)} as used)"
    beside = f"with {words.plural(found.at_a_time, 'batch', 'batches')} of a queue at a time"
    return f"{_most(inputs, found)} or the fewer that come in {words.quantity(found.window_s)} s, {beside}"


def _on_brokers(inputs: Inputs) -> str:
    found = batches(inputs, "amazon-mq")
    if not found.windows:
        return "one message (no window)"
    return f"{_most(inputs, found)} or the fewer that come in {words.quantity(found.window_s)} s"


def _most(inputs: Inputs, found: Batches) -> str:
    """Messages of an invocation."""
    many = words.plural(int(found.size), "message")
    return many if found.size == inputs.lambda_batch else f"{many} (its payload carries no more of this size)"
