"""Sections on how far the figures can be relied on."""
