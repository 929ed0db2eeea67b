"""Targets that are queues of SQS."""
