"""Strictness over the simulated AWS: what the real one refuses. See docs/strictness.md."""
