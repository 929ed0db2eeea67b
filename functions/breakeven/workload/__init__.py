"""Suites as written, and cases: workloads with every default filled in."""
