"""Clients of queues: what a client does (``base``), our own, and those they are compared with."""
