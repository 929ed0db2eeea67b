"""What a target takes at most. The plan refuses a case that asks for more."""

from __future__ import annotations

from breakeven.workload.case import KindName

#: bytes of one message
MAX_MESSAGE_BYTES: dict[KindName, int] = {
    # 1 MiB since 2025-08-04, attributes included; 256 KiB before. Source: AWS What's New, 4 August 2025,
    # "Amazon SQS increases maximum message payload size to 1 MiB"; SQS developer guide, message quotas.
    "sqs-standard": 1_048_576,
    # The broker's max_message_size, 128 MiB unless it is configured. Source: RabbitMQ 3.10's configuration
    # reference (rabbitmq.conf.example, max_message_size).
    "rabbitmq-mirrored-pair": 134_217_728,
    # Its own: what of SQS's is asked of it must fit there too.
    "instrument": 1_048_576,
}
