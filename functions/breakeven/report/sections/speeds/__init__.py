"""Sections on rates: of scenarios, searches, boards and sources."""
