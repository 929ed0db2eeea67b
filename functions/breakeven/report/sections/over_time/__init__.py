"""Sections on latency, messages and nodes over time, and in faults."""
