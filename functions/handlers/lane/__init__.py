"""Handlers of one lane's states."""
