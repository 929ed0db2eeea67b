"""Comparison of runs: what moved, by how much, and what had changed."""
