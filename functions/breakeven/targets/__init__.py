"""Targets: a record of each (``records``), and a class that does to it what the workflow needs."""
