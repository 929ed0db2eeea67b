"""Targets that are RabbitMQ: nodes of one's own, and Amazon MQ's brokers."""
