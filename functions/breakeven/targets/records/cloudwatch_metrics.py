"""The metrics that a run reads of services, each as AWS documents it: nothing is read that no page names.

Left out: ``RabbitMQIOReadAverageTime`` and ``RabbitMQIOWriteAverageTime``, which publish nothing meaningful
from RabbitMQ 4.2 on, the release that lanes are created with; and ``NetworkIn`` and ``NetworkOut``, which are
of one instance, while their only dimension names the broker: of a cluster nobody can say of which.
"""

from __future__ import annotations

from breakeven.targets.record import ServiceMetric, ServiceMetrics

#: of a cluster's broker each is what its three nodes have together: the guide's "aggregate"
AMAZON_MQ_METRICS = ServiceMetrics(
    namespace="AWS/AmazonMQ",
    dimensions={"broker": ("Broker",), "node": ("Broker", "Node")},
    metrics=(
        ServiceMetric("SystemCpuUtilization", "processor, %", "Average", "Percent"),
        ServiceMetric("RabbitMQMemUsed", "memory used, MiB", "Average", "Bytes"),
        ServiceMetric("RabbitMQMemLimit", "memory limit, MiB", "Average", "Bytes"),
        ServiceMetric("RabbitMQDiskFree", "disk free, MiB", "Average", "Bytes", "lowest"),
    ),
    late="Amazon MQ polls a broker once a minute and pushes what it finds to CloudWatch: a figure may be of "
    "one moment of its minute. AWS does not say how late it comes there. What it has of a "
    "cluster as a whole is an aggregate by its guide, and may be a sum, such as 150% of processor: how near "
    "a node was to its limit is in the node's own row.",
    source="Amazon MQ Developer Guide, 'Available CloudWatch metrics for Amazon MQ for RabbitMQ brokers' and "
    "'Logging and monitoring Amazon MQ brokers'",
)

SQS_METRICS = ServiceMetrics(
    namespace="AWS/SQS",
    dimensions={"queue": ("QueueName",)},
    metrics=(
        ServiceMetric("NumberOfMessagesSent", "messages sent", "Sum", "Count"),
        ServiceMetric("NumberOfMessagesReceived", "messages received", "Sum", "Count"),
        ServiceMetric("NumberOfEmptyReceives", "empty receives", "Sum", "Count"),
        ServiceMetric("ApproximateNumberOfMessagesVisible", "messages waiting", "Average", "Count"),
        ServiceMetric("ApproximateAgeOfOldestMessage", "age of the oldest message, s", "Maximum", "Seconds"),
    ),
    late="SQS pushes its metrics to CloudWatch every minute, and those of a queue that has just become "
    "active, as every queue of a run has, up to 15 minutes late: few may have come by the time of the "
    "report. It counts from its own side, retries included, and publishes some figures only in minutes in "
    "which there is something to count.",
    source="Amazon SQS Developer Guide, 'Available CloudWatch metrics for Amazon SQS' and 'Monitoring Amazon "
    "SQS queues using CloudWatch'",
)
