"""What a question prices beside the queue, in words: consumers, or that it prices the queue only."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.consumer_lines import most_mapped_msg_per_s
from breakeven.pricing.bill.inputs import Inputs

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
            f"{queues}, waiting {inputs.poll_wait_s:g} s at most; priced are the receives of idle queues."
        )
    gathered = (
        f"gathered for {inputs.lambda_window_s:g} s at most" if inputs.lambda_window_s else "without a window"
    )
    return (
        f"Consumers: Lambda on ARM, {inputs.lambda_ms:g} ms a message with {inputs.lambda_memory_mb} MB, in "
        f"batches of {inputs.lambda_batch} at most, {gathered}, from {queues}; nothing of its free tier is "
        "deducted, and priced are as many invocations as there can be. On Amazon MQ a mapping has one "
        f"environment a queue, which takes {words.figure(most_mapped_msg_per_s(inputs))} msg/s at most, and "
        "its secret is not priced. Of brokers of one's own Lambda has no mapping: "
        f"{inputs.containers:g} containers, {each} each, hand messages on."
    )
