"""Handlers of what cleans up: hourly, and at the end of a run."""
