"""Handlers of a run's states, and of its schedule."""
