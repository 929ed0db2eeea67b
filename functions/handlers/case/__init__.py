"""Handlers of one case's states."""
