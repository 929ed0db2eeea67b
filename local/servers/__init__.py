"""Servers that a local run starts and stops: RabbitMQ, SQS, relay, proxy."""
